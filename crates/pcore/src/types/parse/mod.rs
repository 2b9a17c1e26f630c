//! Types from text, and from expressions that are not evaluated: the right side of an alias.
//!
//! Start at [`parse`] for text and at [`interpret`] for a tree.

mod access;
mod references;
mod scalars;

use std::sync::Arc;

use kukla_syntax::ast::{Expr, ExprId, UnaryOp};
use kukla_syntax::{Ast, Options};

use super::visit::{RED_ZONE, STACK};
use super::{Type, define, named};
use crate::regex::Regex;
use crate::{Hash, Value};

/// A source of types by name, after the built-in ones.
pub trait Names {
    /// Returns the type of a name as written, such as `Stdlib::Port`, in any case.
    fn find(&self, name: &str) -> Option<Type>;
}

/// A source of no types, so that only built-in ones are known.
#[derive(Clone, Copy, Debug)]
pub struct NoNames;

impl Names for NoNames {
    fn find(&self, _: &str) -> Option<Type> {
        None
    }
}

/// Puppet's message for text that is no type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError(pub String);

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParseError {}

impl From<String> for ParseError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

/// The result of parsing.
pub type Parsed<T> = Result<T, ParseError>;

/// Parses a type: `Array[String, 1]`.
pub fn parse(text: &str, names: &dyn Names) -> Parsed<Type> {
    if let Some(type_) = plain_name(text) {
        return Ok(type_);
    }
    with_tree(text, |ast| interpret(ast, ast.body(), names))
}

/// Parses a value: literals, lists and hashes of them, and types.
pub fn parse_literal(text: &str, names: &dyn Names) -> Parsed<Value> {
    with_tree(text, |ast| Interpreter { ast, names }.body(ast.body()))
}

/// Fast path: parses a single name without a tree.
fn plain_name(text: &str) -> Option<Type> {
    let is_name = text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_name { named::named(text) } else { None }
}

fn with_tree<T>(text: &str, f: impl FnOnce(&Ast) -> Parsed<T>) -> Parsed<T> {
    let checked = kukla_syntax::parse(text, &Options::default());
    match checked.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        Some(diagnostic) => Err(ParseError(diagnostic.message.clone())),
        None => f(&checked.ast),
    }
}

/// Interprets an expression as a type, without evaluation; `None` is an empty source.
pub fn interpret(ast: &Ast, expr: Option<ExprId>, names: &dyn Names) -> Parsed<Type> {
    let interpreter = Interpreter { ast, names };
    match interpreter.body(expr)? {
        Value::Type(type_) => Ok((*type_).clone()),
        _ => Err(interpreter.invalid(expr)),
    }
}

/// Interprets an expression as a value, without evaluation: the hash of an Object type.
pub fn interpret_literal(ast: &Ast, expr: ExprId, names: &dyn Names) -> Parsed<Value> {
    Interpreter { ast, names }.any(expr)
}

struct Interpreter<'a> {
    ast: &'a Ast,
    names: &'a dyn Names,
}

impl Interpreter<'_> {
    fn body(&self, expr: Option<ExprId>) -> Parsed<Value> {
        match expr {
            Some(expr) => self.any(expr),
            None => Err(self.invalid(expr)),
        }
    }

    fn any(&self, expr: ExprId) -> Parsed<Value> {
        stacker::maybe_grow(RED_ZONE, STACK, || self.expr(expr))
    }

    fn expr(&self, expr: ExprId) -> Parsed<Value> {
        let ast = self.ast;
        Ok(match ast[expr] {
            Expr::QualifiedReference(name) => self.named(ast.text(name)).into(),
            Expr::Access { left, keys } => {
                let keys = ast.list(keys).iter().map(|&key| self.any(key));
                let keys = keys.collect::<Parsed<Vec<Value>>>()?;
                self.access(expr, left, keys)?.into()
            }
            Expr::QualifiedName(text) | Expr::String(text) => ast.text(text).into(),
            Expr::Heredoc { text, .. } => self.any(text)?,
            Expr::Boolean(value) => value.into(),
            Expr::Default => Value::Default,
            Expr::Undef => Value::Undef,
            Expr::Float(digits) => ast.float(digits).into(),
            Expr::Integer { digits, radix } => match ast.integer(digits, radix) {
                Some(value) => value.into(),
                None => return Err(self.invalid(Some(expr))),
            },
            Expr::Regexp(source) => {
                let regexp = Regex::new(ast.text(source));
                Value::Regexp(regexp.map_err(|error| ParseError(error.to_string()))?)
            }
            Expr::List(values) => {
                let values = ast.list(values).iter().map(|&value| self.any(value));
                Value::array(values.collect::<Parsed<Vec<_>>>()?)
            }
            Expr::Hash(entries) => self.hash(ast.list(entries))?.into(),
            Expr::Unary { op: UnaryOp::Minus, expr: inner } => match self.any(inner)? {
                Value::Integer(value) if value != i64::MIN => (-value).into(),
                Value::Float(value) => (-value).into(),
                _ => return Err(self.invalid(Some(expr))),
            },
            _ => return Err(self.invalid(Some(expr))),
        })
    }

    fn hash(&self, entries: &[ExprId]) -> Parsed<Hash> {
        let mut hash = Hash::with_capacity(entries.len());
        for &entry in entries {
            if let Expr::KeyedEntry { key, value } = self.ast[entry] {
                hash.insert(self.any(key)?, self.any(value)?);
            }
        }
        Ok(hash)
    }

    /// Returns a type by name; an unknown name becomes a reference.
    fn named(&self, name: &str) -> Type {
        named::named(name)
            .or_else(|| self.names.find(name))
            .unwrap_or_else(|| Type::Reference(name.into()))
    }

    fn text_of(&self, expr: ExprId) -> &str {
        let extent = self.ast.extent(expr);
        let (start, end) = (extent.start as usize, extent.start as usize + extent.len as usize);
        self.ast.source().get(start..end).unwrap_or_default()
    }

    fn invalid(&self, expr: Option<ExprId>) -> ParseError {
        let text = expr.map_or("", |expr| self.text_of(expr));
        ParseError(format!("The expression <{text}> is not a valid type specification."))
    }

    /// Creates `Object[{…}]` of a tree.
    fn object(&self, hash: &Value) -> Parsed<Type> {
        define::object(None, hash, self.names).map_err(|error| ParseError(error.into()))
    }
}

/// Returns the type in a value.
fn as_type(value: &Value) -> Option<&Arc<Type>> {
    match value {
        Value::Type(type_) => Some(type_),
        _ => None,
    }
}
