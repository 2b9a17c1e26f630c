//! The rarer steps: counted loops, look-arounds, atomic groups, `(?~…)`.

use super::frames::Frame;
use super::{BEFORE, Machine, NOWHERE, StepFailed};
use crate::program::{Op, Pc, RepeatBounds};

impl Machine<'_, '_> {
    pub(super) fn rare_step(&mut self, op: &Op, next: Pc) -> Result<Pc, StepFailed> {
        match *op {
            Op::Backref(ref backref) => self.backref(backref)?,
            Op::RepeatStart { register, repeat, exit } => {
                return Ok(self.repeat_start(register, repeat, exit, next));
            }
            Op::RepeatEnd { register, repeat, body } => {
                return Ok(self.repeat_end(register, repeat, body, next));
            }
            Op::RoundStart { register } => {
                self.set_register(register, self.at as u32);
                self.set_register(register + 1, self.stack.len() as u32);
            }
            Op::RoundEnd { register, minds_captures, exit } => {
                return self.round_end(register, minds_captures, exit, next);
            }
            Op::Keep => {
                self.stack.push(Frame::Keep { before: self.keep });
                self.keep = self.at as u32;
            }
            Op::Mark => self.stack.push(Frame::Mark { at: self.at as u32 }),
            Op::Commit => {
                self.commit();
            }
            Op::CommitAndReturn => self.at = self.commit() as usize,
            Op::NotStart(exit) => self.stack.push(Frame::Not { pc: exit, at: self.at as u32 }),
            Op::NotEnd => {
                self.unwind(|frame| matches!(frame, Frame::Not { .. }));
                return Err(StepFailed);
            }
            Op::Back(n_characters) => {
                self.at = self.stepped_back(n_characters).ok_or(StepFailed)?
            }
            Op::NotBehindStart { n_characters, exit } => {
                let Some(at) = self.stepped_back(n_characters) else { return Ok(exit) };
                self.stack.push(Frame::Not { pc: exit, at: self.at as u32 });
                self.at = at;
            }
            Op::AbsentStart => {
                let (start, limit) = (self.at as u32, self.limit as u32);
                self.stack.push(Frame::AbsentPoint { start, limit });
            }
            Op::AbsentNext { exit } => return self.absent_next(exit, next),
            Op::AbsentEnd => return self.absent_end(),
            Op::Call(target) => {
                self.call(next);
                return Ok(target);
            }
            Op::Return => return Ok(self.return_()),
            Op::Condition { group, otherwise } => {
                let (start, end) = self.slots[group as usize];
                if start == NOWHERE || end == NOWHERE {
                    return Ok(otherwise);
                }
            }
            Op::Match
            | Op::Byte(_)
            | Op::Bytes(_)
            | Op::Folded(_)
            | Op::One(_)
            | Op::Loop(_)
            | Op::Assert(_)
            | Op::Jump(_)
            | Op::Push(_)
            | Op::PushIf { .. }
            | Op::SaveStart { .. }
            | Op::SaveEnd(_) => unreachable!("these are no rare steps"),
        }
        Ok(next)
    }

    fn repeat_start(&mut self, register: u32, repeat: RepeatBounds, exit: Pc, body: Pc) -> Pc {
        self.set_register(register, 0);
        if repeat.lower > 0 {
            return body;
        }
        if repeat.is_greedy {
            self.push_place(exit);
            body
        } else {
            self.push_place(body);
            exit
        }
    }

    fn repeat_end(&mut self, register: u32, repeat: RepeatBounds, body: Pc, exit: Pc) -> Pc {
        let count = self.registers[register as usize].saturating_add(1);
        self.n_steps += 1;
        self.set_register(register, count);
        if count >= repeat.upper {
            return exit;
        }
        if count < repeat.lower {
            return body;
        }
        let (first, second) = if repeat.is_greedy { (body, exit) } else { (exit, body) };
        self.push_place(second);
        first
    }

    fn round_end(
        &mut self,
        register: u32,
        minds_captures: bool,
        exit: Pc,
        next: Pc,
    ) -> Result<Pc, StepFailed> {
        self.n_steps += 1;
        if self.registers[register as usize] as usize != self.at {
            return Ok(next);
        }
        if !minds_captures {
            return Ok(exit);
        }
        let first = self.registers[register as usize + 1] as usize;
        self.n_steps += self.stack.len().saturating_sub(first) as u64;
        let mut has_moved = false;
        for frame in self.stack.iter().skip(first) {
            if let Frame::Start { before: (start, end), .. } = *frame {
                // The round has set a group that was not set, or that was not empty.
                if end == NOWHERE || start != end {
                    return Ok(next);
                }
                has_moved |= end as usize != self.at;
            }
        }
        if has_moved { Err(StepFailed) } else { Ok(exit) }
    }

    fn stepped_back(&self, n_characters: u32) -> Option<usize> {
        let mut at = self.at;
        for _ in 0..n_characters {
            at = self.before(at)?;
        }
        Some(at)
    }

    /// Takes one more character for `(?~…)`, after testing whether its body matches here.
    fn absent_next(&mut self, exit: Pc, body: Pc) -> Result<Pc, StepFailed> {
        let end = self.limit;
        let Some(Frame::AbsentPoint { start, limit }) = self.stack.pop() else {
            unreachable!("the point is on top")
        };
        self.limit = limit as usize;
        let (start, at) = (start as usize, self.at);
        if (end == BEFORE || start > end) && at > start {
            // The body matches the empty text, so it is everywhere.
            self.back();
            return Err(StepFailed);
        }
        if at >= end && at > start {
            if at > end || at > self.limit {
                return Err(StepFailed);
            }
            return Ok(exit);
        }
        self.push_place(exit);
        self.stack.push(Frame::AbsentPoint { start: start as u32, limit });
        let after = self.text.get(at).map_or(at + 1, |&byte| at + super::one::length(byte));
        self.stack.push(Frame::Place { pc: body - 1, at: after as u32 });
        self.stack.push(Frame::Absent);
        self.limit = end;
        Ok(body)
    }

    /// Handles a match of the body of `(?~…)`: nothing from its last character on can be consumed.
    fn absent_end(&mut self) -> Result<Pc, StepFailed> {
        let previous = match self.mistaken_at as usize == self.at {
            true => Some(self.at),
            false => self.before(self.at),
        };
        match previous {
            Some(last) => self.limit = self.limit.min(last),
            None => self.limit = BEFORE,
        }
        self.unwind(|frame| matches!(frame, Frame::Absent));
        Err(StepFailed)
    }
}
