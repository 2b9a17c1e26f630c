//! PDL, the Puppet Data Library: `$name = value [where condition]`, one statement per line; the first that holds counts.
//!
//! `kukla-syntax` parses and validates a file; [`tree`] holds its expressions with their literals as values, [`eval`]
//! evaluates them, [`site`] finds the files of a class.

mod convert;
mod decide;
mod eval;
mod levels;
mod rules;
mod site;
mod tree;

use ecow::EcoString;
use kukla_base::{Diagnostic, LineColumn, Source};
use kukla_syntax::ast::ExprId;
use kukla_syntax::data::{self, Data, Item};

use crate::Fault;
use tree::Tree;

pub use convert::{Converted, from_hiera, to_hiera};
pub(crate) use rules::{Condition, parse_rules};
pub(crate) use site::{ClassFiles, File};

/// A data file.
#[derive(Debug)]
pub struct Pdl {
    /// Its statements in order.
    pub statements: Vec<Statement>,
    /// Diagnostics that are not errors.
    pub warnings: Vec<Diagnostic>,
    tree: Tree,
}

/// `$name = value [where condition]`
#[derive(Clone, Debug)]
pub struct Statement {
    /// The name without the dollar sign, qualified or not.
    pub name: EcoString,
    /// The line it starts on, counted from 1.
    pub line: u32,
    value: ExprId,
    condition: Option<ExprId>,
}

/// Errors of a text that is not valid PDL.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub struct PdlError {
    /// All diagnostics by place, of which at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
    place: LineColumn,
}

impl PdlError {
    /// Returns the message of the first error.
    pub fn message(&self) -> &str {
        let first = self.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        first.map_or("", |first| &first.message)
    }

    /// Returns the place of the first error.
    pub fn place(&self) -> LineColumn {
        self.place
    }

    /// Converts to the fault of a lookup that needs `file`.
    pub(crate) fn at(self, file: &str) -> Fault {
        let LineColumn { line, column } = self.place;
        let (file, line, column) = (Some(file.to_owned()), Some(line), Some(column));
        Fault { file, line, column, ..Fault::lookup(self.message()) }
    }
}

/// Parses a data file.
pub fn parse(text: &str) -> Result<Pdl, PdlError> {
    let data = without_errors(data::check_pdl(text))?;
    let tree = Tree::new(data.ast);
    let source = tree.source();
    let statements = data.statements.into_iter().filter_map(|statement| match statement.item {
        Item::Assignment { name, value } => Some(Statement {
            name: tree.text(name).into(),
            line: source.line(statement.span.start),
            value,
            condition: statement.condition,
        }),
        Item::Rule { .. } => None,
    });
    let statements = statements.collect();
    Ok(Pdl { statements, warnings: data.diagnostics, tree })
}

/// Returns the file, or its errors.
fn without_errors(data: Data) -> Result<Data, PdlError> {
    match data.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        Some(first) => {
            let place = Source::new("", data.ast.source()).line_column(first.span.start);
            Err(PdlError { diagnostics: data.diagnostics, place })
        }
        None => Ok(data),
    }
}
