//! The tree for people: one node per line, indented, with its text and its place.

use std::fmt::Write as _;

use kukla_base::{Source, Span};

use crate::ast::{Ast, Child, Expr, ExprId};

/// The number of characters of a text that are shown.
const MAX_TEXT: usize = 60;

/// The maximum indentation, in levels; deeper nodes would be unreadable.
const MAX_INDENTED: usize = 50;

/// Formats the tree of `source`.
///
/// Places are Puppet's own: `line:column`, and the first and last byte.
pub fn tree(ast: &Ast, source: &Source) -> String {
    let mut out = String::new();
    let mut rest: Vec<(Child, usize)> =
        ast.body().map(|id| (Child::Node(id), 0)).into_iter().collect();
    let mut children = Vec::new();
    while let Some((child, depth)) = rest.pop() {
        let _ = write!(out, "{:width$}", "", width = depth.min(MAX_INDENTED) * 2);
        match child {
            Child::Name(span) => line(&mut out, "QualifiedName", None, span, source),
            Child::Node(id) => {
                let detail = detail(ast, id);
                line(&mut out, ast.class_name(id), detail.as_deref(), ast.span(id), source);
                ast.push_children(id, &mut children);
                rest.extend(children.drain(..).rev().map(|child| (child, depth + 1)));
            }
        }
    }
    out
}

fn line(out: &mut String, class: &str, detail: Option<&str>, span: Span, source: &Source) {
    let place = source.line_column(span.start);
    let detail = detail.map(|detail| format!(" {detail}")).unwrap_or_default();
    // Writing to a string can't fail.
    let _ = writeln!(
        out,
        "{class}{detail} @ {}:{} [{}..{}]",
        place.line,
        place.column,
        span.start,
        span.end()
    );
}

/// Returns the properties of a node besides its children.
fn detail(ast: &Ast, id: ExprId) -> Option<String> {
    Some(match ast[id] {
        Expr::Binary { op, .. } => op.as_str().to_owned(),
        Expr::String(text)
        | Expr::RenderString(text)
        | Expr::Regexp(text)
        | Expr::QualifiedName(text)
        | Expr::QualifiedReference(text)
        | Expr::ReservedWord(text)
        | Expr::Float(text)
        | Expr::Integer { digits: text, .. }
        | Expr::Parameter { name: text, .. }
        | Expr::AttributeOperation { name: text, .. }
        | Expr::NamedAccess { name: text, .. }
        | Expr::TypeAlias { name: text, .. }
        | Expr::Variable(text) => short(ast.text(text)),
        Expr::Named(named) => short(ast.text(ast.named(named).name)),
        Expr::TypeDefinition(definition) => short(ast.text(ast.type_definition(definition).name)),
        Expr::Heredoc { syntax, .. } if !syntax.is_empty() => short(ast.text(syntax)),
        Expr::Boolean(value) => value.to_string(),
        Expr::Resource { form, .. } => form.as_str().to_owned(),
        _ => return None,
    })
}

fn short(text: &str) -> String {
    let excerpt: String = text.chars().take(MAX_TEXT).collect();
    let more = if excerpt.len() < text.len() { "…" } else { "" };
    format!("{excerpt:?}{more}")
}
