//! Files of data: PDL and `data_access`.
//!
//! A file is a list of [`Statement`]s, whose values and conditions are expressions of an [`Ast`]. Start at
//! [`check_pdl`] or [`check_access`]; each returns the statements without errors and all diagnostics.

use kukla_base::{Diagnostic, DiagnosticPlace};

use crate::ast::{Ast, ExprId, Text};
use crate::{Language, Options, parser, source_fault, unparsed_text, validate};

/// A file of data.
#[derive(Clone, Debug)]
pub struct Data {
    /// The expressions. The tree has no body: statements hold its nodes.
    pub ast: Ast,
    /// The statements that could be parsed, in their order.
    pub statements: Vec<Statement>,
    /// The diagnostics, by position. A file with an error must not be used.
    pub diagnostics: Vec<Diagnostic>,
}

/// An item, and the condition under which it applies.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The assignment or rule.
    pub item: Item,
    /// The expression after `where`.
    pub condition: Option<ExprId>,
    /// The first word of the statement: a variable, or the subject of a rule.
    pub span: kukla_base::Span,
}

/// A statement without its condition.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    /// `$name = value` of PDL.
    Assignment {
        /// The name without the dollar sign, qualified or not.
        name: Text,
        /// The value.
        value: ExprId,
    },
    /// `key 'pattern'` or `file 'pattern'` of `data_access`.
    Rule {
        /// The kind of names that the pattern matches.
        subject: Subject,
        /// The pattern without quotes.
        pattern: Text,
    },
}

/// The subject of a rule of `data_access`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Keys.
    Key,
    /// Files, by their paths.
    File,
}

/// Parses and validates PDL.
pub fn check_pdl(text: &str) -> Data {
    check(text, &Options { language: Language::Data, ..Options::default() })
}

/// Parses and validates the rules of `data_access`.
pub fn check_access(text: &str) -> Data {
    check(text, &Options { language: Language::DataAccess, ..Options::default() })
}

pub(crate) fn check(text: &str, options: &Options) -> Data {
    if let Some(diagnostic) = source_fault(text) {
        let (ast, statements) = (Ast::new(unparsed_text(text)), Vec::new());
        return Data { ast, statements, diagnostics: vec![diagnostic] };
    }
    let (ast, statements, mut diagnostics) = parser::parse_data(text, options);
    diagnostics.extend(validate::data::validate(&ast, &statements));
    let mut diagnostics: Vec<Diagnostic> = diagnostics
        .into_iter()
        .map(|diagnostic| at_its_span(diagnostic).on_borders(text))
        .collect();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    Data { ast, statements, diagnostics }
}

/// Names the span as the place of a diagnostic. Puppet never reads these files, so it has no place of its own.
fn at_its_span(diagnostic: Diagnostic) -> Diagnostic {
    let start = diagnostic.span.start;
    diagnostic.place(DiagnosticPlace::At(start))
}
