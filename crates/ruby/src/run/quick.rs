//! Fast path for the most frequent calls of templates, without method lookup.
//!
//! It behaves like the methods of these names, and is not taken for names that the code has defined in Ruby's own classes.

use std::rc::Rc;

use super::eval::local;
use super::{Args, Eval, Frame, Run};
use crate::read::tree::{Call, Kind, Node, Slot};
use crate::value::{RubyValue, Str, TextKey};

impl Run<'_> {
    /// Evaluates a call with a receiver, at most one argument and no block; `None` if it is not one of the fast path.
    pub(super) fn quick(&mut self, recv: &RubyValue, call: &Call) -> Eval<Option<RubyValue>> {
        if self.vm.process.is_reopened(&call.name) {
            return Ok(None);
        }
        match (&call.args[..], call.name.as_str(), recv) {
            // A literal key needs no string.
            ([Node { kind: Kind::Str { text, .. }, .. }], "[]", RubyValue::Hash(map)) => {
                self.step()?;
                let value = map.entries.borrow().get(&TextKey(text)).cloned();
                let has_block = map.default_proc.borrow().is_some();
                Ok(value.or_else(|| (!has_block).then(|| map.default.borrow().clone())))
            }
            ([], name, recv) => Ok(quick_without_arguments(recv, name)),
            _ => Ok(None),
        }
    }

    /// Returns true for `Puppet.debug("…")` if debug messages are not logged, and building the text runs no code of the
    /// file.
    pub(super) fn is_unheard(&self, recv: &RubyValue, text: &Node, frame: &Rc<Frame>) -> bool {
        let is_puppet = matches!(recv, RubyValue::Class(class) if *class.name.borrow() == "Puppet"
            && !class.own_methods.borrow().contains_key("debug"));
        if !is_puppet || self.host.hears_debug() || self.vm.process.is_reopened("to_s") {
            return false;
        }
        let Kind::DStr(parts) = &text.kind else { return matches!(text.kind, Kind::Str { .. }) };
        parts.iter().all(|part| match &part.kind {
            Kind::Str { .. } => true,
            Kind::Local(slot) => matches!(
                local(frame, *slot),
                RubyValue::Nil
                    | RubyValue::Bool(_)
                    | RubyValue::Int(_)
                    | RubyValue::Sym(_)
                    | RubyValue::Str(_)
                    | RubyValue::Regexp(_)
            ),
            _ => false,
        })
    }

    /// Evaluates `text << …`; `None` if the variable has no string, or the argument is not one of the fast path.
    pub(super) fn quick_append(
        &mut self,
        variable: Slot,
        call: &Call,
        line: u32,
        frame: &Rc<Frame>,
    ) -> Eval<Option<RubyValue>> {
        if ["<<", "to_s", "freeze"].iter().any(|name| self.vm.process.is_reopened(name)) {
            return Ok(None);
        }
        match (&call.args[..], local(frame, variable)) {
            ([arg], RubyValue::Str(text)) if !text.frozen.get() => {
                let is_done = self.append(&text, arg, line, frame)?;
                Ok(is_done.then_some(RubyValue::Str(text)))
            }
            _ => Ok(None),
        }
    }

    /// Appends for `text << "literal"` and `text << (value).to_s`; returns false for any other argument.
    fn append(&mut self, text: &Rc<Str>, arg: &Node, line: u32, frame: &Rc<Frame>) -> Eval<bool> {
        let Kind::Call(call) = &arg.kind else { return Ok(false) };
        let Some(recv) = call.recv.as_ref().filter(|_| call.args.is_empty() && !call.safe) else {
            return Ok(false);
        };
        match (call.name.as_str(), &recv.kind) {
            ("freeze", Kind::Str { text: literal, .. }) => {
                self.step()?;
                self.push(text, literal)?;
                Ok(true)
            }
            ("to_s", _) if call.block.is_none() => {
                let value = self.eval(recv, frame)?;
                let shown = match quick_without_arguments(&value, "to_s") {
                    Some(shown) => shown,
                    None => {
                        self.vm.line = arg.line;
                        self.send(&value, "to_s", Args::new(&[]), frame)?
                    }
                };
                self.vm.line = line;
                let RubyValue::Str(shown) = shown else {
                    let recv = RubyValue::Str(Rc::clone(text));
                    self.send(&recv, "<<", Args::new(&[shown]), frame)?;
                    return Ok(true);
                };
                // A string that is appended to itself can't be borrowed twice.
                match Rc::ptr_eq(text, &shown) {
                    true => {
                        let copy = shown.text.borrow().clone();
                        self.push(text, &copy)?;
                    }
                    false => self.push(text, &shown.text.borrow())?,
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Appends to a string and counts the memory.
    #[inline]
    fn push(&mut self, text: &Str, more: &str) -> Eval<()> {
        self.charge(more.len())?;
        text.text.borrow_mut().push_str(more);
        Ok(())
    }
}

/// Evaluates a call with one argument; `None` if it is not one of the fast path.
pub(super) fn quick_with_argument(
    recv: &RubyValue,
    name: &str,
    arg: &RubyValue,
) -> Option<RubyValue> {
    let is_equal = match (recv, arg) {
        (RubyValue::Str(a), RubyValue::Str(b)) => *a.text.borrow() == *b.text.borrow(),
        (RubyValue::Sym(a), RubyValue::Sym(b)) => a == b,
        (RubyValue::Int(a), RubyValue::Int(b)) => a == b,
        (RubyValue::Bool(a), RubyValue::Bool(b)) => a == b,
        (RubyValue::Nil, RubyValue::Nil) => true,
        (
            RubyValue::Str(_) | RubyValue::Sym(_) | RubyValue::Bool(_) | RubyValue::Nil,
            RubyValue::Sym(_) | RubyValue::Bool(_) | RubyValue::Nil | RubyValue::Int(_),
        ) => false,
        _ => return None,
    };
    match name {
        "==" => Some(RubyValue::Bool(is_equal)),
        "!=" => Some(RubyValue::Bool(!is_equal)),
        _ => None,
    }
}

fn quick_without_arguments(recv: &RubyValue, name: &str) -> Option<RubyValue> {
    Some(match (name, recv) {
        ("to_s", RubyValue::Str(_)) => recv.clone(),
        ("to_s", RubyValue::Int(number)) => RubyValue::str(number.to_string()),
        ("!", recv) if !matches!(recv, RubyValue::Object(_)) => RubyValue::Bool(!recv.truthy()),
        ("nil?", recv) if !matches!(recv, RubyValue::Object(_)) => {
            RubyValue::Bool(matches!(recv, RubyValue::Nil))
        }
        ("empty?", RubyValue::Str(text)) => RubyValue::Bool(text.text.borrow().is_empty()),
        ("empty?", RubyValue::Array(list)) => RubyValue::Bool(list.items.borrow().is_empty()),
        ("empty?", RubyValue::Hash(map)) => RubyValue::Bool(map.entries.borrow().is_empty()),
        _ => return None,
    })
}
