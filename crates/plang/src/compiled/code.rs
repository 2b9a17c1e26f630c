//! Instructions and closures.

use crate::fail::Fail;
use crate::module::ActFn;
use crate::program::{NodeId, Program};
use crate::value::Value;

use super::index::Index;
use super::runtime::Runtime;

/// A pure expression that is a truth value.
pub(super) type BooleanFn = Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<bool, Fail> + Send + Sync>;
/// A pure expression that is a number.
pub(super) type NumberFn = Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<i64, Fail> + Send + Sync>;
/// A pure expression that is a text.
pub(super) type TextFn = Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<&'a [u8], Fail> + Send + Sync>;
/// Any pure expression.
pub(super) type ValueFn =
    Box<dyn for<'a> Fn(&Runtime<'a>) -> Result<Value<'a>, Fail> + Send + Sync>;

/// A compiled program.
pub struct Compiled {
    /// What it was compiled of.
    pub program: Program,
    pub(super) code: Vec<Instruction>,
    /// Where the blocks start that are values.
    pub(super) entries: Vec<Option<usize>>,
    /// What names stand for: the expressions of all assignments that are not evaluated at once.
    pub(super) pending: Vec<ValueFn>,
    /// Rules by what they ask.
    pub(super) indexes: Box<[Index]>,
    /// Names, and behind them places for values on their way.
    pub(super) n_slots: usize,
    /// Names that may stand for something that reads what edits and services change.
    pub(super) readers: Box<[usize]>,
}

/// A place in the list of instructions.
pub(super) type Place = usize;

/// One instruction.
pub(super) enum Instruction {
    /// A name stands for a pending expression from now on; this happens once, and is never taken back.
    Name {
        slot: usize,
        pending: u32,
    },
    /// The same where it may happen again, or be taken back.
    Bind {
        slot: usize,
        pending: u32,
        dependents: Box<[usize]>,
    },
    /// Computes a name now if it is pending.
    Settle(usize),
    /// A name stands for a value that was computed.
    Store {
        slot: usize,
        from: usize,
        dependents: Box<[usize]>,
    },
    /// Computes a pure expression.
    Evaluate {
        to: usize,
        value: ValueFn,
    },
    /// Computes a pure expression for its failure only.
    Require(ValueFn),
    /// Puts a constant.
    Put {
        to: usize,
        value: bool,
    },
    Copy {
        from: usize,
        to: usize,
    },
    Jump(Place),
    /// Goes elsewhere unless the condition holds.
    Unless {
        condition: BooleanFn,
        to: Place,
    },
    /// Goes elsewhere when a value that was computed is so.
    When {
        slot: usize,
        is: bool,
        to: Place,
    },
    /// Finds out which rules of an index can apply.
    Select(usize),
    /// Goes to the next of those rules, or behind them all.
    Next(usize),
    /// Does something to the transaction.
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
    /// From here on failures go to the place.
    Catch(Place),
    /// The last `Catch` is over.
    Release,
    /// Runs a block that is a value.
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
    /// The end of the program.
    Complete,
}

/// A member that changes something, with its operands.
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
