//! Groups: their starts and ends, references to them, calls of them.

use super::frames::{ActiveCall, Frame};
use super::one::length;
use super::{Machine, NOWHERE, StepFailed};
use crate::program::{BackrefStep, Pc, SaveEnd};
use crate::unicode;

impl Machine<'_, '_> {
    #[inline]
    pub(super) fn save_start(&mut self, group: u32, is_pushed: bool) {
        let at = self.at as u32;
        let slot = &mut self.slots[group as usize];
        let before = std::mem::replace(slot, (at, NOWHERE));
        if is_pushed {
            self.stack.push(Frame::Start { group, at, before });
        }
    }

    #[inline]
    pub(super) fn save_end(&mut self, save: &SaveEnd) {
        let SaveEnd { group, is_pushed, is_recursive } = *save;
        let at = self.at as u32;
        let start = is_recursive.then(|| self.own_start(group)).flatten();
        let slot = &mut self.slots[group as usize];
        let before = *slot;
        slot.1 = at;
        if is_pushed {
            self.stack.push(Frame::End { group, at, before });
        } else if is_recursive {
            self.stack.push(Frame::EndMark { group });
        }
        if let Some(start) = start {
            self.slots[group as usize].0 = start;
        }
    }

    /// Returns the offset at which the group that ends now was entered; it may have been entered again since.
    fn own_start(&mut self, group: u32) -> Option<u32> {
        let mut depth = 0;
        for frame in self.stack.iter().rev() {
            self.n_steps += 1;
            match *frame {
                Frame::End { group: ended, .. } | Frame::EndMark { group: ended }
                    if ended == group =>
                {
                    depth += 1;
                }
                Frame::Start { group: started, at, .. } if started == group => {
                    if depth == 0 {
                        return Some(at);
                    }
                    depth -= 1;
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn backref(&mut self, backref: &BackrefStep) -> Result<(), StepFailed> {
        if let Some(level) = backref.level {
            return self.backref_at_level(backref, level);
        }
        for &group in &backref.groups {
            let (start, end) = self.slots[group as usize];
            if start == NOWHERE || end == NOWHERE {
                continue;
            }
            // Ruby fails for all groups if the text is too short for one.
            if self.at + (end.saturating_sub(start)) as usize > self.limit {
                return Err(StepFailed);
            }
            if let Some(at) = self.again(start, end, backref.ignores_case) {
                self.go_to(at);
                return Ok(());
            }
        }
        Err(StepFailed)
    }

    /// Moves behind the text of a back-reference.
    ///
    /// If that text is empty, Ruby mistakes the current character for the previous one.
    fn go_to(&mut self, at: usize) {
        if at == self.at {
            self.stack.push(Frame::Mistaken { before: self.mistaken_at });
            self.mistaken_at = at as u32;
        }
        self.at = at;
    }

    /// Returns the offset behind the text from `start` to `end`, if that text is next.
    fn again(&self, start: u32, end: u32, ignores_case: bool) -> Option<usize> {
        let (start, end) = (start as usize, end as usize);
        if ignores_case {
            return self.again_folded(start, end);
        }
        let referred = self.text.get(start..end).unwrap_or_default();
        self.text[self.at..].starts_with(referred).then_some(self.at + referred.len())
    }

    fn again_folded(&self, start: usize, end: usize) -> Option<usize> {
        let (mut from, mut at) = (start, self.at);
        while from < end {
            if at >= self.text.len() {
                return None;
            }
            let (a, b) = (self.character(from), self.character(at));
            if unicode::folded(a) != unicode::folded(b) {
                return None;
            }
            from += length(self.text[from]);
            at += length(self.text[at]);
        }
        Some(at)
    }

    /// Matches `\k<name+1>`: the group as it was that many calls further out.
    fn backref_at_level(
        &mut self,
        backref: &BackrefStep,
        target_level: i64,
    ) -> Result<(), StepFailed> {
        let is_candidate = |group: &u32| backref.groups.contains(group);
        let (mut level, mut found_end) = (0, None);
        for index in (0..self.stack.len()).rev() {
            self.n_steps += 1;
            match self.stack[index] {
                Frame::Call { .. } => level -= 1,
                Frame::Return { .. } => level += 1,
                Frame::End { group, at, .. } if level == target_level && is_candidate(&group) => {
                    found_end = Some(at);
                }
                Frame::Start { group, at, .. } if level == target_level && is_candidate(&group) => {
                    let Some(end) = found_end else { continue };
                    if self.at + end.saturating_sub(at) as usize > self.text.len() {
                        return Err(StepFailed);
                    }
                    let after = self.again(at, end, backref.ignores_case).ok_or(StepFailed)?;
                    self.go_to(after);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(StepFailed)
    }

    pub(super) fn call(&mut self, return_to: Pc) {
        let registers = self.registers.clone();
        self.stack.push(Frame::Call { before: self.call });
        self.calls.push(ActiveCall { return_to, parent: self.call, registers });
        self.call = self.calls.len() as u32;
    }

    pub(super) fn return_(&mut self) -> Pc {
        let index = (self.call as usize).checked_sub(1).expect("only what was called returns");
        let ActiveCall { return_to, parent, .. } = self.calls[index];
        for register in 0..self.registers.len() {
            let outer = self.calls[index].registers[register];
            self.set_register(register as u32, outer);
        }
        self.stack.push(Frame::Return { before: self.call });
        self.call = parent;
        return_to
    }

    /// Sets a register, to be undone on backtracking.
    pub(super) fn set_register(&mut self, register: u32, value: u32) {
        let before = std::mem::replace(&mut self.registers[register as usize], value);
        if before != value {
            self.stack.push(Frame::Register { register, before });
        }
    }
}
