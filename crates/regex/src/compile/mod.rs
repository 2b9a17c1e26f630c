//! Compilation of a tree to a program.
//!
//! The steps are those of Ruby's engine as far as that is observable: the order of trial, the groups that are undone on
//! backtracking, the exit of a loop that consumes nothing.

mod groups;
mod optimize;
mod repeat;
mod size;

use crate::parse::class::Class;
use crate::parse::tree::{Anchor, GroupKind, LookKind, Node, NodeId, Reference, Tree};
use crate::parse::{Lengths, Varies};
use crate::program::{Assert, BackrefStep, CharSet, One, Op, Pc, Program, Start};
use crate::resolve::{ResolvedClass, alike_to, resolve};
use crate::set::Set;
use crate::unicode;
use groups::Groups;
use size::Sizes;

/// Compiles a tree; `None` if the program would be too big.
pub(crate) fn compile(tree: &Tree<'_>) -> Option<Program> {
    let mut compiler = Compiler {
        tree,
        lengths: Lengths::new(tree),
        groups: Groups::new(tree),
        sizes: Sizes { sizes: Vec::new(), consumes: Vec::new() },
        ops: Vec::new(),
        sets: Vec::new(),
        needs_words: false,
        n_registers: 0,
        n_behind: 0,
        addresses: vec![None; tree.nodes.len()],
        calls: Vec::new(),
    };
    if tree.nodes.iter().any(|node| matches!(node, Node::Repeat(_))) {
        compiler.measure();
    }
    compiler.node(tree.root)?;
    compiler.emit(Op::Match)?;
    compiler.link_calls();
    let words = compiler.needs_words.then(|| CharSet::new(&resolve(&Class::words()).set));
    let mut program = Program {
        ops: compiler.ops,
        sets: compiler.sets,
        words,
        n_groups: tree.n_groups(),
        n_registers: compiler.n_registers as usize,
        start: Start::Anywhere,
        needle: None,
        plain: None,
    };
    optimize::optimize(&mut program);
    Some(program)
}

/// The number of spellings of a text that Ruby lists one by one, before it compares the rest at once.
const MAX_WAYS: usize = 8;

/// The maximum number of steps of a program.
const MAX_OPS: usize = 1 << 22;

struct Compiler<'t, 'p> {
    tree: &'t Tree<'p>,
    lengths: Lengths<'t, 'p>,
    groups: Groups,
    sizes: Sizes,
    ops: Vec<Op>,
    sets: Vec<CharSet>,
    needs_words: bool,
    n_registers: u32,
    /// The number of enclosing look-behinds.
    n_behind: usize,
    /// The address of the body of each called group.
    addresses: Vec<Option<Pc>>,
    /// The calls, with their targets.
    calls: Vec<(usize, NodeId)>,
}

impl Compiler<'_, '_> {
    fn here(&self) -> Pc {
        Pc::try_from(self.ops.len()).expect("programs are bounded")
    }

    /// Emits a step and returns its address.
    fn emit(&mut self, op: Op) -> Option<usize> {
        if self.ops.len() >= MAX_OPS {
            return None;
        }
        self.ops.push(op);
        Some(self.ops.len() - 1)
    }

    /// Patches the jump at `at` to lead here.
    fn land(&mut self, at: usize) {
        let here = self.here();
        match &mut self.ops[at] {
            Op::Jump(target)
            | Op::Push(target)
            | Op::NotStart(target)
            | Op::RepeatStart { exit: target, .. }
            | Op::RoundEnd { exit: target, .. }
            | Op::NotBehindStart { exit: target, .. }
            | Op::AbsentNext { exit: target }
            | Op::Condition { otherwise: target, .. } => *target = here,
            op => unreachable!("{op:?} does not jump forward"),
        }
    }

    fn register(&mut self, n_registers: u32) -> u32 {
        let first = self.n_registers;
        self.n_registers += n_registers;
        first
    }

    fn node(&mut self, id: NodeId) -> Option<()> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.any_node(id))
    }

    fn any_node(&mut self, id: NodeId) -> Option<()> {
        let tree = self.tree;
        match &tree.nodes[id] {
            Node::Text { text, ignores_case } => self.text(text, *ignores_case),
            Node::Any { .. } | Node::Set(_) => self.one_node(id),
            Node::LineBreak => self.line_break(),
            Node::Cluster => self.cluster(),
            Node::Backref(reference) => self.backref(reference),
            Node::Call(call) => {
                let at = self.emit(Op::Call(0))?;
                self.calls.push((at, call.target));
                Some(())
            }
            Node::List(list) => list.iter().try_for_each(|&child| self.node(child)),
            Node::Alternatives(list) => {
                self.alternatives(list.len(), |c, index| c.node(list[index]))
            }
            Node::Repeat(repeat) => self.repeat(*repeat),
            Node::Group { kind, body } => self.group(id, *kind, *body),
            Node::Anchor(anchor) => self.anchor(*anchor),
            Node::Look { kind, body } => self.look(*kind, *body),
        }
    }

    fn text(&mut self, text: &str, ignores_case: bool) -> Option<()> {
        if text.is_empty() {
            return Some(());
        }
        if ignores_case && !text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic())
        {
            return self.folded(text);
        }
        self.emit(match text.as_bytes() {
            [byte] => Op::Byte(*byte),
            bytes => Op::Bytes(bytes.into()),
        })?;
        Some(())
    }

    /// Emits a text that is compared without case.
    ///
    /// Ruby compares it in pieces, which begin where a character has several spellings, so `ß` in the text can't be half of
    /// one piece and half of another.
    fn folded(&mut self, text: &str) -> Option<()> {
        let (mut begun, mut n_ways) = (0, 1);
        for (at, character) in text.char_indices() {
            let folded = unicode::folded(character);
            if folded.as_slice().len() == 1 {
                continue;
            }
            self.folded_piece(&text[begun..at])?;
            begun = at;
            n_ways *= 1 + unicode::n_unfolded(folded);
            if n_ways > MAX_WAYS {
                break;
            }
            begun += character.len_utf8();
            self.folded_piece(&text[at..begun])?;
        }
        self.folded_piece(&text[begun..])
    }

    fn folded_piece(&mut self, piece: &str) -> Option<()> {
        let mut characters = piece.chars();
        let Some(first) = characters.next() else { return Some(()) };
        if characters.next().is_none()
            && let Some(one) = self.character(first, true)
        {
            return self.emit(Op::One(one)).map(drop);
        }
        let mut codes = Vec::new();
        for character in piece.chars() {
            codes.extend_from_slice(unicode::folded(character).as_slice());
        }
        self.emit(Op::Folded(codes.into())).map(drop)
    }

    /// Returns a matcher of one character, in any case if that is ignored; `None` if a text of several characters can match it.
    fn character(&mut self, character: char, ignores_case: bool) -> Option<One> {
        if ignores_case && unicode::folded(character).as_slice().len() > 1 {
            return None;
        }
        let set = match ignores_case {
            true => alike_to(character),
            false => Set::from_sorted(vec![(u32::from(character), u32::from(character))]),
        };
        Some(match set.ranges() {
            &[(first, last)] if first == last && first < 0x80 => One::Byte(first as u8),
            _ => self.set(CharSet::new(&set)),
        })
    }

    fn set(&mut self, set: CharSet) -> One {
        let existing = self.sets.iter().position(|existing| *existing == set);
        let index = existing.unwrap_or(self.sets.len());
        if index == self.sets.len() {
            self.sets.push(set);
        }
        One::Set(u32::try_from(index).expect("sets are few"))
    }

    /// Returns the matcher of a node that matches exactly one character.
    fn one(&mut self, id: NodeId) -> Option<One> {
        let tree = self.tree;
        match &tree.nodes[id] {
            Node::Any { takes_newline: false } => Some(One::NotNewline),
            Node::Any { takes_newline: true } => Some(One::Any),
            Node::Set(class) => {
                let ResolvedClass { set, texts } = resolve(class);
                (texts.is_empty() || self.n_behind > 0).then(|| self.set(CharSet::new(&set)))
            }
            Node::Text { text, ignores_case } => {
                let mut characters = text.chars();
                let (Some(only), None) = (characters.next(), characters.next()) else {
                    return None;
                };
                self.character(only, *ignores_case)
            }
            _ => None,
        }
    }

    fn one_node(&mut self, id: NodeId) -> Option<()> {
        if let Some(one) = self.one(id) {
            self.emit(Op::One(one))?;
            return Some(());
        }
        let Node::Set(class) = &self.tree.nodes[id] else { return None };
        let ResolvedClass { set, texts } = resolve(class);
        self.alternatives(texts.len() + 1, |compiler, index| {
            match index.checked_sub(1) {
                None => {
                    let one = compiler.set(CharSet::new(&set));
                    compiler.emit(Op::One(one))?;
                }
                Some(index) => {
                    compiler.emit(Op::Folded(texts[index].clone().into()))?;
                }
            }
            Some(())
        })
    }

    /// Emits several alternatives, each made by `branch` with its index.
    fn alternatives(
        &mut self,
        n_branches: usize,
        branch: impl Fn(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        let mut jumps = Vec::new();
        for index in 0..n_branches - 1 {
            let push = self.emit(Op::Push(0))?;
            branch(self, index)?;
            jumps.push(self.emit(Op::Jump(0))?);
            self.land(push);
        }
        branch(self, n_branches - 1)?;
        for jump in jumps {
            self.land(jump);
        }
        Some(())
    }

    fn backref(&mut self, reference: &Reference) -> Option<()> {
        let numbers = self.tree.referred(&reference.to);
        let groups = numbers.iter().rev().filter_map(|&number| u32::try_from(number).ok());
        let &Reference { level, ignores_case, .. } = reference;
        self.emit(Op::Backref(Box::new(BackrefStep {
            groups: groups.collect(),
            level,
            ignores_case,
        })))?;
        Some(())
    }

    fn anchor(&mut self, anchor: Anchor) -> Option<()> {
        let assert = match anchor {
            Anchor::TextStart => Assert::TextStart,
            Anchor::TextEnd => Assert::TextEnd,
            Anchor::LastLineEnd => Assert::LastLineEnd,
            Anchor::LineStart => Assert::LineStart,
            Anchor::LineEnd => Assert::LineEnd,
            Anchor::SearchStart => Assert::SearchStart,
            Anchor::WordBoundary { is_negated, is_ascii } => {
                self.needs_words |= !is_ascii;
                Assert::WordBoundary { is_negated, is_ascii }
            }
            Anchor::Keep => return self.emit(Op::Keep).map(drop),
        };
        self.emit(Op::Assert(assert)).map(drop)
    }

    fn look(&mut self, kind: LookKind, body: NodeId) -> Option<()> {
        match kind {
            LookKind::Ahead => {
                self.emit(Op::Mark)?;
                self.node(body)?;
                self.emit(Op::CommitAndReturn).map(drop)
            }
            LookKind::NotAhead => {
                let start = self.emit(Op::NotStart(0))?;
                self.node(body)?;
                self.emit(Op::NotEnd)?;
                self.land(start);
                Some(())
            }
            LookKind::Behind | LookKind::NotBehind => {
                self.n_behind += 1;
                let done = self.look_behind(kind == LookKind::NotBehind, body);
                self.n_behind -= 1;
                done
            }
        }
    }

    /// Emits a look-behind. Alternatives of different lengths are tried one by one.
    fn look_behind(&mut self, is_negated: bool, body: NodeId) -> Option<()> {
        let tree = self.tree;
        let parts = match (self.lengths.n_characters(body), &tree.nodes[body]) {
            (Err(Varies::InAlternatives), Node::Alternatives(parts)) => parts.clone(),
            (Err(Varies::InAlternatives), Node::Set(class)) => {
                return self.set_behind(is_negated, &resolve(class));
            }
            _ => vec![body],
        };
        let lengths: Vec<u32> = parts.iter().map(|&part| self.n_characters(part)).collect();
        let part = |compiler: &mut Self, index: usize| {
            compiler.behind(is_negated, lengths[index], |inner| inner.node(parts[index]))
        };
        if is_negated {
            (0..parts.len()).try_for_each(|index| part(self, index))
        } else {
            self.alternatives(parts.len(), part)
        }
    }

    fn set_behind(&mut self, is_negated: bool, resolved: &ResolvedClass) -> Option<()> {
        let part = |compiler: &mut Self, index: usize| match index.checked_sub(1) {
            None => compiler.behind(is_negated, 1, |inner| {
                let one = inner.set(CharSet::new(&resolved.set));
                inner.emit(Op::One(one)).map(drop)
            }),
            Some(index) => {
                let text = &resolved.texts[index];
                let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
                compiler.behind(is_negated, length, |inner| {
                    inner.emit(Op::Folded(text.clone().into())).map(drop)
                })
            }
        };
        let n_parts = resolved.texts.len() + 1;
        if is_negated {
            (0..n_parts).try_for_each(|index| part(self, index))
        } else {
            self.alternatives(n_parts, part)
        }
    }

    fn n_characters(&mut self, id: NodeId) -> u32 {
        // The parser refused variable lengths, except sets that match several characters only beyond ASCII.
        self.lengths.n_characters(id).map_or(1, |length| u32::try_from(length).unwrap_or(u32::MAX))
    }

    fn behind(
        &mut self,
        is_negated: bool,
        n_characters: u32,
        body: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        if !is_negated {
            self.emit(Op::Back(n_characters))?;
            return body(self);
        }
        let start = self.emit(Op::NotBehindStart { n_characters, exit: 0 })?;
        body(self)?;
        self.emit(Op::NotEnd)?;
        self.land(start);
        Some(())
    }

    fn group(&mut self, id: NodeId, kind: GroupKind, body: NodeId) -> Option<()> {
        match kind {
            GroupKind::Capture { number, .. } => self.capture(id, number, body),
            GroupKind::Options => self.node(body),
            GroupKind::Atomic => self.atomic(body),
            GroupKind::Condition { number, .. } => self.condition(number, body),
            GroupKind::Absent => {
                self.emit(Op::AbsentStart)?;
                let next = self.emit(Op::AbsentNext { exit: 0 })?;
                self.node(body)?;
                self.emit(Op::AbsentEnd)?;
                self.land(next);
                Some(())
            }
        }
    }

    fn atomic(&mut self, body: NodeId) -> Option<()> {
        if self.possessive_loop(body)? {
            return Some(());
        }
        self.emit(Op::Mark)?;
        self.node(body)?;
        self.emit(Op::Commit).map(drop)
    }

    fn condition(&mut self, number: usize, body: NodeId) -> Option<()> {
        let Node::Alternatives(branches) = &self.tree.nodes[body] else { return None };
        let (&then, &otherwise) = (branches.first()?, branches.get(1)?);
        let group = u32::try_from(number).ok()?;
        let condition = self.emit(Op::Condition { group, otherwise: 0 })?;
        self.node(then)?;
        let jump = self.emit(Op::Jump(0))?;
        self.land(condition);
        self.node(otherwise)?;
        self.land(jump);
        Some(())
    }
}
