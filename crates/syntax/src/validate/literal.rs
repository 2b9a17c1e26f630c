//! Literal values, for the detection of duplicate keys.

use std::fmt::Write as _;

use crate::ast::{Ast, Expr, ExprId};
use crate::integer;
use kukla_regex as regexp;
use kukla_rubytext::float;

/// The depth from which values do not count as literal, since their comparison would cost too much.
const MAX_DEPTH: usize = 60;

/// A value that compares as in Ruby's `eql?`.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Literal<'a> {
    /// A string or name, the most frequent case.
    Text(&'a str),
    /// Any other value, in a text that differs if the values differ.
    Other(String),
}

impl<'a> Literal<'a> {
    /// Returns the value of an expression, if it is literal.
    pub(super) fn of(ast: &'a Ast, id: ExprId) -> Option<Self> {
        match ast[id] {
            Expr::String(text) | Expr::QualifiedName(text) => Some(Self::Text(ast.text(text))),
            Expr::Variable(_) | Expr::Concat(_) | Expr::Call { .. } => None,
            _ => inspect(ast, id).map(Self::Other),
        }
    }
}

/// Returns the text of a key in a message.
pub(super) fn to_s(ast: &Ast, id: ExprId) -> String {
    match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => ast.text(text).to_owned(),
        Expr::Undef => String::new(),
        Expr::Default => "default".to_owned(),
        Expr::Regexp(source) => regexp::to_s(ast.text(source)),
        _ => inspect(ast, id).unwrap_or_default(),
    }
}

/// Formats a literal as Ruby's `inspect` does.
fn inspect(ast: &Ast, id: ExprId) -> Option<String> {
    let mut out = String::new();
    write(ast, id, MAX_DEPTH, &mut out).map(|()| out)
}

/// Appends a literal; `None` if it is not literal.
fn write(ast: &Ast, id: ExprId, depth: usize, out: &mut String) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => {
            // Writing to a string can't fail.
            let _ = write!(out, "{:?}", ast.text(text));
        }
        Expr::Integer { digits, radix } => {
            out.push_str(&integer::to_decimal(ast.text(digits), radix));
        }
        Expr::Float(digits) => out.push_str(&float::to_s(ast.float(digits))),
        Expr::Boolean(value) => out.push_str(if value { "true" } else { "false" }),
        Expr::Undef => out.push_str("nil"),
        Expr::Default => out.push_str(":default"),
        Expr::Regexp(source) => out.push_str(&regexp::inspect(ast.text(source))),
        Expr::List(values) => {
            out.push('[');
            for (at, &value) in ast.list(values).iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write(ast, value, depth, out)?;
            }
            out.push(']');
        }
        Expr::Hash(entries) => {
            out.push('{');
            for (at, &entry) in ast.list(entries).iter().enumerate() {
                let Expr::KeyedEntry { key, value } = ast[entry] else { return None };
                out.push_str(if at == 0 { "" } else { ", " });
                write(ast, key, depth, out)?;
                out.push_str("=>");
                write(ast, value, depth, out)?;
            }
            out.push('}');
        }
        _ => return None,
    }
    Some(())
}
