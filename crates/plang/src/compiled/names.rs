//! Expressions of names, and which names need a slot.

use crate::module::Run;
use crate::program::{Node, NodeId, Program, Slot};
use crate::types::{Plain, Type};

/// The names of a program.
pub(super) struct Names {
    /// For each name, its expression if there is only one assignment, which precedes every use.
    only_values: Vec<Option<NodeId>>,
    /// For each name, the node that replaces it, if that node is constant and cheap.
    stand_ins: Vec<Option<NodeId>>,
    /// The slot of each name; names with stand-ins have no slot of their own.
    slots: Vec<usize>,
    /// Number of slots.
    pub(super) n_slots: usize,
}

impl Names {
    pub(super) fn new(program: &Program) -> Self {
        let only_values = only_values(program);
        let mut stand_ins: Vec<Option<NodeId>> = Vec::with_capacity(only_values.len());
        for value in &only_values {
            let stand_in = value.and_then(|value| match program[value] {
                // Names are numbered in order of assignment, so the stand-in of this one is known.
                Node::Name(slot) => stand_ins.get(slot.index()).copied().flatten(),
                _ => is_at_hand(program, value).then_some(value),
            });
            stand_ins.push(stand_in);
        }
        let mut n_slots = 0;
        let slots = stand_ins.iter().map(|stand_in| {
            n_slots += usize::from(stand_in.is_none());
            n_slots.saturating_sub(1)
        });
        let slots = slots.collect();
        Self { only_values, stand_ins, slots, n_slots }
    }

    /// Returns the slot of a name, if it needs one.
    pub(super) fn slot(&self, name: Slot) -> Option<usize> {
        self.stand_ins[name.index()].is_none().then(|| self.slots[name.index()])
    }

    /// Returns the stand-in if the node is a name that has one, otherwise the node itself.
    pub(super) fn stand_in(&self, program: &Program, id: NodeId) -> NodeId {
        match program[id] {
            Node::Name(name) => self.stand_ins[name.index()].unwrap_or(id),
            _ => id,
        }
    }

    /// Follows names to the expression that they always stand for.
    pub(super) fn resolve(&self, program: &Program, mut id: NodeId) -> NodeId {
        for _ in 0..8 {
            let Node::Name(name) = program[id] else { return id };
            let Some(value) = self.only_values[name.index()] else { return id };
            id = value;
        }
        id
    }

    /// Returns, for each slot, the slots of names whose expressions read it.
    pub(super) fn dependents(&self, program: &Program) -> Vec<Vec<usize>> {
        let mut dependents = vec![Vec::new(); self.n_slots];
        for (slot, value) in self.lazy(program) {
            for used in self.slots_in(program, value) {
                if !dependents[used].contains(&slot) {
                    dependents[used].push(slot);
                }
            }
        }
        dependents
    }

    /// Returns the slots of names whose expressions may read what edits and services change.
    pub(super) fn readers(&self, program: &Program) -> Box<[usize]> {
        let mut readers: Vec<usize> = self
            .lazy(program)
            .filter(|(_, value)| program.traits(*value).reads)
            .map(|(slot, _)| slot)
            .collect();
        readers.sort_unstable();
        readers.dedup();
        readers.into()
    }

    /// Iterates over all lazy assignments to slots.
    fn lazy(&self, program: &Program) -> impl Iterator<Item = (usize, NodeId)> {
        program.nodes.iter().filter_map(|node| match node {
            Node::Assign { slot, value, .. } if !program.traits(*value).acts => {
                Some((self.slot(*slot)?, *value))
            }
            _ => None,
        })
    }

    fn slots_in(&self, program: &Program, root: NodeId) -> Vec<usize> {
        let mut slots = Vec::new();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if let Node::Name(name) = program[id] {
                slots.extend(self.slot(name));
            }
            open.extend(program[id].children());
        }
        slots
    }
}

/// Returns, for each name, its expression if there is only one assignment, which precedes every use.
fn only_values(program: &Program) -> Vec<Option<NodeId>> {
    let mut values = vec![None; program.names.len()];
    if program.is_lenient {
        return values;
    }
    let mut n_sites = vec![0; program.names.len()];
    for node in &program.nodes {
        if let Node::Assign { slot, value, .. } = node {
            n_sites[slot.index()] += 1;
            values[slot.index()] = (n_sites[slot.index()] == 1).then_some(*value);
        }
    }
    values
}

/// Whether a node has the same value wherever it is evaluated, and is as cheap as reading a slot.
fn is_at_hand(program: &Program, id: NodeId) -> bool {
    match &program[id] {
        Node::Boolean(_) | Node::Number(_) | Node::Text(_) | Node::Set(_) | Node::NetSet(_) => true,
        Node::Object => true,
        Node::Read(access) => {
            let is_quick = matches!(access.member.run, Run::Constant(_) | Run::Field(_));
            is_quick && access.receiver.is_none_or(|receiver| is_inert(program, receiver))
        }
        _ => false,
    }
}

/// Whether a member can ignore its receiver: it is a singleton and can't fail.
pub(super) fn is_inert(program: &Program, receiver: NodeId) -> bool {
    let is_single = match program.type_of(receiver) {
        Type::Plain(Plain::Object(object)) => object.is_single,
        Type::Plain(_) | Type::Code(_) | Type::Function | Type::Unknown => false,
    };
    let traits = program.traits(receiver);
    is_single && !traits.fails && !traits.acts
}
