//! Trace of a run, node by node.

use crate::fail::Fail;
use crate::program::NodeId;
use crate::value::Value;

/// All events of a run, in the order in which they began.
#[derive(Debug, Default)]
pub struct Trace<'a> {
    /// The events.
    pub events: Vec<Event<'a>>,
}

/// The evaluation of a node.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The node.
    pub node: NodeId,
    /// Depth of nested evaluations.
    pub depth: u32,
    /// The result.
    pub result: EventResult<'a>,
}

/// Result of evaluating a node.
#[derive(Clone, Copy, Debug)]
pub enum EventResult<'a> {
    /// The evaluation has not finished.
    Open,
    /// A value.
    Value(Value<'a>),
    /// A failure.
    Failed(Fail),
    /// A failure that was caught here; the fallback's events follow.
    Caught(Fail),
    /// The program ended or restarted.
    Left,
}
