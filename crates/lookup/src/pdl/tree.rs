//! Expressions of a PDL file, with their literals as values.

use kukla_base::{LineColumn, Source};
use kukla_pcore::Value;
use kukla_pcore::regex::Regex;
use kukla_syntax::Ast;
use kukla_syntax::ast::{Child, Expr, ExprId, ExprList, Text, UnaryOp};

use crate::Fault;

/// The expressions of a file.
#[derive(Debug)]
pub(super) struct Tree {
    ast: Ast,
    /// The values of literals by node number, so that a regular expression is compiled once.
    literals: Box<[Option<Value>]>,
}

impl Tree {
    /// Prepares a validated tree.
    pub(super) fn new(ast: Ast) -> Self {
        let mut literals = vec![None; ast.len() + 1].into_boxed_slice();
        for id in ast.ids() {
            literals[id.index()] = literal(&ast, id);
        }
        Self { ast, literals }
    }

    pub(super) fn expr(&self, id: ExprId) -> Expr {
        self.ast[id]
    }

    pub(super) fn list(&self, list: ExprList) -> &[ExprId] {
        self.ast.list(list)
    }

    /// Iterates over the keys and values of a hash.
    pub(super) fn entries(&self, entries: ExprList) -> impl Iterator<Item = (ExprId, ExprId)> {
        self.list(entries).iter().filter_map(|&entry| match self.ast[entry] {
            Expr::KeyedEntry { key, value } => Some((key, value)),
            _ => None,
        })
    }

    pub(super) fn text(&self, text: Text) -> &str {
        self.ast.text(text)
    }

    pub(super) fn push_children(&self, id: ExprId, out: &mut Vec<Child>) {
        self.ast.push_children(id, out);
    }

    /// Returns the text of the file, for positions.
    pub(super) fn source(&self) -> Source {
        Source::new("", self.ast.source())
    }

    /// Returns the value of a literal; `None` for other expressions.
    pub(super) fn literal(&self, id: ExprId) -> Option<&Value> {
        self.literals[id.index()].as_ref()
    }

    /// Returns the expression in parentheses, or in `${…}`.
    pub(super) fn inner(&self, mut id: ExprId) -> ExprId {
        while let Expr::Unary { op: UnaryOp::Paren | UnaryOp::Text, expr } = self.ast[id] {
            id = expr;
        }
        id
    }

    /// Adds the place of an expression to a fault that has none.
    pub(super) fn locate(&self, fault: Fault, id: ExprId) -> Fault {
        if fault.file.is_some() || fault.column.is_some() {
            return fault;
        }
        let LineColumn { line, column } = self.source().line_column(self.ast.span(id).start);
        Fault { line: Some(line), column: Some(column), ..fault }
    }
}

fn literal(ast: &Ast, id: ExprId) -> Option<Value> {
    Some(match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => Value::from(ast.text(text)),
        Expr::Integer { digits, radix } => Value::Integer(ast.integer(digits, radix)?),
        Expr::Float(digits) => Value::Float(ast.float(digits)),
        Expr::Boolean(value) => Value::Boolean(value),
        Expr::Undef => Value::Undef,
        // The parser has validated the pattern.
        Expr::Regexp(source) => Value::Regexp(Regex::new(ast.text(source)).ok()?),
        Expr::Unary { op: UnaryOp::Minus, expr } => match literal(ast, expr)? {
            Value::Integer(number) => Value::Integer(-number),
            Value::Float(number) => Value::Float(-number),
            _ => return None,
        },
        _ => return None,
    })
}
