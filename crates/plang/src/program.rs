//! A checked program: the input of both back ends.

use std::sync::Arc;

use kukla_base::Span;
use regex::bytes::Regex;

use crate::ast::{BinaryOp, LogicOp};
use crate::limits::Limits;
use crate::module::{Member, Protocol};
use crate::registry::Registry;
use crate::sets::{NetSet, TextSet};
use crate::types::Type;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// Creates the id with an index.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// Returns the index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A node of a checked program.
    NodeId
}
id! {
    /// A block of a checked program.
    BlockId
}
id! {
    /// A name of a checked program.
    Slot
}

/// A checked program.
#[derive(Debug)]
pub struct Program {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The span of each node.
    pub spans: Vec<Span>,
    /// The type of each node.
    pub types: Vec<Type>,
    /// The traits of each node.
    pub traits: Vec<Traits>,
    /// The blocks: lists of statements.
    pub blocks: Vec<Vec<NodeId>>,
    /// The block that is the program.
    pub main: BlockId,
    /// The names.
    pub names: Vec<String>,
    /// Services, pools and lists.
    pub registry: Option<Registry>,
    /// The limits.
    pub limits: Limits,
    /// The worst-case cost of a run.
    pub cost: Cost,
    /// Whether the program decides about access; otherwise a message passes unless the program fails.
    pub decides: bool,
    /// Whether a name may have no value on some paths.
    pub is_lenient: bool,
    /// Number of bytes of the body that the program reads.
    pub preview: u64,
    /// The protocol of the messages that the program processes; None: any.
    pub protocol: Option<Protocol>,
    /// The span of the whole text.
    pub end: Span,
}

/// Properties of evaluating a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// It has an effect, runs a block, or is a statement: its position in the order matters.
    pub acts: bool,
    /// Its value depends on data that edits and services change.
    pub reads: bool,
    /// It may fail.
    pub fails: bool,
}

/// Worst-case cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Steps.
    pub steps: u64,
    /// Bytes of texts that a run allocates.
    pub memory: u64,
}

/// A node of a checked program.
#[derive(Debug)]
pub enum Node {
    /// A truth value.
    Boolean(bool),
    /// A number.
    Number(i64),
    /// A text.
    Text(Arc<[u8]>),
    /// A set of texts.
    Set(Arc<TextSet>),
    /// A set of networks.
    NetSet(Arc<NetSet>),
    /// A module or a singleton object.
    Object,
    /// A block that is not run.
    Block(BlockId),
    /// A name.
    Name(Slot),
    /// A pure member.
    Read(Access),
    /// A member that changes something.
    Act(Access),
    /// `!operand`
    Not(NodeId),
    /// `-operand`
    Minus(NodeId),
    /// `left op right`, both of one type.
    Binary {
        /// The operator, never `matches`.
        op: BinaryOp,
        /// The left operand.
        left: NodeId,
        /// The right operand.
        right: NodeId,
    },
    /// `text matches "pattern"`
    Matches {
        /// The text.
        text: NodeId,
        /// The pattern.
        regex: Arc<Regex>,
    },
    /// `Core.capture(text, "pattern", 1)`
    Capture {
        /// The text.
        text: NodeId,
        /// The pattern.
        regex: Arc<Regex>,
        /// The group.
        group: usize,
    },
    /// `a and b and c`
    Logic {
        /// The operator.
        op: LogicOp,
        /// Two or more operands.
        operands: Box<[NodeId]>,
    },
    /// Runs a block: true when it completes, false when it fails, and then all its changes are rolled back.
    Completes(NodeId),
    /// Runs a block and yields true. A failure is passed on.
    Try(NodeId),
    /// Runs a block and yields its value.
    Run(NodeId),
    /// `left otherwise right`
    Otherwise {
        /// The expression that may fail.
        left: NodeId,
        /// The fallback, evaluated when `left` fails.
        right: NodeId,
    },
    /// `name := value`
    Assign {
        /// The name.
        slot: Slot,
        /// The value.
        value: NodeId,
        /// Whether a pure value is computed at once, since evaluating it lazily would nest too deep. A failure is still
        /// raised at the use.
        settles: bool,
    },
    /// `if (…) {…} else {…}`
    If {
        /// Conditions and blocks.
        arms: Box<[(NodeId, BlockId)]>,
        /// The block of `else`.
        otherwise: Option<BlockId>,
    },
    /// Ends the program.
    End(End),
    /// `interpreter.restart()`
    Restart,
    /// `interpreter.fail(reason)`
    Fail(NodeId),
    /// `interpreter.languageVersion(text)`
    Version(NodeId),
    /// `Services.findOne(uri)`
    FindOne(NodeId),
    /// `Services.applyOne(service, part, …)`
    Apply {
        /// The service.
        service: NodeId,
        /// Parts of the message that are passed to it.
        parts: Box<[NodeId]>,
    },
    /// `service.name(value)`
    SetParameter {
        /// The service.
        service: NodeId,
        /// The parameter.
        name: Box<str>,
        /// Its value.
        value: NodeId,
    },
    /// A statement without effect, such as `lookup(Http);`.
    Nothing,
}

/// A member with its receiver and arguments.
#[derive(Debug)]
pub struct Access {
    /// The member.
    pub member: &'static Member,
    /// The receiver; None: a member of a module or of a singleton.
    pub receiver: Option<NodeId>,
    /// The arguments.
    pub args: Box<[NodeId]>,
}

/// Ways in which a program ends itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `interpreter.stop()`
    Stop,
    /// `Access.allow()`
    Allow,
    /// `Access.deny(reason)`
    Deny(NodeId),
    /// `Access.challenge(scheme)`
    Challenge(NodeId),
    /// `Http.respond(status, text)`
    Respond(NodeId, NodeId),
}

impl Program {
    /// Returns the span of a node.
    pub fn span(&self, node: NodeId) -> Span {
        self.spans.get(node.index()).copied().unwrap_or(self.end)
    }

    /// Returns the type of a node.
    pub fn type_of(&self, node: NodeId) -> Type {
        self.types[node.index()]
    }

    /// Returns the traits of a node.
    pub fn traits(&self, node: NodeId) -> Traits {
        self.traits[node.index()]
    }

    /// Returns the statements of a block.
    pub fn block(&self, block: BlockId) -> &[NodeId] {
        &self.blocks[block.index()]
    }
}

impl std::ops::Index<NodeId> for Program {
    type Output = Node;

    fn index(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }
}

impl Node {
    /// Returns the children that are evaluated with it; not the statements of blocks.
    pub fn children(&self) -> Vec<NodeId> {
        match self {
            Self::Boolean(_) | Self::Number(_) | Self::Text(_) | Self::Set(_) | Self::NetSet(_) => {
                Vec::new()
            }
            Self::Object | Self::Block(_) | Self::Name(_) | Self::Restart | Self::Nothing => {
                Vec::new()
            }
            Self::Read(access) | Self::Act(access) => {
                access.receiver.iter().chain(&access.args).copied().collect()
            }
            Self::Not(one) | Self::Minus(one) | Self::Completes(one) | Self::Try(one) => vec![*one],
            Self::Run(one) | Self::Fail(one) | Self::Version(one) | Self::FindOne(one) => {
                vec![*one]
            }
            Self::Matches { text, regex: _ } | Self::Capture { text, regex: _, group: _ } => {
                vec![*text]
            }
            Self::Binary { op: _, left, right } | Self::Otherwise { left, right } => {
                vec![*left, *right]
            }
            Self::Logic { op: _, operands } => operands.to_vec(),
            Self::Assign { slot: _, value, settles: _ } => vec![*value],
            Self::If { arms, otherwise: _ } => {
                arms.iter().map(|(condition, _)| *condition).collect()
            }
            Self::End(End::Stop | End::Allow) => Vec::new(),
            Self::End(End::Deny(one) | End::Challenge(one)) => vec![*one],
            Self::End(End::Respond(one, other)) => vec![*one, *other],
            Self::Apply { service, parts } => {
                std::iter::once(service).chain(parts).copied().collect()
            }
            Self::SetParameter { service, name: _, value } => vec![*service, *value],
        }
    }
}
