//! What a node is, in one byte, and the details in another.
//!
//! The details are the number of an operator or form, or bits: flags, and which of its children a node has.
//! Tags are sorted: expressions, then parts of expressions, then definitions. Strings, names, references
//! and variables have none, since they are not among the others.

use super::Role;
use crate::ast::{AssignmentOp, Ast, BinaryOp, Expr, ExprId, Form, NamedKind, UnaryOp};

pub(super) const NOP: u8 = 0;
pub(super) const UNDEF: u8 = 1;
pub(super) const DEFAULT: u8 = 2;
pub(super) const BOOLEAN: u8 = 3;
pub(super) const REGEXP: u8 = 4;
pub(super) const FLOAT: u8 = 5;
pub(super) const RENDER_STRING: u8 = 6;
pub(super) const RESERVED_WORD: u8 = 7;
pub(super) const INTEGER: u8 = 8;
pub(super) const UNARY: u8 = 9;
pub(super) const BINARY: u8 = 10;
pub(super) const ACCESS: u8 = 11;
pub(super) const NAMED_ACCESS: u8 = 12;
pub(super) const LIST: u8 = 13;
pub(super) const HASH: u8 = 14;
pub(super) const BLOCK: u8 = 15;
pub(super) const APPLY_BLOCK: u8 = 16;
pub(super) const CONCAT: u8 = 17;
pub(super) const CASE: u8 = 18;
pub(super) const COLLECT: u8 = 19;
pub(super) const HEREDOC: u8 = 20;
pub(super) const LAMBDA: u8 = 21;
pub(super) const APPLY: u8 = 22;
pub(super) const IF: u8 = 23;
pub(super) const UNLESS: u8 = 24;
pub(super) const CALL: u8 = 25;
pub(super) const EPP: u8 = 26;
pub(super) const RESOURCE: u8 = 27;
pub(super) const RESOURCE_DEFAULTS: u8 = 28;
pub(super) const RESOURCE_OVERRIDE: u8 = 29;
pub(super) const SELECTOR: u8 = 30;

pub(super) const CASE_OPTION: u8 = 31;
pub(super) const QUERY: u8 = 32;
pub(super) const KEYED_ENTRY: u8 = 33;
pub(super) const ATTRIBUTE_OPERATION: u8 = 34;
pub(super) const ATTRIBUTES_OPERATION: u8 = 35;
pub(super) const PARAMETER: u8 = 36;
pub(super) const RESOURCE_BODY: u8 = 37;
pub(super) const SELECTOR_ENTRY: u8 = 38;

/// The first of the definitions.
pub(super) const DEFINITIONS: u8 = CLASS;
pub(super) const CLASS: u8 = 39;
pub(super) const DEFINE: u8 = 40;
pub(super) const FUNCTION: u8 = 41;
pub(super) const PLAN: u8 = 42;
pub(super) const NODE: u8 = 43;
pub(super) const TYPE_ALIAS: u8 = 44;
pub(super) const TYPE_MAPPING: u8 = 45;
pub(super) const TYPE_DEFINITION: u8 = 46;

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

/// The tag of a node; `None` of one that has none.
pub(super) fn of(ast: &Ast, id: ExprId) -> Option<u8> {
    Some(match ast[id] {
        Expr::String(_)
        | Expr::QualifiedName(_)
        | Expr::QualifiedReference(_)
        | Expr::Variable(_)
        | Expr::Error => return None,
        Expr::Nop => NOP,
        Expr::Undef => UNDEF,
        Expr::Default => DEFAULT,
        Expr::Boolean(_) => BOOLEAN,
        Expr::Regexp(_) => REGEXP,
        Expr::Float(_) => FLOAT,
        Expr::RenderString(_) => RENDER_STRING,
        Expr::ReservedWord(_) => RESERVED_WORD,
        Expr::Integer { .. } => INTEGER,
        Expr::Unary { .. } => UNARY,
        Expr::Binary { .. } => BINARY,
        Expr::Access { .. } => ACCESS,
        Expr::NamedAccess { .. } => NAMED_ACCESS,
        Expr::List(_) => LIST,
        Expr::Block(_) => BLOCK,
        Expr::ApplyBlock(_) => APPLY_BLOCK,
        Expr::Concat(_) => CONCAT,
        Expr::Hash(_) => HASH,
        Expr::Case { .. } => CASE,
        Expr::CaseOption { .. } => CASE_OPTION,
        Expr::Query { .. } => QUERY,
        Expr::Collect { .. } => COLLECT,
        Expr::Heredoc { .. } => HEREDOC,
        Expr::Lambda { .. } => LAMBDA,
        Expr::Apply { .. } => APPLY,
        Expr::If { .. } => IF,
        Expr::Unless { .. } => UNLESS,
        Expr::Call { .. } => CALL,
        Expr::Epp { .. } => EPP,
        Expr::Resource { .. } => RESOURCE,
        Expr::ResourceDefaults { .. } => RESOURCE_DEFAULTS,
        Expr::ResourceOverride { .. } => RESOURCE_OVERRIDE,
        Expr::Selector { .. } => SELECTOR,
        Expr::KeyedEntry { .. } => KEYED_ENTRY,
        Expr::AttributeOperation { .. } => ATTRIBUTE_OPERATION,
        Expr::AttributesOperation(_) => ATTRIBUTES_OPERATION,
        Expr::Parameter { .. } => PARAMETER,
        Expr::ResourceBody { .. } => RESOURCE_BODY,
        Expr::SelectorEntry { .. } => SELECTOR_ENTRY,
        Expr::Named(named) => match ast.named(named).kind {
            NamedKind::Class => CLASS,
            NamedKind::Define => DEFINE,
            NamedKind::Function => FUNCTION,
            NamedKind::Plan => PLAN,
        },
        Expr::Node { .. } => NODE,
        Expr::TypeAlias { .. } => TYPE_ALIAS,
        Expr::TypeMapping { .. } => TYPE_MAPPING,
        Expr::TypeDefinition(_) => TYPE_DEFINITION,
    })
}

/// What a node of each tag is to its parent.
pub(super) static ROLES: [Role; 256] = {
    let mut roles = [Role::Expression; 256];
    roles[CASE_OPTION as usize] = Role::Option;
    roles[QUERY as usize] = Role::Query;
    roles[KEYED_ENTRY as usize] = Role::Entry;
    roles[ATTRIBUTE_OPERATION as usize] = Role::Operation;
    roles[ATTRIBUTES_OPERATION as usize] = Role::Operation;
    roles[PARAMETER as usize] = Role::Parameter;
    roles[RESOURCE_BODY as usize] = Role::Body;
    roles[SELECTOR_ENTRY as usize] = Role::Selector;
    roles
};
