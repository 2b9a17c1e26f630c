//! What a node takes from the columns, in order.

use super::Role;
use crate::ast::{Ast, Expr, ExprId, ExprList, Named, Text, TypeDefinition};

/// A part of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Text(Text),
    Child(Role, ExprId),
    List(Role, ExprList),
}

use Role::{Body, Entry, Expression, Operation, Option as Choice, Parameter, Query, Selector};

/// Adds the parts of a node; those that it may have but has not are left out.
#[expect(clippy::too_many_lines, reason = "a list of all nodes, an arm each")]
pub(super) fn push(ast: &Ast, id: ExprId, out: &mut Vec<Part>) {
    let child = |id| Part::Child(Expression, id);
    let list = |list| Part::List(Expression, list);
    match ast[id] {
        Expr::Nop | Expr::Error | Expr::Undef | Expr::Default | Expr::Boolean(_) => {}
        Expr::String(text)
        | Expr::QualifiedName(text)
        | Expr::QualifiedReference(text)
        | Expr::Variable(text)
        | Expr::Regexp(text)
        | Expr::Float(text)
        | Expr::RenderString(text)
        | Expr::ReservedWord(text)
        | Expr::Integer { digits: text, radix: _ } => out.push(Part::Text(text)),
        Expr::Unary { op: _, expr } | Expr::AttributesOperation(expr) => out.push(child(expr)),
        Expr::Binary { op: _, left, right } => out.extend([child(left), child(right)]),
        Expr::Access { left, keys } => out.extend([child(left), list(keys)]),
        Expr::NamedAccess { left, name } => out.extend([child(left), Part::Text(name)]),
        Expr::List(all) | Expr::Block(all) | Expr::ApplyBlock(all) | Expr::Concat(all) => {
            out.push(list(all));
        }
        Expr::Hash(entries) => out.push(Part::List(Entry, entries)),
        Expr::Case { test, options } => out.extend([child(test), Part::List(Choice, options)]),
        Expr::CaseOption { values, then } => {
            out.push(list(values));
            out.extend(then.map(child));
        }
        Expr::Query { exported: _, expr } => out.extend(expr.map(child)),
        Expr::Collect { type_, query, operations } => {
            let query = Part::Child(Query, query);
            out.extend([child(type_), query, Part::List(Operation, operations)]);
        }
        Expr::Heredoc { text, syntax } => out.extend([child(text), Part::Text(syntax)]),
        Expr::Lambda { parameters, body, return_type } => {
            out.push(Part::List(Parameter, parameters));
            out.extend([body, return_type].into_iter().flatten().map(child));
        }
        Expr::Apply { arguments, body } => out.extend([list(arguments), child(body)]),
        Expr::If { test, then, otherwise } | Expr::Unless { test, then, otherwise } => {
            out.extend([Some(test), then, otherwise].into_iter().flatten().map(child));
        }
        Expr::Call { kind: _, rvalue: _, functor, arguments, lambda } => {
            out.extend([child(functor), list(arguments)]);
            out.extend(lambda.map(child));
        }
        Expr::Epp { parameters_specified: _, body } => out.extend(body.map(child)),
        Expr::Resource { type_name, form: _, bodies } => {
            out.extend([child(type_name), Part::List(Body, bodies)]);
        }
        Expr::ResourceDefaults { form: _, type_ref: child_, operations }
        | Expr::ResourceOverride { form: _, resources: child_, operations } => {
            out.extend([child(child_), Part::List(Operation, operations)]);
        }
        Expr::Selector { left, selectors } => {
            out.extend([child(left), Part::List(Selector, selectors)]);
        }
        Expr::KeyedEntry { key, value } => out.extend([child(key), child(value)]),
        Expr::AttributeOperation { name, append: _, value } => {
            out.extend([Part::Text(name), child(value)]);
        }
        Expr::Parameter { name, value, type_, captures_rest: _ } => {
            out.push(Part::Text(name));
            out.extend([value, type_].into_iter().flatten().map(child));
        }
        Expr::ResourceBody { title, operations } => {
            out.extend([child(title), Part::List(Operation, operations)]);
        }
        Expr::SelectorEntry { matching, value } => out.extend([child(matching), child(value)]),
        Expr::Named(named) => {
            let Named { kind: _, name, parameters, body, return_type, parent_class } =
                *ast.named(named);
            out.extend([Part::Text(name), Part::List(Parameter, parameters)]);
            out.extend([body, return_type].into_iter().flatten().map(child));
            out.extend(parent_class.map(Part::Text));
        }
        Expr::Node { matches, parent, body } => {
            out.extend(parent.map(child));
            out.push(list(matches));
            out.extend(body.map(child));
        }
        Expr::TypeAlias { name, type_ } => out.extend([Part::Text(name), child(type_)]),
        Expr::TypeMapping { type_, mapping } => out.extend([child(type_), child(mapping)]),
        Expr::TypeDefinition(definition) => {
            let TypeDefinition { name, parent, body } = *ast.type_definition(definition);
            out.push(Part::Text(name));
            out.extend(parent.map(Part::Text));
            out.extend(body.map(child));
        }
    }
}
