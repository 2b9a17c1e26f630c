//! Compiles statements and effects to instructions.
//!
//! A node with effects is taken apart: children with effects leave their values in slots, and pure children that
//! precede them are computed first, to keep the order. The rest is a pure expression over those slots.

use std::collections::HashMap;

use super::code::{Act, CodeIndex, Compiled, Instruction, ValueFn};
use super::index::Index;
use super::names::Names;
use crate::ast::LogicOp;
use crate::module::{Run, Touches};
use crate::program::{BlockId, End, Node, NodeId, Program};

/// Compiles a program.
pub(super) fn compile(program: Program) -> Compiled {
    let names = Names::new(&program);
    let result = names.n_slots;
    let mut emitter = Emitter {
        program: &program,
        code: Vec::new(),
        pending: Vec::new(),
        entries: vec![None; program.blocks.len()],
        dependents: names.dependents(&program),
        names,
        result,
        n_taken: result + 1,
        n_slots: 0,
        spilled: HashMap::new(),
        later: Vec::new(),
        indexes: Vec::new(),
        in_subroutine: program.is_lenient,
        n_catches: 0,
    };
    emitter.block(program.main, None);
    emitter.code.push(Instruction::Complete);
    emitter.subroutines();
    let Emitter { code, pending, entries, names, n_slots, indexes, .. } = emitter;
    let readers = names.readers(&program);
    let indexes = indexes.into_iter().flatten().collect();
    Compiled { program, code, entries, pending, indexes, n_slots, readers }
}

/// State of one compilation.
pub(super) struct Emitter<'p> {
    pub(super) program: &'p Program,
    pub(super) names: Names,
    code: Vec<Instruction>,
    pending: Vec<ValueFn>,
    entries: Vec<Option<CodeIndex>>,
    /// Slot for the value of the last block, and for unused values.
    result: usize,
    /// Number of slots taken by names and by current temporaries.
    n_taken: usize,
    /// Number of slots that the code uses.
    n_slots: usize,
    /// Nodes whose values are in a slot.
    pub(super) spilled: HashMap<NodeId, usize>,
    /// Queue of blocks that are values and not compiled yet.
    later: Vec<BlockId>,
    /// For each slot, the slots of names whose expressions read it.
    dependents: Vec<Vec<usize>>,
    /// Indexes of rules; None while their code is being emitted.
    pub(super) indexes: Vec<Option<Index>>,
    /// Whether this code may run more than once.
    in_subroutine: bool,
    /// Number of enclosing failure handlers.
    n_catches: usize,
}

impl Emitter<'_> {
    pub(super) fn here(&self) -> CodeIndex {
        self.code.len()
    }

    pub(super) fn push(&mut self, instruction: Instruction) -> CodeIndex {
        self.code.push(instruction);
        self.here() - 1
    }

    /// Sets the target of an emitted jump to the next instruction.
    fn patch_to_here(&mut self, jump: CodeIndex) {
        self.patch(jump, self.here());
    }

    /// Sets the target of an emitted jump.
    pub(super) fn patch(&mut self, jump: CodeIndex, place: CodeIndex) {
        match &mut self.code[jump] {
            Instruction::Jump(to)
            | Instruction::Catch(to)
            | Instruction::Unless { to, .. }
            | Instruction::When { to, .. } => *to = place,
            _ => (),
        }
    }

    /// Takes a slot for a temporary.
    fn take(&mut self) -> usize {
        self.n_taken += 1;
        self.needs(self.n_taken - 1)
    }

    /// Returns the slot for the value of the last block and for unused values.
    fn result(&mut self) -> usize {
        self.needs(self.result)
    }

    pub(super) fn needs(&mut self, slot: usize) -> usize {
        self.n_slots = self.n_slots.max(slot + 1);
        slot
    }

    /// Compiles queued blocks, and the blocks that they queue.
    fn subroutines(&mut self) {
        self.in_subroutine = true;
        while let Some(block) = self.later.pop() {
            if self.entries[block.index()].is_some() {
                continue;
            }
            self.entries[block.index()] = Some(self.here());
            // The slots of callers must stay untouched.
            self.n_taken = self.n_taken.max(self.n_slots);
            let result = self.result();
            self.block(block, Some(result));
            self.push(Instruction::Return);
        }
    }

    /// Queues a block that is used as a value.
    pub(super) fn queue_block(&mut self, block: BlockId) {
        self.later.push(block);
    }

    /// Emits statements in order; the value of the last goes to slot `to`, if there is one.
    pub(super) fn block(&mut self, block: BlockId, to: Option<usize>) {
        let program = self.program;
        let mut statements = program.block(block);
        while let [first, rest @ ..] = statements {
            let (rules, behind) = self.rules(statements);
            if rules.is_empty() {
                self.statement(*first, to.filter(|_| rest.is_empty()));
                statements = rest;
                continue;
            }
            if !self.row(&rules) {
                rules.iter().for_each(|rule| self.choose(&[*rule], None));
            }
            statements = behind;
        }
    }

    fn statement(&mut self, id: NodeId, to: Option<usize>) {
        let n_taken = self.n_taken;
        self.statement_to(id, to);
        // Temporaries do not live across statements.
        self.n_taken = n_taken;
    }

    fn statement_to(&mut self, id: NodeId, to: Option<usize>) {
        let program = self.program;
        match &program[id] {
            Node::Assign { slot, value, settles } => {
                // A name without a slot is replaced by its expression at each use.
                let Some(slot) = self.names.slot(*slot) else { return };
                self.assign(slot, *value);
                if *settles {
                    self.push(Instruction::Settle(slot));
                }
            }
            Node::If { arms, otherwise } => self.choose(arms, *otherwise),
            _ if program.traits(id).acts => {
                let Some(to) = to else { return self.acting_to(id, self.result) };
                let from = self.acting(id);
                self.push(Instruction::Copy { from, to });
            }
            _ => match to {
                Some(to) => {
                    let value = self.value(id);
                    self.push(Instruction::Evaluate { to, value });
                }
                None if program.traits(id).fails => {
                    let value = self.value(id);
                    self.push(Instruction::Require(value));
                }
                // Pure, never fails, and unused.
                None => (),
            },
        }
    }

    fn assign(&mut self, slot: usize, value: NodeId) {
        let slot = self.needs(slot);
        let dependents: Box<[usize]> = match self.in_subroutine {
            true => self.dependents[slot].as_slice().into(),
            false => Box::default(),
        };
        if self.program.traits(value).acts {
            let from = self.acting(value);
            self.push(Instruction::Store { slot, from, dependents });
            return;
        }
        let closure = self.value(value);
        let pending = u32::try_from(self.pending.len()).unwrap_or(u32::MAX);
        self.pending.push(closure);
        let is_for_good = !self.in_subroutine && self.n_catches == 0;
        self.push(match is_for_good {
            true => Instruction::Name { slot, pending },
            false => Instruction::Bind { slot, pending, dependents },
        });
    }

    fn choose(&mut self, arms: &[(NodeId, BlockId)], otherwise: Option<BlockId>) {
        let ends = self.arms(arms).unwrap_or_else(|| self.plain_arms(arms));
        if let Some(block) = otherwise {
            self.block(block, None);
        }
        ends.into_iter().for_each(|end| self.patch_to_here(end));
    }

    /// Emits arms that are tried in order; returns the jumps at their ends.
    fn plain_arms(&mut self, arms: &[(NodeId, BlockId)]) -> Vec<CodeIndex> {
        let mut ends = Vec::new();
        for (condition, block) in arms {
            let skips = self.unless(*condition);
            self.block(*block, None);
            ends.push(self.push(Instruction::Jump(0)));
            skips.into_iter().for_each(|skip| self.patch_to_here(skip));
        }
        ends
    }

    /// Emits jumps that are taken unless a condition holds; returns them.
    pub(super) fn unless(&mut self, condition: NodeId) -> Vec<CodeIndex> {
        let program = self.program;
        if program.traits(condition).acts {
            let n_taken = self.n_taken;
            let slot = self.acting(condition);
            self.n_taken = n_taken;
            return vec![self.push(Instruction::When { slot, is: false, to: 0 })];
        }
        let alone = [condition];
        let terms = match &program[condition] {
            Node::Logic { op: LogicOp::And, operands } => operands,
            _ => alone.as_slice(),
        };
        let unless = |term: &NodeId| {
            let condition = self.boolean(*term);
            self.push(Instruction::Unless { condition, to: 0 })
        };
        terms.iter().map(unless).collect()
    }

    /// Emits a node with effects; returns the slot of its value.
    fn acting(&mut self, id: NodeId) -> usize {
        let to = self.take();
        self.acting_to(id, to);
        to
    }

    /// Emits a node with effects; its value goes to slot `to`.
    fn acting_to(&mut self, id: NodeId, to: usize) {
        let program = self.program;
        if !matches!(program[id], Node::End(_) | Node::Restart) {
            self.needs(to);
        }
        match &program[id] {
            Node::Logic { op, operands } => self.logic(*op, operands, to),
            Node::Completes(code) => self.completes(*code, to),
            Node::Try(code) => {
                self.run(*code, None);
                self.push(Instruction::Put { to, value: true });
            }
            Node::Run(code) => self.run(*code, Some(to)),
            Node::Otherwise { left, right } => self.otherwise(*left, *right, to),
            Node::End(end) => self.end(*end, id),
            Node::Restart => drop(self.push(Instruction::Restart(id))),
            Node::Assign { .. } | Node::If { .. } => self.statement(id, None),
            _ => {
                self.spill(id);
                self.effect(id, to);
            }
        }
        self.spilled.insert(id, to);
    }

    /// Computes the children of a node that must be computed before its effect.
    fn spill(&mut self, id: NodeId) {
        let program = self.program;
        let children = program[id].children();
        let acts = |child: &NodeId| program.traits(*child).acts;
        let Some(last) = children.iter().rposition(acts) else { return };
        for child in &children[..=last] {
            if acts(child) {
                self.acting(*child);
            } else {
                let (to, value) = (self.take(), self.value(*child));
                self.push(Instruction::Evaluate { to, value });
                self.spilled.insert(*child, to);
            }
        }
    }

    /// Emits the effect of a node whose children were emitted.
    fn effect(&mut self, id: NodeId, to: usize) {
        let program = self.program;
        let instruction = match &program[id] {
            Node::Act(access) => {
                let Run::Act(run) = access.member.run else { return };
                let receiver = access.receiver.map(|receiver| self.value(receiver));
                let args = access.args.iter().map(|arg| self.value(*arg)).collect();
                let changes = access.member.touches == Touches::Changes;
                Instruction::Act(Box::new(Act { run, receiver, args, to, changes, node: id }))
            }
            Node::Fail(reason) => Instruction::Fail { reason: self.text(*reason), node: id },
            Node::Version(version) => {
                Instruction::Version { version: self.text(*version), node: id }
            }
            Node::Apply { service, parts } => {
                let parts = parts.iter().map(|part| self.value(*part)).collect();
                Instruction::Apply { service: self.value(*service), parts, to, node: id }
            }
            Node::SetParameter { service, name: _, value } => {
                let (service, value) = (self.value(*service), self.value(*value));
                Instruction::SetParameter { service, value, node: id }
            }
            // A pure operator over children with effects.
            _ => Instruction::Evaluate { to, value: self.value(id) },
        };
        self.push(instruction);
    }

    fn logic(&mut self, op: LogicOp, operands: &[NodeId], to: usize) {
        if op == LogicOp::Xor {
            return self.xor(operands, to);
        }
        let decides = op == LogicOp::Or;
        let mut ends = Vec::new();
        for operand in operands {
            self.boolean_to(*operand, to);
            ends.push(self.push(Instruction::When { slot: to, is: decides, to: 0 }));
        }
        ends.into_iter().for_each(|end| self.patch_to_here(end));
    }

    /// Emits `xor`, which evaluates all operands in order.
    fn xor(&mut self, operands: &[NodeId], to: usize) {
        self.push(Instruction::Put { to, value: false });
        for operand in operands {
            let one = self.take();
            self.boolean_to(*operand, one);
            let value = super::closures::value(move |runtime| {
                let sum = runtime.value(to).boolean() ^ runtime.value(one).boolean();
                Ok(crate::value::Value::Boolean(sum))
            });
            self.push(Instruction::Evaluate { to, value });
        }
    }

    fn boolean_to(&mut self, id: NodeId, to: usize) {
        if self.program.traits(id).acts {
            let from = self.acting(id);
            self.push(Instruction::Copy { from, to });
        } else {
            let value = self.value(id);
            self.push(Instruction::Evaluate { to, value });
        }
    }

    fn completes(&mut self, code: NodeId, to: usize) {
        let catch = self.catch();
        self.run(code, None);
        self.release();
        self.push(Instruction::Put { to, value: true });
        let end = self.push(Instruction::Jump(0));
        self.patch_to_here(catch);
        self.push(Instruction::Put { to, value: false });
        self.patch_to_here(end);
    }

    fn otherwise(&mut self, left: NodeId, right: NodeId, to: usize) {
        let catch = self.catch();
        self.boolean_to(left, to);
        self.release();
        let end = self.push(Instruction::Jump(0));
        self.patch_to_here(catch);
        self.boolean_to(right, to);
        self.patch_to_here(end);
    }

    fn catch(&mut self) -> CodeIndex {
        self.n_catches += 1;
        self.push(Instruction::Catch(0))
    }

    fn release(&mut self) {
        self.n_catches -= 1;
        self.push(Instruction::Release);
    }

    /// Runs code: a block literal in place, a block that is a value by a call.
    fn run(&mut self, code: NodeId, to: Option<usize>) {
        if let Node::Block(block) = self.program[code] {
            return self.block(block, to);
        }
        let code = self.value(code);
        self.push(Instruction::Call(code));
        if let Some(to) = to {
            let from = self.result();
            self.push(Instruction::Copy { from, to });
        }
    }

    fn end(&mut self, end: End, node: NodeId) {
        self.spill(node);
        let instruction = match end {
            End::Stop => Instruction::Stop(node),
            End::Allow => Instruction::Allow(node),
            End::Deny(reason) => Instruction::Deny { reason: self.text(reason), node },
            End::Challenge(scheme) => Instruction::Challenge { scheme: self.text(scheme), node },
            End::Respond(status, text) => {
                let (status, text) = (self.number(status), self.text(text));
                Instruction::Respond { status, text, node }
            }
        };
        self.push(instruction);
    }
}
