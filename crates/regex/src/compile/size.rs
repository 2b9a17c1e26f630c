//! The size of Ruby's code for a part of an expression.
//!
//! Ruby unrolls small repeated parts and counts the rounds of big ones. The two differ when a part consumes nothing, so the
//! compiler needs to know which of them Ruby chooses.

use super::Compiler;
use crate::parse::tree::{GroupKind, LookKind, Node, NodeId, Reference, Repeat};
use crate::resolve::resolve;

const OP: u64 = 1;
const ADDRESS: u64 = 4;
const GROUP: u64 = 2;
const JUMP: u64 = OP + ADDRESS;
const PUSH: u64 = OP + ADDRESS;
const SAVE: u64 = OP + GROUP;
const BITS: u64 = 32;
const MAX_UNROLLED: u64 = 50;

/// The sizes of all nodes of a tree, and whether they always consume something.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) sizes: Vec<u64>,
    pub(super) consumes: Vec<bool>,
}

impl Compiler<'_, '_> {
    /// Measures all nodes, children first.
    pub(super) fn measure(&mut self) {
        for id in 0..self.tree.nodes.len() {
            let consumes = self.measure_consumes(id);
            self.sizes.consumes.push(consumes);
            let size = self.measure_size(id);
            self.sizes.sizes.push(size);
        }
    }

    fn measure_consumes(&mut self, id: NodeId) -> bool {
        let consumes = &self.sizes.consumes;
        match &self.tree.nodes[id] {
            Node::List(list) => list.iter().any(|&child| consumes[child]),
            Node::Alternatives(list) => list.iter().all(|&child| consumes[child]),
            Node::Repeat(repeat) => repeat.lower > 0 && consumes[repeat.body],
            Node::Group { kind: GroupKind::Absent, .. } => false,
            Node::Group { body, .. } => consumes[*body],
            Node::Call(_) | Node::Backref(_) => self.lengths.consumes(id).unwrap_or(false),
            Node::Text { text, .. } => !text.is_empty(),
            Node::Any { .. } | Node::Set(_) | Node::LineBreak | Node::Cluster => true,
            Node::Anchor(_) | Node::Look { .. } => false,
        }
    }

    fn measure_size(&self, id: NodeId) -> u64 {
        let size = |id: &NodeId| self.sizes.sizes[*id];
        match &self.tree.nodes[id] {
            Node::Text { text, ignores_case } => text_size(text, *ignores_case),
            Node::Any { .. } => OP,
            Node::Set(class) => class_size(class),
            // Both are bigger than anything that is unrolled.
            Node::LineBreak | Node::Cluster => MAX_UNROLLED + 1,
            Node::Backref(reference) => self.backref_size(reference),
            Node::Call(_) => OP + ADDRESS,
            Node::List(list) => list.iter().map(size).fold(0, u64::saturating_add),
            Node::Alternatives(list) => {
                let jumps = (PUSH + JUMP) * (list.len() as u64 - 1);
                list.iter().map(size).fold(jumps, u64::saturating_add)
            }
            Node::Repeat(repeat) => self.repeat_size(repeat),
            Node::Group { kind, body } => self.group_size(*kind, *body),
            Node::Anchor(_) => OP,
            Node::Look { kind, body } => {
                let around = match kind {
                    LookKind::Ahead => 2 * OP,
                    LookKind::NotAhead => PUSH + OP,
                    LookKind::Behind => OP + ADDRESS,
                    LookKind::NotBehind => 2 * (OP + ADDRESS),
                };
                size(body).saturating_add(around)
            }
        }
    }

    fn backref_size(&self, reference: &Reference) -> u64 {
        let groups = self.tree.referred(&reference.to);
        let n_groups = groups.len() as u64;
        match (reference.level, groups) {
            (Some(_), _) => OP + 3 * ADDRESS + n_groups * GROUP,
            (None, [1 | 2]) if !reference.ignores_case => OP,
            (None, [_]) => OP + GROUP,
            (None, _) => OP + ADDRESS + n_groups * GROUP,
        }
    }

    fn group_size(&self, kind: GroupKind, body: NodeId) -> u64 {
        let inner = self.sizes.sizes[body];
        let around = match kind {
            GroupKind::Capture { number, .. } if self.groups.is_called(number) => {
                2 * SAVE + OP + ADDRESS + JUMP + OP
            }
            GroupKind::Capture { .. } => 2 * SAVE,
            GroupKind::Options => 0,
            GroupKind::Atomic => 2 * OP,
            // The jumps between the branches were counted with them.
            GroupKind::Condition { .. } => SAVE + ADDRESS - PUSH,
            GroupKind::Absent => OP + JUMP + OP,
        };
        inner.saturating_add(around)
    }

    fn repeat_size(&self, repeat: &Repeat) -> u64 {
        let body = self.sizes.sizes[repeat.body];
        let watch = if self.sizes.consumes[repeat.body] { 0 } else { 2 * SAVE };
        let watched = body.saturating_add(watch);
        let times = |size: u64, count: u64| size.saturating_mul(count);
        let is_any = matches!(self.tree.nodes[repeat.body], Node::Any { .. });
        match repeat.upper {
            None if is_any && repeat.is_greedy => OP + times(body, repeat.lower),
            None if repeat.lower <= 1 || times(body, repeat.lower) <= MAX_UNROLLED => {
                let first = match repeat.lower == 1 && body > MAX_UNROLLED {
                    true => JUMP,
                    false => times(body, repeat.lower),
                };
                let enter = if repeat.is_greedy { 0 } else { JUMP };
                watched.saturating_add(first + enter + PUSH + if enter == 0 { JUMP } else { 0 })
            }
            Some(0) if self.tree.n_calls > 0 => body.saturating_add(JUMP),
            Some(upper)
                if repeat.is_greedy
                    && (upper == 1 || times(body + PUSH, upper) <= MAX_UNROLLED) =>
            {
                times(body, repeat.lower)
                    .saturating_add(times(body.saturating_add(PUSH), upper - repeat.lower))
            }
            Some(1) if repeat.lower == 0 => body.saturating_add(PUSH + JUMP),
            _ => watched.saturating_add(SAVE + OP + ADDRESS + GROUP),
        }
    }
}

/// Returns the size of a text. Characters of the same number of bytes are compared together.
fn text_size(text: &str, ignores_case: bool) -> u64 {
    let lengths: Vec<usize> = text.chars().map(char::len_utf8).collect();
    let run_size = |run: &[usize]| {
        let n_bytes = run.iter().sum::<usize>() as u64;
        let n_counts = match (run.first(), run.len()) {
            (_, 1) if ignores_case => 0,
            (_, _) if ignores_case => 1,
            (Some(1), 1..=5) | (Some(2), 1..=3) => 0,
            (Some(1..=3), _) => 1,
            _ => 2,
        };
        OP + n_counts * ADDRESS + n_bytes
    };
    lengths.chunk_by(|a, b| a == b).map(run_size).sum()
}

fn class_size(class: &crate::parse::class::Class) -> u64 {
    use crate::parse::class::{Class, Item};
    let is_word = |item: &Item| matches!(item, Item::Property(word) if word.name == "word");
    if class.parts.len() == 1 && class.parts[0].first().is_some_and(is_word) && !class.ignores_case
    {
        return OP;
    }
    let raw = resolve(&Class { is_negated: false, ..class.clone() });
    let ranges = raw.set.ranges();
    let n_beyond = ranges.iter().filter(|&&(_, last)| last > 0x7F).count() as u64;
    let has_ascii = ranges.first().is_some_and(|&(first, _)| first < 0x80);
    let bits = if has_ascii || n_beyond == 0 { BITS } else { 0 };
    let beyond = if n_beyond > 0 { 2 * ADDRESS + n_beyond * 2 * ADDRESS } else { 0 };
    OP + bits + beyond
}
