//! What a node is, in one byte, and the details in another.
//!
//! The details are the number of an operator or form, or bits: flags, and which of its children a node has.
//! Tags are sorted: expressions, then parts of expressions, then definitions. Leaves have none; a string, name,
//! reference or variable has one if its text does not follow from its span.

use crate::ast::{AssignmentOp, Ast, BinaryOp, CallKind, Expr, ExprId, Form, NamedKind, UnaryOp};

/// Tag and details. Nodes that have the same also have the same kinds of parts.
pub(super) type Shape = (u8, u8);

pub(super) const NOP: u8 = 0;
pub(super) const UNDEF: u8 = 1;
pub(super) const DEFAULT: u8 = 2;
pub(super) const BOOLEAN: u8 = 3;
pub(super) const STRING: u8 = 4;
pub(super) const NAME: u8 = 5;
pub(super) const REFERENCE: u8 = 6;
pub(super) const VARIABLE: u8 = 7;
pub(super) const REGEXP: u8 = 8;
pub(super) const FLOAT: u8 = 9;
pub(super) const RENDER_STRING: u8 = 10;
pub(super) const RESERVED_WORD: u8 = 11;
pub(super) const INTEGER: u8 = 12;
pub(super) const UNARY: u8 = 13;
pub(super) const BINARY: u8 = 14;
pub(super) const ACCESS: u8 = 15;
pub(super) const NAMED_ACCESS: u8 = 16;
pub(super) const LIST: u8 = 17;
pub(super) const HASH: u8 = 18;
pub(super) const BLOCK: u8 = 19;
pub(super) const APPLY_BLOCK: u8 = 20;
pub(super) const CONCAT: u8 = 21;
pub(super) const CASE: u8 = 22;
pub(super) const COLLECT: u8 = 23;
pub(super) const HEREDOC: u8 = 24;
pub(super) const LAMBDA: u8 = 25;
pub(super) const APPLY: u8 = 26;
pub(super) const IF: u8 = 27;
pub(super) const UNLESS: u8 = 28;
pub(super) const CALL: u8 = 29;
pub(super) const EPP: u8 = 30;
pub(super) const RESOURCE: u8 = 31;
pub(super) const RESOURCE_DEFAULTS: u8 = 32;
pub(super) const RESOURCE_OVERRIDE: u8 = 33;
pub(super) const SELECTOR: u8 = 34;

pub(super) const CASE_OPTION: u8 = 35;
pub(super) const QUERY: u8 = 36;
pub(super) const KEYED_ENTRY: u8 = 37;
pub(super) const ATTRIBUTE_OPERATION: u8 = 38;
pub(super) const ATTRIBUTES_OPERATION: u8 = 39;
pub(super) const PARAMETER: u8 = 40;
pub(super) const RESOURCE_BODY: u8 = 41;
pub(super) const SELECTOR_ENTRY: u8 = 42;

/// The first of the definitions.
pub(super) const DEFINITIONS: u8 = CLASS;
pub(super) const CLASS: u8 = 43;
pub(super) const DEFINE: u8 = 44;
pub(super) const FUNCTION: u8 = 45;
pub(super) const PLAN: u8 = 46;
pub(super) const NODE: u8 = 47;
pub(super) const TYPE_ALIAS: u8 = 48;
pub(super) const TYPE_MAPPING: u8 = 49;
pub(super) const TYPE_DEFINITION: u8 = 50;

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

/// The shape of a node; `None` of one that Puppet's model can't have.
pub(super) fn of(ast: &Ast, id: ExprId) -> Option<Shape> {
    Some(match ast[id] {
        Expr::Error => return None,
        Expr::String(_) => (STRING, 0),
        Expr::QualifiedName(_) => (NAME, 0),
        Expr::QualifiedReference(_) => (REFERENCE, 0),
        Expr::Variable(_) => (VARIABLE, 0),
        Expr::Nop => (NOP, 0),
        Expr::Undef => (UNDEF, 0),
        Expr::Default => (DEFAULT, 0),
        Expr::Boolean(value) => (BOOLEAN, u8::from(value)),
        Expr::Regexp(_) => (REGEXP, 0),
        Expr::Float(_) => (FLOAT, 0),
        Expr::RenderString(_) => (RENDER_STRING, 0),
        Expr::ReservedWord(_) => (RESERVED_WORD, 0),
        Expr::Integer { digits: _, radix } => (INTEGER, place(&RADIXES, radix)?),
        Expr::Unary { op, expr: _ } => (UNARY, place(&UNARY_OPS, op)?),
        Expr::Binary { op, left: _, right: _ } => (BINARY, place(&BINARY_OPS, op)?),
        Expr::Access { .. } => (ACCESS, 0),
        Expr::NamedAccess { .. } => (NAMED_ACCESS, 0),
        Expr::List(_) => (LIST, 0),
        Expr::Block(_) => (BLOCK, 0),
        Expr::ApplyBlock(_) => (APPLY_BLOCK, 0),
        Expr::Concat(_) => (CONCAT, 0),
        Expr::Hash(_) => (HASH, 0),
        Expr::Case { .. } => (CASE, 0),
        Expr::CaseOption { values: _, then } => (CASE_OPTION, bits([then.is_some()])),
        Expr::Query { exported, expr } => (QUERY, bits([exported, expr.is_some()])),
        Expr::Collect { .. } => (COLLECT, 0),
        Expr::Heredoc { .. } => (HEREDOC, 0),
        Expr::Lambda { parameters: _, body, return_type } => {
            (LAMBDA, bits([body.is_some(), return_type.is_some()]))
        }
        Expr::Apply { .. } => (APPLY, 0),
        Expr::If { test: _, then, otherwise } => (IF, bits([then.is_some(), otherwise.is_some()])),
        Expr::Unless { test: _, then, otherwise } => {
            (UNLESS, bits([then.is_some(), otherwise.is_some()]))
        }
        Expr::Call { kind, rvalue, functor: _, arguments: _, lambda } => {
            (CALL, bits([kind == CallKind::Method, rvalue, lambda.is_some()]))
        }
        Expr::Epp { parameters_specified, body } => {
            (EPP, bits([parameters_specified, body.is_some()]))
        }
        Expr::Resource { form, .. } => (RESOURCE, place(&FORMS, form)?),
        Expr::ResourceDefaults { form, .. } => (RESOURCE_DEFAULTS, place(&FORMS, form)?),
        Expr::ResourceOverride { form, .. } => (RESOURCE_OVERRIDE, place(&FORMS, form)?),
        Expr::Selector { .. } => (SELECTOR, 0),
        Expr::KeyedEntry { .. } => (KEYED_ENTRY, 0),
        Expr::AttributeOperation { append, .. } => (ATTRIBUTE_OPERATION, bits([append])),
        Expr::AttributesOperation(_) => (ATTRIBUTES_OPERATION, 0),
        Expr::Parameter { name: _, value, type_, captures_rest } => {
            (PARAMETER, bits([captures_rest, value.is_some(), type_.is_some()]))
        }
        Expr::ResourceBody { .. } => (RESOURCE_BODY, 0),
        Expr::SelectorEntry { .. } => (SELECTOR_ENTRY, 0),
        Expr::Named(named) => {
            let named = ast.named(named);
            let tag = match named.kind {
                NamedKind::Class => CLASS,
                NamedKind::Define => DEFINE,
                NamedKind::Function => FUNCTION,
                NamedKind::Plan => PLAN,
            };
            let has = [&named.body, &named.return_type].map(Option::is_some);
            (tag, bits([has[0], has[1], named.parent_class.is_some()]))
        }
        Expr::Node { matches: _, parent, body } => (NODE, bits([parent.is_some(), body.is_some()])),
        Expr::TypeAlias { .. } => (TYPE_ALIAS, 0),
        Expr::TypeMapping { .. } => (TYPE_MAPPING, 0),
        Expr::TypeDefinition(definition) => {
            let definition = ast.type_definition(definition);
            (TYPE_DEFINITION, bits([definition.parent.is_some(), definition.body.is_some()]))
        }
    })
}

/// Whether a node is a definition.
pub(super) fn is_definition(ast: &Ast, id: ExprId) -> bool {
    of(ast, id).is_some_and(|(tag, _)| tag >= DEFINITIONS)
}

/// The first is the lowest bit.
fn bits<const N: usize>(all: [bool; N]) -> u8 {
    all.iter().rev().fold(0, |bits, &bit| bits << 1 | u8::from(bit))
}

fn place<T: PartialEq + Copy>(all: &[T], one: T) -> Option<u8> {
    all.iter().position(|it| *it == one).and_then(|at| u8::try_from(at).ok())
}
