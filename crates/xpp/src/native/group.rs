//! Groups of rows of a section.

use kukla_syntax::ast::{AssignmentOp, BinaryOp, Expr, Form, NamedKind, UnaryOp};

/// A group of nodes that have rows of the same kind, in the order of the section.
///
/// Nodes with parts come before their parts, and nodes with built text after the built strings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Group {
    /// Leaves that consist of a span only. The text of this one is between its quotes.
    String,
    /// The text is the whole span.
    Name,
    /// The text is the whole span.
    Reference,
    /// The text follows the dollar sign, and is the name.
    Variable,
    /// The text is the whole span, as in `"${x}"`; the name is where it would be after a dollar sign, as in Puppet.
    BareVariable,
    /// The digits are the whole span, and decimal.
    Integer,
    /// Leaves without a text: one of [`CONSTANTS`].
    Constant,
    /// Other leaves. The text of this one is the next of the built texts; its row has the length.
    BuiltString,
    StringOf,
    NameOf,
    ReferenceOf,
    /// The text, and the span of the name.
    VariableOf,
    Regexp,
    Float,
    RenderString,
    ReservedWord,
    IntegerOf,
    /// Other expressions.
    Unary,
    Binary,
    Access,
    NamedAccess,
    /// A list, and its [`Sequence`].
    Sequence,
    Hash,
    Case,
    Collect,
    Heredoc,
    Lambda,
    Apply,
    If,
    Unless,
    Call,
    Epp,
    Resource,
    ResourceDefaults,
    ResourceOverride,
    Selector,
    /// Definitions.
    Named,
    Node,
    TypeAlias,
    TypeMapping,
    TypeDefinition,
    /// Parts that occur in lists.
    CaseOption,
    KeyedEntry,
    ResourceBody,
    Operation,
    Parameter,
    SelectorEntry,
    /// The part that each [`Group::Collect`] has once.
    Query,
}

impl Group {
    pub(super) const COUNT: usize = Self::Query as usize + 1;
    pub(super) const FIRST_PART: usize = Self::CaseOption as usize;
    /// The number of groups of parts that occur in lists.
    pub(super) const N_LISTED: usize = Self::Query as usize - Self::FIRST_PART;
}

/// A node that consists of a list of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sequence {
    List,
    Block,
    ApplyBlock,
    Concat,
}

/// The operation `=>`, as the row of an attribute numbers it.
pub(super) const SET: u32 = 0;
pub(super) const APPEND: u32 = 1;
pub(super) const SPLAT: u32 = 2;

pub(super) const CONSTANTS: [Expr; 5] =
    [Expr::Undef, Expr::Default, Expr::Boolean(true), Expr::Boolean(false), Expr::Nop];

pub(super) const UNARY_OPS: [UnaryOp; 6] =
    [UnaryOp::Paren, UnaryOp::Not, UnaryOp::Minus, UnaryOp::Unfold, UnaryOp::Text, UnaryOp::Render];

pub(super) const BINARY_OPS: [BinaryOp; 25] = [
    BinaryOp::Assign(AssignmentOp::Set),
    BinaryOp::Assign(AssignmentOp::Append),
    BinaryOp::Assign(AssignmentOp::Delete),
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Modulo,
    BinaryOp::LeftShift,
    BinaryOp::RightShift,
    BinaryOp::Before,
    BinaryOp::Require,
    BinaryOp::Notify,
    BinaryOp::Subscribe,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::Match,
    BinaryOp::NoMatch,
    BinaryOp::In,
    BinaryOp::And,
    BinaryOp::Or,
];

pub(super) const RADIXES: [u32; 3] = [8, 10, 16];

pub(super) const FORMS: [Form; 3] = [Form::Regular, Form::Virtual, Form::Exported];

pub(super) const NAMED_KINDS: [NamedKind; 4] =
    [NamedKind::Class, NamedKind::Define, NamedKind::Function, NamedKind::Plan];
