//! Text of the parameters in the brackets of a type.

use std::collections::BTreeSet;

use kukla_syntax::Ast;
use kukla_syntax::ast::{Expr, ExprId, UnaryOp};

use crate::classes::quote;

/// Returns the parameters in the brackets of `Name[…]`.
pub(super) fn parameters_of<'a>(ast: &'a Ast, id: ExprId, wanted: &str) -> Option<&'a [ExprId]> {
    let Expr::Access { left, keys } = ast[id] else { return None };
    match ast[left] {
        Expr::QualifiedReference(name) if ast.text(name).eq_ignore_ascii_case(wanted) => {
            Some(ast.list(keys))
        }
        _ => None,
    }
}

pub(super) fn enumeration(ast: &Ast, keys: &[ExprId]) -> Option<String> {
    let (keys, folds_case) = match keys.split_last() {
        Some((&last, rest)) => match ast[last] {
            Expr::Boolean(folds_case) => (rest, folds_case),
            _ => (keys, false),
        },
        None => return None,
    };
    let values = keys.iter().map(|&id| string_value(ast, id));
    let values: BTreeSet<&str> = values.collect::<Option<_>>()?;
    let mut texts: Vec<String> = values.iter().map(|value| quote::string(value)).collect();
    texts.extend(folds_case.then(|| "true".to_owned()));
    Some(format!("Enum[{}]", texts.join(", ")))
}

pub(super) fn patterns(ast: &Ast, name: &str, keys: &[ExprId]) -> Option<String> {
    let texts = keys.iter().map(|&id| match ast[id] {
        Expr::Regexp(source) => Some(quote::regexp(ast.text(source))),
        _ => string_value(ast, id).map(quote::regexp),
    });
    Some(format!("{name}[{}]", texts.collect::<Option<Vec<String>>>()?.join(", ")))
}

/// Returns `from` and `to` without a final `default`. A size starts at 0.
pub(super) fn range_parts(ast: &Ast, keys: &[ExprId], is_size: bool) -> Option<Vec<String>> {
    if let [only] = keys
        && let Some(keys) = parameters_of(ast, *only, "Integer")
    {
        return range_parts(ast, keys, is_size);
    }
    let mut parts = keys.iter().map(|&id| literal(ast, id)).collect::<Option<Vec<String>>>()?;
    if is_size && parts.first().is_some_and(|from| from == "default") {
        "0".clone_into(&mut parts[0]);
    }
    while parts.last().is_some_and(|last| last == "default") {
        parts.pop();
    }
    Some(parts)
}

/// Returns whether this is a bound of a range.
pub(super) fn is_bound(ast: &Ast, id: ExprId) -> bool {
    matches!(ast[id], Expr::Integer { .. } | Expr::Default | Expr::Unary { .. })
}

pub(super) fn as_float(bound: &str) -> String {
    bound.parse().map_or_else(|_| bound.to_owned(), |bound: f64| format!("{bound:?}"))
}

pub(super) fn capitalized(segment: &str) -> String {
    let mut letters = segment.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

pub(super) fn string_value(ast: &Ast, id: ExprId) -> Option<&str> {
    match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => Some(ast.text(text)),
        Expr::Concat(segments) => match ast.list(segments) {
            [segment] => string_value(ast, *segment),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a value in the brackets of a type.
pub(super) fn literal(ast: &Ast, id: ExprId) -> Option<String> {
    match ast[id] {
        Expr::Integer { digits, radix } => ast.integer(digits, radix).map(|n| n.to_string()),
        Expr::Float(digits) => Some(format!("{:?}", ast.float(digits))),
        Expr::Unary { op: UnaryOp::Minus, expr } => {
            literal(ast, expr).map(|number| format!("-{number}"))
        }
        Expr::Default => Some("default".to_owned()),
        Expr::Undef => Some("undef".to_owned()),
        Expr::Boolean(value) => Some(value.to_string()),
        Expr::Regexp(source) => Some(quote::regexp(ast.text(source))),
        _ => string_value(ast, id).map(quote::string),
    }
}
