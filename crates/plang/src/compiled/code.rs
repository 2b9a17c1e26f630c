//! Instructions and closures.

use crate::fail::Fail;
use crate::module::ActFn;
use crate::program::{NodeId, Program};
use crate::value::Value;

use super::index::Index;
use super::runtime::Runtime;

/// A pure expression whose value is a boolean.
pub(super) type BooleanFn = Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<bool, Fail> + Send + Sync>;
/// A pure expression whose value is a number.
pub(super) type NumberFn = Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<i64, Fail> + Send + Sync>;
/// A pure expression whose value is a text.
pub(super) type TextFn = Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<&'a [u8], Fail> + Send + Sync>;
/// Any pure expression.
pub(super) type ValueFn =
    Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<Value<'a>, Fail> + Send + Sync>;

/// A compiled program.
pub struct Compiled {
    /// The program that it was compiled from.
    pub program: Program,
    pub(super) code: Vec<Instruction>,
    /// Entry points of blocks that are values.
    pub(super) entries: Vec<Option<usize>>,
    /// Expressions of all lazy assignments.
    pub(super) pending: Vec<ValueFn>,
    /// Rules by their tests.
    pub(super) indexes: Box<[Index]>,
    /// Number of slots: names first, then temporaries.
    pub(super) n_slots: usize,
    /// Slots of names whose expressions may read what edits and services change.
    pub(super) readers: Box<[usize]>,
}

/// Index of an instruction.
pub(super) type CodeIndex = usize;

/// One instruction.
pub(super) enum Instruction {
    /// Binds a name to a pending expression; happens once, and is never rolled back.
    Name {
        slot: usize,
        pending: u32,
    },
    /// Like [`Name`](Self::Name), but may happen again or be rolled back.
    Bind {
        slot: usize,
        pending: u32,
        dependents: Box<[usize]>,
    },
    /// Computes a name if it is pending.
    Settle(usize),
    /// Binds a name to a computed value.
    Store {
        slot: usize,
        from: usize,
        dependents: Box<[usize]>,
    },
    /// Computes a pure expression into a slot.
    Evaluate {
        to: usize,
        value: ValueFn,
    },
    /// Computes a pure expression only because it may fail.
    Require(ValueFn),
    /// Stores a constant.
    Put {
        to: usize,
        value: bool,
    },
    Copy {
        from: usize,
        to: usize,
    },
    Jump(CodeIndex),
    /// Jumps unless the condition holds.
    Unless {
        condition: BooleanFn,
        to: CodeIndex,
    },
    /// Jumps if a computed value equals `is`.
    When {
        slot: usize,
        is: bool,
        to: CodeIndex,
    },
    /// Looks up which rules of an index can apply.
    Select(usize),
    /// Jumps to the next of those rules, or behind the last.
    Next(usize),
    /// Changes the transaction.
    Act(Box<Act>),
    /// Applies a service.
    Apply {
        service: ValueFn,
        parts: Box<[ValueFn]>,
        to: usize,
        node: NodeId,
    },
    SetParameter {
        service: ValueFn,
        value: ValueFn,
        node: NodeId,
    },
    /// Installs a failure handler at the target.
    Catch(CodeIndex),
    /// Removes the innermost failure handler.
    Release,
    /// Calls a block that is a value.
    Call(ValueFn),
    Return,
    Stop(NodeId),
    Allow(NodeId),
    Deny {
        reason: TextFn,
        node: NodeId,
    },
    Challenge {
        scheme: TextFn,
        node: NodeId,
    },
    Respond {
        status: NumberFn,
        text: TextFn,
        node: NodeId,
    },
    Restart(NodeId),
    Fail {
        reason: TextFn,
        node: NodeId,
    },
    Version {
        version: TextFn,
        node: NodeId,
    },
    /// Ends the program.
    Complete,
}

/// A member with an effect, and its operands.
pub(super) struct Act {
    pub(super) run: ActFn,
    pub(super) receiver: Option<ValueFn>,
    pub(super) args: Box<[ValueFn]>,
    pub(super) to: usize,
    pub(super) changes: bool,
    pub(super) node: NodeId,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Compiled({} instructions)", self.code.len())
    }
}
