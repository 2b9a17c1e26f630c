//! What a run did, node by node.

use crate::fail::Fail;
use crate::program::NodeId;
use crate::value::Value;

/// All that happened, in the order in which it began.
#[derive(Debug, Default)]
pub struct Trace<'a> {
    /// What happened.
    pub events: Vec<Event<'a>>,
}

/// A node was evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The node.
    pub node: NodeId,
    /// How deep in others.
    pub depth: u32,
    /// What came of it.
    pub result: Came<'a>,
}

/// What came of evaluating a node.
#[derive(Clone, Copy, Debug)]
pub enum Came<'a> {
    /// It has not come to its end.
    Open,
    /// A value.
    Value(Value<'a>),
    /// A failure.
    Failed(Fail),
    /// A failure that was caught here; what was done instead follows.
    Caught(Fail),
    /// The program ended or started again.
    Left,
}
