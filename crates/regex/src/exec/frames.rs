//! The stack of the machine: backtracking points, and changes to undo on the way.

use super::Machine;
use crate::program::{Op, Pc};

/// An entry of the stack. Offsets are 32 bits wide, to keep it small.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// Resume at `pc`.
    Place { pc: Pc, at: u32 },
    /// Give back one character of a loop and resume behind the loop, if any is left from `first` on.
    GiveBack { pc: Pc, first: u32, at: u32 },
    /// Take one character more in the loop before `pc`, at most `n_left` times.
    TakeMore { pc: Pc, at: u32, n_left: u32 },
    /// `(?!…)` has begun here; if its body does not match, resume at `pc`.
    Not { pc: Pc, at: u32 },
    /// `(?>…)` or `(?=…)` has begun here.
    Mark { at: u32 },
    /// A group was entered at `at`; its start before.
    Start { group: u32, at: u32, before: (u32, u32) },
    /// A group was left at `at`; its end before.
    End { group: u32, at: u32, before: (u32, u32) },
    /// A group was left whose end is not undone.
    EndMark { group: u32 },
    /// The previous value of a register.
    Register { register: u32, before: u32 },
    /// The start of the match before `\K`.
    Keep { before: u32 },
    /// The previous value of `mistaken_at`.
    Mistaken { before: u32 },
    /// A group was called; the previous call.
    Call { before: u32 },
    /// A call has returned to the previous one.
    Return { before: u32 },
    /// The point that `(?~…)` has started from, and the end of what could be consumed.
    AbsentPoint { start: u32, limit: u32 },
    /// The body of `(?~…)` is tried from here.
    Absent,
}

/// A call in progress.
#[derive(Clone, Debug)]
pub(super) struct ActiveCall {
    pub(super) return_to: Pc,
    pub(super) parent: u32,
    /// The caller's registers.
    pub(super) registers: Vec<u32>,
}

impl Machine<'_, '_> {
    /// Backtracks to the last point with an alternative.
    #[inline]
    pub(super) fn back(&mut self) -> Option<Pc> {
        loop {
            match self.stack.pop()? {
                Frame::Place { pc, at } | Frame::Not { pc, at } => {
                    self.at = at as usize;
                    return Some(pc);
                }
                Frame::GiveBack { pc, first, at } => {
                    if let Some(at) = self.give_back(pc, first as usize, at as usize) {
                        self.at = at;
                        return Some(pc);
                    }
                }
                Frame::TakeMore { pc, at, n_left } => {
                    if self.take_more(pc, at as usize, n_left) {
                        return Some(pc);
                    }
                }
                frame => self.undo(frame),
            }
        }
    }

    /// Returns the offset before `at` where the steps behind the loop are tried next.
    fn give_back(&mut self, pc: Pc, first: usize, at: usize) -> Option<usize> {
        let Op::Loop(single) = &self.program.ops[pc as usize - 1] else { return None };
        let at = match single.next {
            Some(byte) => first + memchr::memrchr(byte, &self.text[first..at])?,
            None => self.before(at).filter(|&before| before >= first)?,
        };
        if at > first {
            self.stack.push(Frame::GiveBack { pc, first: first as u32, at: at as u32 });
        }
        Some(at)
    }

    /// Takes one character more; false if there is none.
    fn take_more(&mut self, pc: Pc, at: usize, n_left: u32) -> bool {
        let Op::Loop(single) = &self.program.ops[pc as usize - 1] else { return false };
        let Some(after) = self.one(single.one, at) else { return false };
        self.at = after;
        if n_left > 1 {
            let n_left = if n_left == u32::MAX { n_left } else { n_left - 1 };
            self.stack.push(Frame::TakeMore { pc, at: after as u32, n_left });
        }
        true
    }

    /// Undoes the change of a frame; backtracking points are dropped.
    pub(super) fn undo(&mut self, frame: Frame) {
        match frame {
            Frame::Start { group, before, .. } | Frame::End { group, before, .. } => {
                self.slots[group as usize] = before;
            }
            Frame::Register { register, before } => self.registers[register as usize] = before,
            Frame::Keep { before } => self.keep = before,
            Frame::Mistaken { before } => self.mistaken_at = before,
            Frame::Call { before } => {
                self.call = before;
                self.calls.pop();
            }
            Frame::Return { before } => self.call = before,
            Frame::Place { .. }
            | Frame::GiveBack { .. }
            | Frame::TakeMore { .. }
            | Frame::Not { .. }
            | Frame::Mark { .. }
            | Frame::EndMark { .. }
            | Frame::AbsentPoint { .. }
            | Frame::Absent => {}
        }
    }

    /// Drops the backtracking points since the last mark, and returns the offset of the mark.
    pub(super) fn commit(&mut self) -> u32 {
        let is_mark = |frame: &Frame| matches!(frame, Frame::Mark { .. });
        let mark = self.stack.iter().rposition(is_mark).expect("a mark was set");
        let Frame::Mark { at } = self.stack[mark] else { unreachable!("it is a mark") };
        self.n_steps += (self.stack.len() - mark) as u64;
        let mut end = mark;
        for index in mark + 1..self.stack.len() {
            if !self.stack[index].is_place() {
                self.stack[end] = self.stack[index];
                end += 1;
            }
        }
        self.stack.truncate(end);
        at
    }

    /// Unwinds the stack to before the last frame that `is_wanted`, undoing all changes since.
    pub(super) fn unwind(&mut self, is_wanted: impl Fn(&Frame) -> bool) {
        while let Some(frame) = self.stack.pop() {
            if is_wanted(&frame) {
                return;
            }
            self.undo(frame);
        }
    }
}

impl Frame {
    /// Returns true for a backtracking point.
    fn is_place(&self) -> bool {
        matches!(
            self,
            Self::Place { .. } | Self::GiveBack { .. } | Self::TakeMore { .. } | Self::Not { .. }
        )
    }
}
