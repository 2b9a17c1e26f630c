//! PDL, the Puppet Data Library: `$name = value [where condition]`, a line each; the first that holds counts.
//!
//! [`mod@parse`] reads a file, [`eval`] finds what an expression is worth, [`site`] knows which files a class has.
//! Values and conditions use the language's literals, variables, comparisons and `and`, `or`, `!`, `in`.

mod convert;
mod decide;
mod eval;
mod levels;
mod lexer;
mod parse;
mod rules;
mod site;

use ecow::EcoString;
use kukla_pcore::Value;
use kukla_pcore::regex::Regex;

use crate::Fault;

pub use convert::{Converted, from_hiera, to_hiera};
pub use parse::parse;
pub(crate) use rules::parse_rules;
pub(crate) use site::{ClassFiles, File};

/// A file of data.
#[derive(Clone, Debug, Default)]
pub struct Pdl {
    /// Its statements in order.
    pub statements: Vec<Statement>,
}

/// `$name = value [where condition]`
#[derive(Clone, Debug)]
pub struct Statement {
    /// The name without the dollar sign, qualified or not.
    pub name: EcoString,
    /// The line it starts on, counted from 1.
    pub line: u32,
    value: Expr,
    condition: Option<Expr>,
}

/// Why a text is no PDL.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct PdlError {
    /// The line, counted from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl PdlError {
    /// The fault that it is in a file.
    pub(crate) fn at(self, file: &str) -> Fault {
        Fault { file: Some(file.to_owned()), line: Some(self.line), ..Fault::lookup(self.message) }
    }
}

/// What must hold.
#[derive(Clone, Debug)]
pub(crate) struct Condition(Expr);

/// An expression of PDL.
#[derive(Clone, Debug)]
enum Expr {
    Literal(Value),
    Regex(Regex),
    Variable(EcoString),
    /// Pieces of a text in double quotes.
    Text(Vec<Expr>),
    Array(Vec<Expr>),
    Hash(Vec<(Expr, Expr)>),
    Access(Box<Expr>, Box<Expr>),
    Call(EcoString, Vec<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Match,
    NoMatch,
    In,
}
