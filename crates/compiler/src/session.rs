//! Code that is evaluated piece by piece, outside of any environment.

use std::sync::Arc;

use kukla_base::{Diagnostic, Phase, Place as DiagnosticPlace, Severity, Source};
use kukla_pcore::{Hash, Value};
use kukla_syntax::{Options, check};

use crate::log::{Entry, Level};
use crate::{Evaluator, Library, Limits, Program, Settings};

/// As many errors are shown as Puppet shows.
const MAX_ERRORS: usize = 10;

/// The environment that code believes to be in.
const ENVIRONMENT: &str = "test";

/// Code that is evaluated piece by piece: variables, functions and types stay.
#[derive(Debug)]
pub struct Session {
    evaluator: Evaluator,
    settings: Settings,
}

/// What became of a piece of code.
#[derive(Debug)]
pub struct Outcome {
    /// Its value, or what is wrong in Puppet's words.
    pub value: Result<Value, String>,
    /// What it said.
    pub log: Vec<Entry>,
}

impl Session {
    /// A session with the facts of a node.
    pub fn new(
        library: Arc<dyn Library>,
        settings: Settings,
        limits: Limits,
        facts: &Hash,
    ) -> Self {
        let mut evaluator = Evaluator::new(library, settings, limits);
        // What Puppet has at top scope for code that stands in no environment.
        for (name, value) in [("title", "main"), ("name", "main"), ("module_name", "")] {
            evaluator.set_top_variable(name, Value::from(value));
        }
        evaluator.set_facts(facts);
        evaluator.set_top_variable("trusted", Value::hash(trusted()));
        evaluator.set_environment(ENVIRONMENT);
        Self { evaluator, settings }
    }

    /// The evaluator, to set variables.
    pub fn evaluator(&mut self) -> &mut Evaluator {
        &mut self.evaluator
    }

    /// Parses, validates and evaluates code.
    pub fn evaluate(&mut self, code: &str, file: &str) -> Outcome {
        let mut log = Vec::new();
        let value = match self.check(code, file, &mut log) {
            Ok(program) => self.evaluator.run(&program).map_err(|fault| fault.full_message()),
            Err(message) => Err(message),
        };
        log.extend(self.evaluator.take_log());
        Outcome { value, log }
    }

    /// Parses and validates code, to run it more than once. An error says what is wrong in Puppet's words.
    pub fn program(&self, code: &str, file: &str) -> Result<Arc<Program>, String> {
        self.check(code, file, &mut Vec::new())
    }

    fn check(&self, code: &str, file: &str, log: &mut Vec<Entry>) -> Result<Arc<Program>, String> {
        let options =
            Options { strict: self.settings.strict, file: file.to_owned(), ..Options::default() };
        let checked = check(code, &options);
        let source = Source::new(file, code);
        log.extend(warnings(&checked.diagnostics, &source));
        match refusal(&checked.diagnostics, &source, log) {
            Some(message) => Err(message),
            None => Ok(Arc::new(Program::new(checked.ast, file))),
        }
    }
}

/// What is known for sure of a node that nobody asked for: nothing.
fn trusted() -> Hash {
    let empty = || Value::hash(Hash::new());
    let entries = [
        ("authenticated", Value::from("local")),
        ("certname", Value::Undef),
        ("extensions", empty()),
        ("hostname", Value::Undef),
        ("domain", Value::Undef),
        ("external", empty()),
    ];
    entries.into_iter().map(|(key, value)| (Value::from(key), value)).collect()
}

fn warnings(diagnostics: &[Diagnostic], source: &Source) -> Vec<Entry> {
    let warnings = diagnostics.iter().filter(|diagnostic| !diagnostic.is_error());
    warnings.map(|diagnostic| entry(diagnostic, source, Level::Warning)).collect()
}

fn entry(diagnostic: &Diagnostic, source: &Source, level: Level) -> Entry {
    Entry {
        level,
        message: diagnostic.message.clone(),
        file: Some(source.name().into()),
        line: line_column(diagnostic, source).map(|(line, _)| line),
    }
}

fn line_column(diagnostic: &Diagnostic, source: &Source) -> Option<(u32, Option<u32>)> {
    let at = |offset| {
        let at = source.line_column(offset);
        (at.line, at.column)
    };
    match diagnostic.place {
        DiagnosticPlace::At(offset) => {
            let (line, column) = at(offset);
            Some((line, Some(column)))
        }
        DiagnosticPlace::Line(offset) => Some((at(offset).0, None)),
        DiagnosticPlace::File | DiagnosticPlace::Nowhere => None,
    }
}

/// Why the code is not evaluated, if there are errors.
fn refusal(diagnostics: &[Diagnostic], source: &Source, log: &mut Vec<Entry>) -> Option<String> {
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let first = *errors.first()?;
    let n_warnings = diagnostics.iter().filter(|d| d.severity == Severity::Warning).count();
    if errors.len() == 1 || first.phase != Phase::Validate {
        return Some(with_place(first, source));
    }
    log.extend(errors.iter().take(MAX_ERRORS).map(|error| entry(error, source, Level::Err)));
    let warnings = match n_warnings {
        0 => String::new(),
        n => format!(", and {n} warnings"),
    };
    let n_errors = errors.len();
    Some(format!(
        "Language validation logged {n_errors} errors{warnings}. Giving up (file: {})",
        source.name()
    ))
}

/// Why a text is not evaluated, if there are errors: several are one.
pub(crate) fn refusal_of(diagnostics: &[Diagnostic], file: &str, text: &str) -> Option<String> {
    refusal(diagnostics, &Source::new(file, text), &mut Vec::new())
}

fn with_place(diagnostic: &Diagnostic, source: &Source) -> String {
    let message = &diagnostic.message;
    let file = source.name();
    match (line_column(diagnostic, source), diagnostic.place) {
        (_, DiagnosticPlace::Nowhere) => message.clone(),
        (None, _) => format!("{message} (file: {file})"),
        (Some((line, None)), _) => format!("{message} (file: {file}, line: {line})"),
        (Some((line, Some(column))), _) => {
            format!("{message} (file: {file}, line: {line}, column: {column})")
        }
    }
}
