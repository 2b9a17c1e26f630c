//! The children of all nodes, while a section is read.
//!
//! They stand in one list, role by role. A node is put into its place there when it is made, and a parent takes the next
//! ones of a role. That all fits is known at the end, and mostly from two things: there are as many places as nodes, and
//! what is put where it does not belong leaves a place empty.

use super::Role;
use crate::ast::{ExprId, ExprList};

/// All children of all nodes.
pub(super) struct Children {
    pub(super) all: Vec<ExprId>,
    pub(super) places: [Places; Role::COUNT],
}

/// The places of one role.
#[derive(Clone, Copy, Default)]
pub(super) struct Places {
    /// The first one whose child nobody has taken. The sum of all counts fits.
    next: u64,
    /// Behind the last one.
    end: u64,
}

/// In the place of a child that has not come yet; above the number of any node.
const NOBODY: ExprId = ExprId::LAST;

impl Children {
    /// So many of each role, of which none has come yet.
    #[inline]
    pub(super) fn of(n_children: [usize; Role::COUNT]) -> Self {
        let mut places = [Places::default(); Role::COUNT];
        let mut end = 0;
        for (places, len) in places.iter_mut().zip(n_children) {
            let next = end;
            end += len as u64;
            *places = Places { next, end };
        }
        Self { all: vec![NOBODY; end as usize], places }
    }

    /// The places of expressions, which are the first.
    pub(super) fn expressions(&mut self) -> &mut [ExprId] {
        let end = self.places[Role::Expression as usize].end;
        self.all.get_mut(..end as usize).unwrap_or_default()
    }

    /// All of them, if each node is the child of exactly one other, the last aside.
    ///
    /// If no place is empty, none was taken twice. The last place of an expression is nobody's, and only the last node
    /// can be there: all others had been taken when that came.
    pub(super) fn if_complete(mut self) -> Option<Vec<ExprId>> {
        let outermost = &mut self.places[Role::Expression as usize].next;
        *outermost = outermost.wrapping_add(1);
        let are_taken = self.places.iter().all(|places| places.next == places.end);
        let is_full = self.all.iter().fold(true, |is_full, &child| is_full & (child != NOBODY));
        (are_taken && is_full).then_some(self.all)
    }
}

impl Places {
    /// Puts a node into its place if that is one of these and nobody has taken it: so its parent comes after it.
    #[inline]
    pub(super) fn put(self, all: &mut [ExprId], place: u32, id: ExprId) {
        if (self.next..self.end).contains(&place.into())
            && let Some(child) = all.get_mut(place as usize)
        {
            *child = id;
        }
    }

    /// The next one. Whether it had come, and has the role, is known at the end.
    #[inline]
    pub(super) fn take(&mut self, all: &[ExprId]) -> Option<ExprId> {
        let child = all.get(self.next as usize).copied();
        self.next = self.next.wrapping_add(1);
        child
    }

    /// The next ones; the same is true of them.
    #[inline]
    pub(super) fn take_list(&mut self, len: u32) -> ExprList {
        let list = ExprList::new(self.next as u32, len);
        self.next = self.next.wrapping_add(len.into());
        list
    }
}
