//! State that closures read: the transaction and the names.

use std::cell::Cell;

use super::code::{CodeIndex, Compiled};
use super::index::Selection;
use crate::fail::{Fail, FailCode};
use crate::program::{Node, NodeId};
use crate::transaction::Transaction;
use crate::value::Value;

/// The transaction and the names.
pub(super) struct Runtime<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) transaction: Transaction<'a>,
    slots: &'a [Cell<Slot<'a>>],
    /// For each index, the rules that remain to be tried.
    selections: &'a [Cell<Selection<'a>>],
}

/// Current binding of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot<'a> {
    Unset,
    Pending(u32),
    Value(Value<'a>),
    Failed(Fail),
}

impl<'a> Runtime<'a> {
    /// Creates the state at the start of a program. Allocates nothing if the program needs no slots.
    #[inline]
    pub(super) fn new(compiled: &'a Compiled, transaction: Transaction<'a>) -> Self {
        let arena = transaction.arena;
        let slots: &[Cell<Slot<'a>>] = match compiled.n_slots {
            0 => &[],
            n_slots => arena.alloc_slice_fill_with(n_slots, |_| Cell::new(Slot::Unset)),
        };
        let selections: &[Cell<Selection<'a>>] = match compiled.indexes.len() {
            0 => &[],
            n_indexes => {
                arena.alloc_slice_fill_with(n_indexes, |_| Cell::new(Selection::default()))
            }
        };
        Self { compiled, transaction, slots, selections }
    }

    /// Returns the value of a name, and computes it on first use.
    pub(super) fn name(&self, slot: usize, node: NodeId) -> Result<Value<'a>, Fail> {
        match self.slots[slot].get() {
            Slot::Value(value) => Ok(value),
            Slot::Pending(pending) => self.compute(slot, pending),
            Slot::Failed(fail) => Err(fail),
            Slot::Unset => Err(Fail::new(FailCode::Unassigned, node)),
        }
    }

    fn compute(&self, slot: usize, pending: u32) -> Result<Value<'a>, Fail> {
        let result = (self.compiled.pending[pending as usize])(self);
        self.slots[slot].set(match result {
            Ok(value) => Slot::Value(value),
            Err(fail) => Slot::Failed(fail),
        });
        result
    }

    /// Computes a pending name, because an input of its expression is about to change.
    pub(super) fn settle(&self, slot: usize) {
        if let Slot::Pending(pending) = self.slots[slot].get() {
            // The slot stores a failure, which is raised where the name is used.
            let _ = self.compute(slot, pending);
        }
    }

    /// Binds a name; returns its previous binding.
    pub(super) fn bind(&self, slot: usize, binding: Slot<'a>) -> Slot<'a> {
        self.slots[slot].replace(binding)
    }

    /// Unbinds all names.
    pub(super) fn clear(&self) {
        self.slots.iter().for_each(|slot| slot.set(Slot::Unset));
    }

    /// Looks up which rules of an index can apply.
    pub(super) fn select(&self, index: usize) {
        self.selections[index].set(self.compiled.indexes[index].select(&self.transaction));
    }

    /// Returns the code of the next of those rules, or the code after all rules.
    pub(super) fn next(&self, index: usize) -> CodeIndex {
        let mut selection = self.selections[index].get();
        let rule = selection.next();
        self.selections[index].set(selection);
        let places = &self.compiled.indexes[index].places;
        places[rule.map_or(places.len() - 1, |rule| rule as usize)]
    }

    /// Returns a temporary that an earlier instruction stored.
    pub(super) fn value(&self, slot: usize) -> Value<'a> {
        match self.slots[slot].get() {
            Slot::Value(value) => value,
            Slot::Unset | Slot::Pending(_) | Slot::Failed(_) => Value::Nothing,
        }
    }

    pub(super) fn put(&self, slot: usize, value: Value<'a>) {
        self.slots[slot].set(Slot::Value(value));
    }

    /// Returns the text of a literal.
    pub(super) fn literal(&self, node: NodeId) -> &'a [u8] {
        match &self.compiled.program[node] {
            Node::Text(text) => text,
            _ => b"",
        }
    }
}
