//! Content of the row of a node.

use kukla_base::Span;

use super::group::{
    APPEND, BINARY_OPS, CONSTANTS, FORMS, NAMED_KINDS, RADIXES, SET, SPLAT, Sequence, UNARY_OPS,
};
use super::{Group, all_of, behind_dollar, between_quotes};
use kukla_syntax::ast::{Ast, CallKind, Expr, ExprId, ExprList, Named, Text, TypeDefinition};

/// A piece of a row, one number or two, and the data that it adds to the section.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    Number(u32),
    Text(Text),
    Span(Span),
    /// The length of a text that is added to the built ones.
    Built(Text),
    Child(ExprId),
    Optional(Option<ExprId>),
    /// The length of a list of expressions.
    List(ExprList),
    /// The length of a list of parts.
    Parts(Group, ExprList),
    /// No number at all.
    Query(ExprId),
}

use Piece::{Child, List, Number, Optional, Parts};

/// Adds the pieces of the row of a node after its span; `None` if Puppet's model can't have the node.
#[expect(clippy::too_many_lines, reason = "a list of all nodes, an arm each")]
pub(super) fn push(ast: &Ast, id: ExprId, out: &mut Vec<Piece>) -> Option<Group> {
    let text = Piece::Text;
    if let Some(leaf) = leaf(ast, id) {
        return Some(leaf);
    }
    Some(match ast[id] {
        Expr::Error => return None,
        constant @ (Expr::Nop | Expr::Undef | Expr::Default | Expr::Boolean(_)) => {
            out.push(number_of(&CONSTANTS, constant)?);
            Group::Constant
        }
        Expr::String(of) if ast.is_built(of) => {
            out.push(Piece::Built(of));
            Group::BuiltString
        }
        Expr::String(of) => {
            out.push(text(of));
            Group::StringOf
        }
        Expr::QualifiedName(of) => {
            out.push(text(of));
            Group::NameOf
        }
        Expr::QualifiedReference(of) => {
            out.push(text(of));
            Group::ReferenceOf
        }
        Expr::Variable(of) => {
            out.extend([text(of), Piece::Span(ast.name_span(id))]);
            Group::VariableOf
        }
        Expr::Integer { digits, radix } => {
            out.extend([number_of(&RADIXES, radix)?, text(digits)]);
            Group::IntegerOf
        }
        Expr::Regexp(of) => {
            out.push(text(of));
            Group::Regexp
        }
        Expr::Float(of) => {
            out.push(text(of));
            Group::Float
        }
        Expr::RenderString(of) => {
            out.push(text(of));
            Group::RenderString
        }
        Expr::ReservedWord(of) => {
            out.push(text(of));
            Group::ReservedWord
        }
        Expr::Unary { op, expr } => {
            out.extend([number_of(&UNARY_OPS, op)?, Child(expr)]);
            Group::Unary
        }
        Expr::Binary { op, left, right } => {
            out.extend([number_of(&BINARY_OPS, op)?, Child(left), Child(right)]);
            Group::Binary
        }
        Expr::Access { left, keys } => {
            out.extend([Child(left), List(keys)]);
            Group::Access
        }
        Expr::NamedAccess { left, name } => {
            out.extend([Child(left), text(name)]);
            Group::NamedAccess
        }
        Expr::List(all) => sequence(Sequence::List, all, out),
        Expr::Block(all) => sequence(Sequence::Block, all, out),
        Expr::ApplyBlock(all) => sequence(Sequence::ApplyBlock, all, out),
        Expr::Concat(all) => sequence(Sequence::Concat, all, out),
        Expr::Hash(entries) => {
            out.push(Parts(Group::KeyedEntry, entries));
            Group::Hash
        }
        Expr::Case { test, options } => {
            out.extend([Child(test), Parts(Group::CaseOption, options)]);
            Group::Case
        }
        Expr::Collect { type_, query, operations } => {
            let operations = Parts(Group::Operation, operations);
            out.extend([Child(type_), Piece::Query(query), operations]);
            Group::Collect
        }
        Expr::Heredoc { text: child, syntax } => {
            out.extend([Child(child), text(syntax)]);
            Group::Heredoc
        }
        Expr::Lambda { parameters, body, return_type } => {
            let parameters = Parts(Group::Parameter, parameters);
            out.extend([parameters, Optional(body), Optional(return_type)]);
            Group::Lambda
        }
        Expr::Apply { arguments, body } => {
            out.extend([List(arguments), Child(body)]);
            Group::Apply
        }
        Expr::If { test, then, otherwise } => {
            out.extend([Child(test), Optional(then), Optional(otherwise)]);
            Group::If
        }
        Expr::Unless { test, then, otherwise } => {
            out.extend([Child(test), Optional(then), Optional(otherwise)]);
            Group::Unless
        }
        Expr::Call { kind, rvalue, functor, arguments, lambda } => {
            let flags = bits([kind == CallKind::Method, rvalue]);
            out.extend([flags, Child(functor), List(arguments), Optional(lambda)]);
            Group::Call
        }
        Expr::Epp { parameters_specified, body } => {
            out.extend([bits([parameters_specified]), Optional(body)]);
            Group::Epp
        }
        Expr::Resource { type_name, form, bodies } => {
            let bodies = Parts(Group::ResourceBody, bodies);
            out.extend([number_of(&FORMS, form)?, Child(type_name), bodies]);
            Group::Resource
        }
        Expr::ResourceDefaults { form, type_ref, operations } => {
            let operations = Parts(Group::Operation, operations);
            out.extend([number_of(&FORMS, form)?, Child(type_ref), operations]);
            Group::ResourceDefaults
        }
        Expr::ResourceOverride { form, resources, operations } => {
            let operations = Parts(Group::Operation, operations);
            out.extend([number_of(&FORMS, form)?, Child(resources), operations]);
            Group::ResourceOverride
        }
        Expr::Selector { left, selectors } => {
            out.extend([Child(left), Parts(Group::SelectorEntry, selectors)]);
            Group::Selector
        }
        Expr::Named(named) => {
            let Named { kind, name, parameters, body, return_type, parent_class } =
                *ast.named(named);
            out.extend([number_of(&NAMED_KINDS, kind)?, text(name)]);
            out.extend([Parts(Group::Parameter, parameters), Optional(body)]);
            out.extend([Optional(return_type), bits([parent_class.is_some()])]);
            out.push(text(parent_class.unwrap_or_default()));
            Group::Named
        }
        Expr::Node { matches, parent, body } => {
            out.extend([Optional(parent), List(matches), Optional(body)]);
            Group::Node
        }
        Expr::TypeAlias { name, type_ } => {
            out.extend([text(name), Child(type_)]);
            Group::TypeAlias
        }
        Expr::TypeMapping { type_, mapping } => {
            out.extend([Child(type_), Child(mapping)]);
            Group::TypeMapping
        }
        Expr::TypeDefinition(definition) => {
            let TypeDefinition { name, parent, body } = *ast.type_definition(definition);
            out.extend([text(name), bits([parent.is_some()])]);
            out.extend([text(parent.unwrap_or_default()), Optional(body)]);
            Group::TypeDefinition
        }
        Expr::CaseOption { values, then } => {
            out.extend([List(values), Optional(then)]);
            Group::CaseOption
        }
        Expr::KeyedEntry { key, value } => {
            out.extend([Child(key), Child(value)]);
            Group::KeyedEntry
        }
        Expr::ResourceBody { title, operations } => {
            out.extend([Child(title), Parts(Group::Operation, operations)]);
            Group::ResourceBody
        }
        Expr::AttributeOperation { name, append, value } => {
            let which = Number(if append { APPEND } else { SET });
            out.extend([which, text(name), Child(value)]);
            Group::Operation
        }
        Expr::AttributesOperation(value) => {
            out.extend([Number(SPLAT), text(Text::default()), Child(value)]);
            Group::Operation
        }
        Expr::Parameter { name, value, type_, captures_rest } => {
            let flags = bits([captures_rest]);
            out.extend([flags, text(name), Optional(value), Optional(type_)]);
            Group::Parameter
        }
        Expr::SelectorEntry { matching, value } => {
            out.extend([Child(matching), Child(value)]);
            Group::SelectorEntry
        }
        Expr::Query { exported, expr } => {
            out.extend([bits([exported]), Optional(expr)]);
            Group::Query
        }
    })
}

/// Returns the group of a leaf that consists of a span only; `None` for another node.
fn leaf(ast: &Ast, id: ExprId) -> Option<Group> {
    let span = ast.span(id);
    let is_usual = || span.len >= 1 && all_of(ast.name_span(id)) == behind_dollar(span);
    Some(match ast[id] {
        Expr::String(text) if span.len >= 2 && text == between_quotes(span) => Group::String,
        Expr::QualifiedName(text) if text == all_of(span) => Group::Name,
        Expr::QualifiedReference(text) if text == all_of(span) => Group::Reference,
        Expr::Variable(text) if is_usual() && text == behind_dollar(span) => Group::Variable,
        Expr::Variable(text) if is_usual() && text == all_of(span) => Group::BareVariable,
        Expr::Integer { digits, radix: 10 } if digits == all_of(span) => Group::Integer,
        _ => return None,
    })
}

fn sequence(which: Sequence, all: ExprList, out: &mut Vec<Piece>) -> Group {
    out.extend([Number(which as u32), List(all)]);
    Group::Sequence
}

/// Packs flags into a number, the first as the lowest bit.
fn bits<const N: usize>(all: [bool; N]) -> Piece {
    Number(all.iter().rev().fold(0, |bits, &bit| bits << 1 | u32::from(bit)))
}

fn number_of<T: PartialEq + Copy>(all: &[T], one: T) -> Option<Piece> {
    all.iter().position(|it| *it == one).and_then(|at| u32::try_from(at).ok()).map(Number)
}
