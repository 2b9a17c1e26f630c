//! The machine that runs a program on a text.
//!
//! It goes on until a step fails, then backtracks to the last point with an alternative. The changes to undo lie on the same
//! stack as these points ([`frames`]), in Ruby's order, since a few steps inspect the stack.
//!
//! Invariant: `at` is a character border of the text.

mod captures;
mod frames;
mod one;
mod steps;

pub(crate) use one::length;

use crate::LimitError;
use crate::program::{Assert, Op, Pc, Program};
use frames::{ActiveCall, Frame};
use kukla_base::cancel;
use smallvec::{SmallVec, smallvec};

/// Start and end of a match and of its groups; up to four without an allocation.
pub(crate) type Slots = SmallVec<[(u32, u32); 4]>;

/// The offset of groups that have not matched.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The limit when the body of `(?~…)` matches the empty text at the start.
pub(crate) const BEFORE: usize = usize::MAX;

/// The maximum number of steps: backtracks, rounds of loops and inspected frames.
const MAX_STEPS: u64 = 20_000_000;
/// The number of steps between two checks for cancellation: about a millisecond.
const STEPS_BETWEEN: u64 = 16 * cancel::STEPS_BETWEEN;

/// The maximum number of frames on the stack.
const MAX_FRAMES: usize = 4_000_000;

/// The machine, bound to one text.
#[derive(Debug)]
pub(crate) struct Machine<'p, 't> {
    program: &'p Program,
    text: &'t [u8],
    /// The start of the search, for `\G`.
    search_start: usize,
    /// The end of what may be consumed: the end of the text, except in `(?~…)`.
    limit: usize,
    at: usize,
    /// The start of the match, if `\K` set it.
    keep: u32,
    /// An offset that Ruby takes for the one before it; see `go_to`.
    mistaken_at: u32,
    /// Start and end of all groups.
    slots: Slots,
    registers: Vec<u32>,
    /// Most matches need no more than these 32 frames, hence no allocation.
    stack: SmallVec<[Frame; 32]>,
    calls: Vec<ActiveCall>,
    /// The index of the innermost active call in `calls`, plus one.
    call: u32,
    n_steps: u64,
    /// The number of steps at which limits and cancellation are checked next.
    pause_at: u64,
}

/// The failure of a step.
struct StepFailed;

impl<'p, 't> Machine<'p, 't> {
    /// Invariant: the text is shorter than [`NOWHERE`].
    #[inline]
    pub(crate) fn new(program: &'p Program, text: &'t str, search_start: usize) -> Self {
        Self {
            program,
            text: text.as_bytes(),
            search_start,
            limit: text.len(),
            at: 0,
            keep: NOWHERE,
            mistaken_at: NOWHERE,
            slots: smallvec![(NOWHERE, NOWHERE); program.n_groups + 1],
            registers: vec![NOWHERE; program.n_registers],
            stack: SmallVec::new(),
            calls: Vec::new(),
            call: 0,
            n_steps: 0,
            pause_at: STEPS_BETWEEN,
        }
    }

    /// Checks the limit of steps and cancellation, once in many steps.
    #[cold]
    fn pause(&mut self) -> Result<(), LimitError> {
        if self.n_steps > MAX_STEPS {
            return Err(LimitError::Steps);
        }
        if let Some(reason) = cancel::requested() {
            return Err(LimitError::Cancelled(reason));
        }
        self.pause_at = MAX_STEPS.min(self.n_steps + STEPS_BETWEEN);
        Ok(())
    }

    /// Returns true if a match starts at `start`.
    pub(crate) fn matches_at(&mut self, start: usize) -> Result<bool, LimitError> {
        self.reset(start);
        let program = self.program;
        let mut pc = 0;
        loop {
            pc = match self.step(&program.ops[pc as usize], pc) {
                Ok(Some(next)) => next,
                Ok(None) => {
                    self.finish(start);
                    return Ok(true);
                }
                Err(StepFailed) => {
                    self.n_steps += 1;
                    match self.back() {
                        Some(next) => next,
                        None => return Ok(false),
                    }
                }
            };
            if self.n_steps > self.pause_at {
                self.pause()?;
            }
            if self.stack.len() > MAX_FRAMES {
                return Err(LimitError::Stack);
            }
        }
    }

    /// Start and end of the match and of its groups, after [`Self::matches_at`].
    pub(crate) fn take_slots(&mut self) -> Slots {
        std::mem::take(&mut self.slots)
    }

    fn reset(&mut self, start: usize) {
        self.at = start;
        self.limit = self.text.len();
        self.keep = NOWHERE;
        self.mistaken_at = NOWHERE;
        self.slots.fill((NOWHERE, NOWHERE));
        self.stack.clear();
        self.calls.clear();
        self.call = 0;
    }

    fn finish(&mut self, start: usize) {
        let end = self.at as u32;
        let start = if self.keep == NOWHERE { start as u32 } else { self.keep.min(end) };
        for slot in &mut self.slots {
            if slot.1 == NOWHERE {
                *slot = (NOWHERE, NOWHERE);
            }
        }
        self.slots[0] = (start, end);
    }

    /// Runs a step and returns the address of the next; `None` if the match is complete.
    #[inline]
    fn step(&mut self, op: &'p Op, pc: Pc) -> Result<Option<Pc>, StepFailed> {
        let next = pc + 1;
        Ok(Some(match op {
            Op::Match => return Ok(None),
            Op::Byte(byte) => {
                if self.peek() != Some(*byte) {
                    return Err(StepFailed);
                }
                self.at += 1;
                next
            }
            Op::Bytes(bytes) => {
                if !self.text[self.at..self.limit.max(self.at)].starts_with(bytes) {
                    return Err(StepFailed);
                }
                self.at += bytes.len();
                next
            }
            Op::Folded(codes) => {
                self.folded(codes)?;
                next
            }
            Op::One(one) => {
                self.at = self.one(*one, self.at).ok_or(StepFailed)?;
                next
            }
            Op::Loop(single) => {
                self.single_loop(single, next)?;
                next
            }
            Op::Assert(assert) => {
                if !self.holds(*assert) {
                    return Err(StepFailed);
                }
                next
            }
            Op::Jump(target) => *target,
            Op::Push(target) => {
                self.push_place(*target);
                next
            }
            Op::PushIf { byte, otherwise } => {
                if self.peek() == Some(*byte) {
                    self.push_place(*otherwise);
                    next
                } else {
                    *otherwise
                }
            }
            Op::SaveStart { group, is_pushed } => {
                self.save_start(*group, *is_pushed);
                next
            }
            Op::SaveEnd(save) => {
                self.save_end(save);
                next
            }
            op => return self.rare_step(op, next).map(Some),
        }))
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        if self.at < self.limit { self.text.get(self.at).copied() } else { None }
    }

    fn push_place(&mut self, pc: Pc) {
        self.stack.push(Frame::Place { pc, at: self.at as u32 });
    }

    /// Returns the offset of the character before `at`, as Ruby sees it.
    fn previous(&self, at: usize) -> Option<usize> {
        if self.mistaken_at as usize == at && at > 0 {
            return (at < self.text.len()).then_some(at);
        }
        self.before(at)
    }

    fn holds(&self, assert: Assert) -> bool {
        let (at, text) = (self.at, self.text);
        match assert {
            Assert::TextStart => at == 0,
            Assert::TextEnd => at == text.len(),
            Assert::LastLineEnd => at == text.len() || text[at..] == *b"\n",
            // Ruby sees no line behind the last line feed.
            Assert::LineStart => {
                let is_newline = |at| text[at] == b'\n';
                at == 0 || (at < text.len() && self.previous(at).is_some_and(is_newline))
            }
            Assert::LineEnd => at == text.len() || text[at] == b'\n',
            Assert::SearchStart => at == self.search_start,
            Assert::WordBoundary { is_negated, is_ascii } => {
                let before = self.previous(at).is_some_and(|at| self.is_word(at, is_ascii));
                let after = at < text.len() && self.is_word(at, is_ascii);
                (before != after) != is_negated
            }
        }
    }
}
