//! What holds the nodes of a section together, while they are read.

use super::Group;
use super::numbers::Bounds;
use super::texts::Texts;
use kukla_syntax::ast::{ExprId, ExprList, Text};

/// Gives the nodes of a group what they have. Whether they all can have that is known at the end.
pub(super) struct Links<'m, const N: usize> {
    /// By the number of an expression: 1 if it has a parent.
    pub(super) marks: &'m mut [u8],
    pub(super) cursors: &'m mut Cursors,
    pub(super) sums: Sums,
}

/// What is known of many nodes at once.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    /// How often expressions were taken as a child.
    n_children: u32,
    pub(super) spans: Bounds,
    /// Of texts that are not known to be built; most are in the source.
    texts: Bounds,
    /// Whether there was a number that stands for nothing.
    is_odd: bool,
}

/// Where the next of everything is that stands in the order of the nodes.
///
/// The sum of all lengths of lists fits, so that whoever gets to the end was never behind it.
pub(super) struct Cursors {
    /// The next list of expressions.
    list: u64,
    /// The next list of each group of parts.
    parts: Starts,
    query: ExprId,
    built: u32,
    built_texts: Bounds,
}

/// Where the lists of each group of parts start, and where the last ends. The first starts where those of expressions
/// end.
pub(super) type Starts = [u64; Group::N_LISTED + 1];

impl<const N: usize> Links<'_, N> {
    /// The child before which there are so many nodes.
    #[inline]
    pub(super) fn child(&mut self, n_before: u32) -> ExprId {
        self.sums.n_children = self.sums.n_children.wrapping_add(1);
        self.mark((n_before as usize).wrapping_add(1));
        ExprId::after(n_before)
    }

    /// The child of a number that is one higher; none if that is 0.
    #[inline]
    pub(super) fn optional(&mut self, number: u32) -> Option<ExprId> {
        self.sums.n_children = self.sums.n_children.wrapping_add(u32::from(number != 0));
        self.mark(number as usize);
        ExprId::if_any(number)
    }

    #[inline]
    fn mark(&mut self, number: usize) {
        if let Some(mark) = self.marks.get_mut(number) {
            *mark = 1;
        }
    }

    /// The next expressions.
    #[inline]
    pub(super) fn list(&mut self, len: u32) -> ExprList {
        next(&mut self.cursors.list, len)
    }

    /// The next parts of a group.
    #[inline]
    pub(super) fn parts(&mut self, group: Group, len: u32) -> ExprList {
        next(&mut self.cursors.parts[group as usize - Group::FIRST_PART], len)
    }

    #[inline]
    pub(super) fn query(&mut self) -> ExprId {
        let query = self.cursors.query;
        self.cursors.query = query.next();
        query
    }

    #[inline]
    pub(super) fn text(&mut self, start: u32, len: u32) -> Text {
        self.sums.texts.add::<N>(start, len);
        Text { start, len }
    }

    /// The next built text.
    #[inline]
    pub(super) fn built(&mut self, len: u32) -> Text {
        let start = self.cursors.built;
        self.cursors.built_texts.add::<4>(start, len);
        self.cursors.built = start.wrapping_add(len);
        Text { start, len }
    }

    /// What a number stands for.
    #[inline]
    pub(super) fn one_of<O: Copy, const LEN: usize>(&mut self, all: &[O; LEN], number: u32) -> O {
        self.expect((number as usize) < LEN);
        all.get(number as usize).copied().unwrap_or(all[0])
    }

    #[inline]
    pub(super) fn expect(&mut self, holds: bool) {
        self.sums.is_odd |= !holds;
    }

    /// Whether every expression but `body` has one parent, which is so if each has one and there are no more children:
    /// what starts at `body` is a tree.
    pub(super) fn are_whole(&mut self, body: u32) -> bool {
        self.optional(body);
        let (_, marks) = self.marks.split_first().unwrap_or((&0, &[]));
        !self.sums.is_odd
            && self.sums.n_children as usize == marks.len()
            && marks.iter().fold(1, |all, mark| all & mark) == 1
    }
}

impl Sums {
    pub(super) fn new(texts: Texts<'_>) -> Self {
        let bounds = Bounds::of(texts.source.len());
        Self { n_children: 0, spans: bounds, texts: bounds, is_odd: false }
    }

    /// Whether all texts that are not known to be built lie in the source.
    pub(super) fn have_plain_texts(&self) -> bool {
        self.texts.hold()
    }
}

impl Cursors {
    pub(super) fn new(starts: Starts, first_query: ExprId, texts: Texts<'_>) -> Self {
        let Texts { source, built } = texts;
        Self {
            list: 0,
            parts: starts,
            query: first_query,
            built: source.len() as u32,
            built_texts: Bounds::of(source.len() + built.len()),
        }
    }

    /// Whether everything was used, and nothing else.
    pub(super) fn are_at_the_end(&self, starts: &Starts, behind_queries: ExprId) -> bool {
        let [n_in_lists, ends @ ..] = starts;
        self.list == *n_in_lists
            && self.parts[..Group::N_LISTED] == *ends
            && self.query == behind_queries
            && self.built_texts.hold()
    }
}

#[inline]
fn next(start: &mut u64, len: u32) -> ExprList {
    let list = ExprList::new(*start as u32, len);
    *start = start.wrapping_add(len.into());
    list
}
