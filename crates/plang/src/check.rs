//! The checker: turns a tree into a runnable program and reports every diagnostic about it.
//!
//! One pass forward over the tree. P has no functions, loops or recursion, so every type, every name's state
//! and the exact worst cost are known at each node when the pass gets there.
//!
//! - [`scope`]: resolution of words; modules, lookup, ambiguity
//! - [`flow`]: which names have a value on all or some of the paths to a place
//! - [`statements`], [`expressions`], [`logic`], [`operators`], [`members`], [`specials`]: one rule each
//! - [`trees`], [`mod@include`]: files that are imported
//! - [`forms`]: constants that arguments must look like
//! - [`lints`]: programs that run but are probably mistakes

mod build;
mod complaints;
mod constant;
mod expressions;
mod flow;
mod forms;
mod include;
mod lints;
mod logic;
mod members;
mod operators;
mod scope;
mod specials;
mod statements;
mod trees;

use std::sync::Arc;

use kukla_base::{Diagnostic, Span};

use crate::files::{Files, Included};
use crate::issues;
use crate::limits::Limits;
use crate::module::{Module, Protocol};
use crate::parser::MOST;
use crate::program::{Cost, Program};
use crate::registry::Registry;
use build::Checker;
use trees::Trees;

/// Settings of the place where the program will run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The limits.
    pub limits: Limits,
    /// Phase of the exchange in which the program runs.
    pub point: Point,
    /// Services, pools and lists; None: unknown, so their names are not checked.
    pub registry: Option<Registry>,
    /// Modules of the host.
    pub modules: Vec<&'static Module>,
    /// Whether a name may have no value on some paths; using it there fails.
    pub is_lenient: bool,
    /// Reader of imported files; None: programs can't import files.
    pub files: Option<Arc<dyn Files>>,
}

/// Phase of the exchange in which a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Point {
    /// Unknown.
    #[default]
    Any,
    /// Processing of requests.
    Request,
    /// Processing of responses.
    Response,
    /// Processing of mails.
    Mail,
}

impl Point {
    /// Returns the protocol of the messages there.
    pub fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Any => None,
            Self::Request | Self::Response => Some(Protocol::Http),
            Self::Mail => Some(Protocol::Smtp),
        }
    }
}

/// Result of checking a program.
#[derive(Debug)]
pub struct Checked {
    /// The program, if it has no errors.
    pub program: Option<Program>,
    /// The diagnostics, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// The worst-case cost, also for a program with errors.
    pub cost: Cost,
    /// Places where the whole program may fail, each with its condition.
    pub failures: Vec<Failure>,
    /// Imported files; all spans count through the program and these files.
    pub included: Vec<Included>,
}

/// A place where the whole program may fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The place.
    pub span: Span,
    /// The condition under which it fails, in words.
    pub when: String,
}

/// Checks a program in UTF-8.
pub fn check(text: &str, options: &Options) -> Checked {
    let mut trees = Trees::read(text, options);
    let diagnostics = std::mem::take(&mut trees.diagnostics);
    let is_readable = diagnostics.is_empty();
    let mut checked = Checker::new(&trees, options).finish();
    if !is_readable {
        // Names whose assignment has a syntax error would be reported again as undefined.
        checked.diagnostics.retain(|diagnostic| {
            let is_echo =
                matches!(diagnostic.code, "undefined-name" | "unassigned" | "maybe-unassigned");
            diagnostic.is_error() && !is_echo
        });
        checked.diagnostics.splice(0..0, diagnostics);
    }
    checked.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    checked.diagnostics.dedup();
    let is_error = checked.diagnostics.iter().any(Diagnostic::is_error);
    if is_error && checked.diagnostics.len() > MOST {
        // Truncation must keep an error, or a program that can't run would look as if it could.
        checked.diagnostics.sort_by_key(|diagnostic| !diagnostic.is_error());
        checked.diagnostics.truncate(MOST);
        checked.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    }
    if checked.diagnostics.iter().any(Diagnostic::is_error) {
        checked.program = None;
    }
    checked
}

/// Checks a program that may not be valid UTF-8.
pub fn check_bytes(bytes: &[u8], options: &Options) -> Checked {
    match std::str::from_utf8(bytes) {
        Ok(text) => check(text, options),
        Err(error) => Checked {
            program: None,
            diagnostics: vec![issues::not_utf8(error.valid_up_to())],
            cost: Cost::default(),
            failures: Vec::new(),
            included: Vec::new(),
        },
    }
}
