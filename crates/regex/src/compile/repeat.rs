//! Quantifiers.

use super::Compiler;
use crate::parse::tree::{GroupKind, Node, NodeId, Repeat};
use crate::program::{self, Loop, Op};
use crate::unicode;

/// The size, in bytes of Ruby's code, up to which Ruby unrolls a repeated part.
///
/// Ruby does not check whether an unrolled part consumes nothing, which is observable in its groups.
const MAX_UNROLLED: u64 = 50;

/// The length up to which Ruby unrolls a repeated text into one, in bytes.
const MAX_TEXT: u64 = 100;

/// The size of the jump before each optional copy, in bytes of Ruby's code.
const SIZE_OF_PUSH: u64 = 5;

impl Compiler<'_, '_> {
    pub(super) fn repeat(&mut self, repeat: Repeat) -> Option<()> {
        if repeat.is_never() {
            return self.never(repeat.body);
        }
        if let Some(rest) = self.folded_text(repeat)? {
            return if rest.is_never() { Some(()) } else { self.repeat(rest) };
        }
        if let Some(one) = self.one(repeat.body) {
            let repeat = bounds(&repeat);
            let single = Loop { one, repeat, is_possessive: false, next: None };
            return self.emit(Op::Loop(single)).map(drop);
        }
        let size = self.sizes.sizes[repeat.body];
        match repeat.upper {
            None if repeat.lower <= 1 || size.saturating_mul(repeat.lower) <= MAX_UNROLLED => {
                self.endless(repeat, size)
            }
            Some(upper)
                if repeat.is_greedy
                    && (upper == 1
                        || (size + SIZE_OF_PUSH).saturating_mul(upper) <= MAX_UNROLLED) =>
            {
                self.unrolled(repeat, upper)
            }
            Some(1) if repeat.lower == 0 => self.lazy_option(repeat.body),
            _ => self.counted(repeat),
        }
    }

    /// Emits `s{2,}` as `sss*`, if case is ignored: two of them can match `ß`. Returns the repetition that is left.
    fn folded_text(&mut self, repeat: Repeat) -> Option<Option<Repeat>> {
        let Node::Text { text, ignores_case: true } = &self.tree.nodes[repeat.body] else {
            return Some(None);
        };
        let is_one_for_one = |character| unicode::folded(character).as_slice().len() == 1;
        if repeat.lower < 2 || text.is_empty() || !text.chars().all(is_one_for_one) {
            return Some(None);
        }
        let n_copies = (MAX_TEXT / text.len() as u64).clamp(1, repeat.lower);
        let copies = text.repeat(usize::try_from(n_copies).ok()?);
        self.text(&copies, true)?;
        let (lower, upper) = (repeat.lower - n_copies, repeat.upper.map(|upper| upper - n_copies));
        Some(Some(Repeat { lower, upper, ..repeat }))
    }

    /// Emits `(?<n>a){0}`: the group may be called nevertheless.
    fn never(&mut self, body: NodeId) -> Option<()> {
        if self.tree.n_calls == 0 {
            return Some(());
        }
        let jump = self.emit(Op::Jump(0))?;
        self.node(body)?;
        self.land(jump);
        Some(())
    }

    /// Emits `(?>a*)`, if that is a loop over a single character; false if it is not.
    pub(super) fn possessive_loop(&mut self, body: NodeId) -> Option<bool> {
        let Node::Repeat(repeat) = self.tree.nodes[body] else { return Some(false) };
        if repeat.is_never() || !repeat.is_greedy {
            return Some(false);
        }
        let Some(one) = self.one(repeat.body) else { return Some(false) };
        let repeat = bounds(&repeat);
        self.emit(Op::Loop(Loop { one, repeat, is_possessive: true, next: None }))?;
        Some(true)
    }

    fn endless(&mut self, repeat: Repeat, size: u64) -> Option<()> {
        let enters_first = repeat.lower == 1 && size > MAX_UNROLLED;
        if !enters_first {
            (0..repeat.lower).try_for_each(|_| self.node(repeat.body))?;
        }
        if repeat.is_greedy {
            self.greedy(repeat.body, enters_first)
        } else {
            self.lazy(repeat.body, enters_first)
        }
    }

    fn greedy(&mut self, body: NodeId, enters_first: bool) -> Option<()> {
        let enter = if enters_first { Some(self.emit(Op::Jump(0))?) } else { None };
        let again = self.here();
        let push = self.emit(Op::Push(0))?;
        if let Some(enter) = enter {
            self.land(enter);
        }
        let round = self.round(body)?;
        self.emit(Op::Jump(again))?;
        self.leave(push, round);
        Some(())
    }

    fn lazy(&mut self, body: NodeId, enters_first: bool) -> Option<()> {
        let skip = if enters_first { None } else { Some(self.emit(Op::Jump(0))?) };
        let again = self.here();
        let round = self.round(body)?;
        if let Some(skip) = skip {
            self.land(skip);
        }
        self.emit(Op::Push(again))?;
        if let Some(round) = round {
            self.land(round);
        }
        Some(())
    }

    fn leave(&mut self, push: usize, round: Option<usize>) {
        self.land(push);
        if let Some(round) = round {
            self.land(round);
        }
    }

    /// Emits the body, checked for progress if it may consume nothing; returns the address of the end of the check.
    fn round(&mut self, body: NodeId) -> Option<Option<usize>> {
        if self.sizes.consumes[body] {
            self.node(body)?;
            return Some(None);
        }
        let minds_captures = self.has_captures(body);
        let register = self.register(2);
        self.emit(Op::RoundStart { register })?;
        self.node(body)?;
        Some(Some(self.emit(Op::RoundEnd { register, minds_captures, exit: 0 })?))
    }

    /// Returns true if there is a group in `id`, outside of look-arounds.
    fn has_captures(&self, id: NodeId) -> bool {
        let mut pending = vec![id];
        let mut is_seen = vec![false; self.tree.nodes.len()];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut is_seen[id], true) {
                continue;
            }
            match &self.tree.nodes[id] {
                Node::Group { kind: GroupKind::Capture { .. }, .. } => return true,
                Node::Call(call) if call.is_recursive => return true,
                Node::Call(call) => pending.push(call.target),
                Node::Repeat(repeat) if repeat.is_never() => {}
                Node::Look { .. } => {}
                node => pending.extend(node.children()),
            }
        }
        false
    }

    /// Emits `a{2,3}` as `aa(?:a)?`.
    fn unrolled(&mut self, repeat: Repeat, upper: u64) -> Option<()> {
        (0..repeat.lower).try_for_each(|_| self.node(repeat.body))?;
        let mut pushes = Vec::new();
        for _ in repeat.lower..upper {
            pushes.push(self.emit(Op::Push(0))?);
            self.node(repeat.body)?;
        }
        for push in pushes {
            self.land(push);
        }
        Some(())
    }

    /// Emits `a??`.
    fn lazy_option(&mut self, body: NodeId) -> Option<()> {
        let here = self.here();
        self.emit(Op::Push(here + 2))?;
        let jump = self.emit(Op::Jump(0))?;
        self.node(body)?;
        self.land(jump);
        Some(())
    }

    fn counted(&mut self, repeat: Repeat) -> Option<()> {
        let register = self.register(1);
        let limits = bounds(&repeat);
        let start = self.emit(Op::RepeatStart { register, repeat: limits, exit: 0 })?;
        let body = self.here();
        let round = self.round(repeat.body)?;
        self.emit(Op::RepeatEnd { register, repeat: limits, body })?;
        self.leave(start, round);
        Some(())
    }
}

fn bounds(repeat: &Repeat) -> program::RepeatBounds {
    let limit = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    program::RepeatBounds {
        lower: limit(repeat.lower),
        upper: repeat.upper.map_or(u32::MAX, limit),
        is_greedy: repeat.is_greedy,
    }
}
