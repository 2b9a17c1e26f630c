//! Literal values, for the detection of duplicate keys.

use std::borrow::Cow;
use std::fmt::Write as _;

use kukla_base::{Edition, EditionChange};

use crate::ast::{Ast, Expr, ExprId, UnaryOp};
use crate::integer;
use kukla_regex as regexp;
use kukla_rubytext::float;

/// The depth from which values do not count as literal, since their comparison would cost too much.
const MAX_DEPTH: usize = 60;

/// A value that compares as in Ruby's `eql?`.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Literal<'a> {
    /// A string or name, the most frequent case.
    Text(Cow<'a, str>),
    /// Any other value, in a text that differs if the values differ.
    Other(String),
}

/// A reader of literals by the rules of an edition.
#[derive(Clone, Copy)]
pub(super) struct Literals<'a> {
    ast: &'a Ast,
    /// Whether types, references and negative numbers are literal.
    is_wide: bool,
}

impl<'a> Literals<'a> {
    /// Returns a reader of the literals of a tree.
    pub(super) fn new(ast: &'a Ast, edition: Edition) -> Self {
        Self { ast, is_wide: edition.has(EditionChange::WideDuplicateKeys) }
    }

    /// Returns the value of an expression, if it is literal.
    pub(super) fn value(self, id: ExprId) -> Option<Literal<'a>> {
        match self.ast[id] {
            Expr::Variable(_) | Expr::Concat(_) | Expr::Call { .. } => None,
            _ => match self.text(id) {
                Some(text) => Some(Literal::Text(text)),
                None => self.inspect(id).map(Literal::Other),
            },
        }
    }

    /// Returns the text of a key in a message.
    pub(super) fn to_s(self, id: ExprId) -> String {
        match self.ast[id] {
            Expr::Undef => String::new(),
            Expr::Default => "default".to_owned(),
            Expr::Regexp(source) => regexp::to_s(self.ast.text(source)),
            _ => match self.text(id) {
                Some(text) => text.into_owned(),
                None => self.inspect(id).unwrap_or_default(),
            },
        }
    }

    /// Returns the value of an expression that is a text: a string, a name, or the name of a type.
    fn text(self, id: ExprId) -> Option<Cow<'a, str>> {
        match self.ast[id] {
            Expr::String(text) | Expr::QualifiedName(text) => Some(self.ast.text(text).into()),
            Expr::QualifiedReference(name) if self.is_wide => {
                Some(self.ast.text(name).to_lowercase().into())
            }
            // Ruby's `-"a"` is the text itself.
            Expr::Unary { op: UnaryOp::Minus, expr } if self.is_wide => match self.ast[expr] {
                Expr::String(_) | Expr::QualifiedName(_) | Expr::QualifiedReference(_) => {
                    self.text(expr)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Formats a literal as Ruby's `inspect` does.
    fn inspect(self, id: ExprId) -> Option<String> {
        let mut out = String::new();
        self.write(id, MAX_DEPTH, &mut out).map(|()| out)
    }

    /// Appends a literal; `None` if it is not literal.
    fn write(self, id: ExprId, depth: usize, out: &mut String) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let ast = self.ast;
        match ast[id] {
            Expr::Integer { digits, radix } => {
                out.push_str(&integer::to_decimal(ast.text(digits), radix));
            }
            Expr::Float(digits) => out.push_str(&float::to_s(ast.float(digits))),
            Expr::Boolean(value) => out.push_str(if value { "true" } else { "false" }),
            Expr::Undef => out.push_str("nil"),
            Expr::Default => out.push_str(":default"),
            Expr::Regexp(source) => out.push_str(&regexp::inspect(ast.text(source))),
            Expr::List(values) => self.write_list(ast.list(values), depth, out)?,
            Expr::Hash(entries) => {
                out.push('{');
                for (at, &entry) in ast.list(entries).iter().enumerate() {
                    let Expr::KeyedEntry { key, value } = ast[entry] else { return None };
                    out.push_str(if at == 0 { "" } else { ", " });
                    self.write(key, depth, out)?;
                    out.push_str("=>");
                    self.write(value, depth, out)?;
                }
                out.push('}');
            }
            // Puppet 8 compares the list in brackets only.
            Expr::Access { left: _, keys } if self.is_wide => match ast.list(keys) {
                [key] if matches!(ast[*key], Expr::List(_)) => return None,
                keys => self.write_list(keys, depth, out)?,
            },
            Expr::Unary { op: UnaryOp::Minus, expr } if self.is_wide => {
                self.write_negative(expr, depth, out)?;
            }
            _ => {
                // Writing to a string can't fail.
                let _ = write!(out, "{:?}", self.text(id)?);
            }
        }
        Some(())
    }

    fn write_list(self, values: &[ExprId], depth: usize, out: &mut String) -> Option<()> {
        out.push('[');
        for (at, &value) in values.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { ", " });
            self.write(value, depth, out)?;
        }
        out.push(']');
        Some(())
    }

    /// Appends a number with the other sign.
    fn write_negative(self, id: ExprId, depth: usize, out: &mut String) -> Option<()> {
        let mut number = String::new();
        match self.ast[id] {
            Expr::Integer { .. } | Expr::Float(_) => self.write(id, depth, &mut number)?,
            Expr::Unary { op: UnaryOp::Minus, expr } => {
                self.write_negative(expr, depth.checked_sub(1)?, &mut number)?;
            }
            _ => {
                let _ = write!(out, "{:?}", self.text(id)?);
                return Some(());
            }
        }
        match number.strip_prefix('-') {
            Some(positive) => out.push_str(positive),
            None if number == "0" => out.push('0'),
            None => out.extend(["-", &number]),
        }
        Some(())
    }
}
