//! Runs instructions that need only the runtime. Most programs have no others, so they need no [`Machine`].
//!
//! [`Machine`]: super::machine::Machine

use super::code::{CodeIndex, Instruction};
use super::runtime::{Runtime, Slot};
use crate::fail::{Fail, FailCode};
use crate::program::NodeId;
use crate::value::Value;
use crate::verdict::Ending;

/// Reason why [`Runtime::run_pure`] returned.
pub(super) enum Pause<'a> {
    /// The program ended, at this node.
    Done(Ending<'a>, Option<NodeId>),
    /// An instruction failed.
    Failed(Fail),
    /// The instruction at this index needs the machine.
    NeedsMachine(CodeIndex),
}

impl<'a> Runtime<'a> {
    /// Runs instructions from `place` on, until one needs the machine.
    #[inline]
    pub(super) fn run_pure(&self, place: CodeIndex) -> Pause<'a> {
        self.try_run_pure(place).unwrap_or_else(Pause::Failed)
    }

    #[inline]
    fn try_run_pure(&self, mut place: CodeIndex) -> Result<Pause<'a>, Fail> {
        let code = self.compiled.code.as_slice();
        loop {
            match &code[place] {
                Instruction::Unless { condition, to } => {
                    place = if condition(self)? { place + 1 } else { *to };
                    continue;
                }
                Instruction::Jump(to) => {
                    place = *to;
                    continue;
                }
                Instruction::When { slot, is, to } => {
                    let holds = self.value(*slot).boolean() == *is;
                    place = if holds { *to } else { place + 1 };
                    continue;
                }
                Instruction::Next(index) => {
                    place = self.next(*index);
                    continue;
                }
                Instruction::Select(index) => self.select(*index),
                Instruction::Name { slot, pending } => {
                    self.bind(*slot, Slot::Pending(*pending));
                }
                Instruction::Settle(slot) => self.settle(*slot),
                Instruction::Evaluate { to, value } => self.put(*to, value(self)?),
                Instruction::Require(value) => drop(value(self)?),
                Instruction::Put { to, value } => self.put(*to, Value::Boolean(*value)),
                Instruction::Copy { from, to } => self.put(*to, self.value(*from)),
                Instruction::Version { version, node } => {
                    if !crate::is_language_version(version(self)?) {
                        return Err(Fail::new(FailCode::Version, *node));
                    }
                }
                Instruction::Allow(node) => return done(Ending::Allowed, *node),
                Instruction::Stop(node) => return done(Ending::Stopped, *node),
                Instruction::Deny { reason, node } => {
                    return done(Ending::Denied(reason(self)?), *node);
                }
                Instruction::Challenge { scheme, node } => {
                    return done(Ending::Challenged(scheme(self)?), *node);
                }
                Instruction::Respond { status, text, node } => {
                    return done(Ending::Responded(status(self)?, text(self)?), *node);
                }
                Instruction::Complete => return Ok(Pause::Done(Ending::Completed, None)),
                Instruction::Bind { .. } | Instruction::Store { .. } => {
                    return Ok(Pause::NeedsMachine(place));
                }
                Instruction::Act(_) | Instruction::Fail { .. } => {
                    return Ok(Pause::NeedsMachine(place));
                }
                Instruction::Apply { .. } | Instruction::SetParameter { .. } => {
                    return Ok(Pause::NeedsMachine(place));
                }
                Instruction::Catch(_) | Instruction::Release => {
                    return Ok(Pause::NeedsMachine(place));
                }
                Instruction::Call(_) | Instruction::Return | Instruction::Restart(_) => {
                    return Ok(Pause::NeedsMachine(place));
                }
            }
            place += 1;
        }
    }
}

fn done<'a>(ending: Ending<'a>, node: NodeId) -> Result<Pause<'a>, Fail> {
    Ok(Pause::Done(ending, Some(node)))
}
