//! Literal values, for finding keys that are there twice.

use crate::ast::{Ast, Expr, ExprId};
use crate::external::{regexp, ruby};
use crate::integer;

/// A value that compares as Ruby's `eql?` does, and its text in messages.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Literal<'a> {
    /// A string or name: by far the most frequent.
    Text(&'a str),
    /// Anything else, in a form of its own that differs if the values differ.
    Other(String),
}

impl<'a> Literal<'a> {
    /// The value of an expression, if it is literal.
    pub(super) fn of(ast: &'a Ast, id: ExprId) -> Option<Self> {
        match ast[id] {
            Expr::String(text) | Expr::QualifiedName(text) => Some(Self::Text(ast.text(text))),
            Expr::Variable(_) | Expr::Concat(_) | Expr::Call { .. } => None,
            _ => inspect(ast, id).map(Self::Other),
        }
    }
}

/// What the message says of a key.
pub(super) fn to_s(ast: &Ast, id: ExprId) -> String {
    match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => ast.text(text).to_owned(),
        Expr::Undef => String::new(),
        Expr::Default => "default".to_owned(),
        Expr::Regexp(source) => regexp::to_s(ast.text(source)),
        _ => inspect(ast, id).unwrap_or_default(),
    }
}

/// A literal as Ruby's `inspect` shows it.
fn inspect(ast: &Ast, id: ExprId) -> Option<String> {
    Some(match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => format!("{:?}", ast.text(text)),
        Expr::Integer { digits, radix } => integer::to_decimal(ast.text(digits), radix),
        Expr::Float(digits) => ruby::float_to_s(ast.float(digits)),
        Expr::Boolean(value) => value.to_string(),
        Expr::Undef => "nil".to_owned(),
        Expr::Default => ":default".to_owned(),
        Expr::Regexp(source) => regexp::inspect(ast.text(source)),
        Expr::List(values) => {
            let values: Option<Vec<String>> =
                ast.list(values).iter().map(|&value| inspect(ast, value)).collect();
            format!("[{}]", values?.join(", "))
        }
        Expr::Hash(entries) => {
            let entries: Option<Vec<String>> = ast
                .list(entries)
                .iter()
                .map(|&entry| match ast[entry] {
                    Expr::KeyedEntry { key, value } => {
                        Some(format!("{}=>{}", inspect(ast, key)?, inspect(ast, value)?))
                    }
                    _ => None,
                })
                .collect();
            format!("{{{}}}", entries?.join(", "))
        }
        _ => return None,
    })
}
