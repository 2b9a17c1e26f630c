//! Links between the nodes of a section, while they are decoded.

use super::Group;
use super::numbers::Bounds;
use super::texts::Texts;
use kukla_syntax::ast::{ExprId, ExprList, Text};

/// Assigns children, lists and texts to the nodes of a group. Whether all assignments are valid is checked at the end.
pub(super) struct Links<'m, const N: usize> {
    /// Indexed by the number of an expression: 1 if it has a parent.
    pub(super) marks: &'m mut [u8],
    pub(super) cursors: &'m mut Cursors,
    pub(super) sums: Sums,
}

/// Checks that cover many nodes at once.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    /// The number of times that expressions were used as a child.
    n_children: u32,
    pub(super) spans: Bounds,
    /// Bounds of texts that may lie in the source, as most do.
    texts: Bounds,
    /// Whether a number was out of range.
    is_odd: bool,
}

/// The positions of the next list, part, query and built text, all of which follow the order of the nodes.
///
/// The sum of the lengths of all lists fits, so a cursor that ends exactly at the end was never beyond it.
pub(super) struct Cursors {
    /// The next list of expressions.
    list: u64,
    /// The next list of each group of parts.
    parts: Starts,
    query: ExprId,
    built: u32,
    built_texts: Bounds,
}

/// The starts of the lists of each group of parts, and the end of the last. The first starts at the end of the lists of
/// expressions.
pub(super) type Starts = [u64; Group::N_LISTED + 1];

impl<const N: usize> Links<'_, N> {
    /// Returns the child that has this many nodes before it.
    #[inline]
    pub(super) fn child(&mut self, n_before: u32) -> ExprId {
        self.sums.n_children = self.sums.n_children.wrapping_add(1);
        self.mark((n_before as usize).wrapping_add(1));
        ExprId::after(n_before)
    }

    /// Returns the child of a number that is one higher; `None` for 0.
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

    /// Returns the next expressions.
    #[inline]
    pub(super) fn list(&mut self, len: u32) -> ExprList {
        next(&mut self.cursors.list, len)
    }

    /// Returns the next parts of a group.
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

    /// Returns the next built text.
    #[inline]
    pub(super) fn built(&mut self, len: u32) -> Text {
        let start = self.cursors.built;
        self.cursors.built_texts.add::<4>(start, len);
        self.cursors.built = start.wrapping_add(len);
        Text { start, len }
    }

    /// Returns the element that a number selects.
    #[inline]
    pub(super) fn one_of<O: Copy, const LEN: usize>(&mut self, all: &[O; LEN], number: u32) -> O {
        self.expect((number as usize) < LEN);
        all.get(number as usize).copied().unwrap_or(all[0])
    }

    #[inline]
    pub(super) fn expect(&mut self, holds: bool) {
        self.sums.is_odd |= !holds;
    }

    /// Returns whether every expression but `body` has exactly one parent: each has one, and the number of children is
    /// that
    /// of the expressions. Then the nodes below `body` form a tree.
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

    /// Returns whether all texts that may lie in the source do.
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

    /// Returns whether everything was used exactly once.
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
