//! The checker: from a tree to a program that can be run, and every complaint about it.
//!
//! One pass forward over the tree. P has no functions, loops or recursion, so every type, every name's state
//! and the exact worst cost are known at each node when the pass gets there.
//!
//! - [`scope`]: what a word means; modules, lookup, ambiguity
//! - [`flow`]: which names have a value on all or some of the paths to a place
//! - [`statements`], [`expressions`], [`logic`], [`operators`], [`members`], [`specials`]: one rule each
//! - [`trees`], [`mod@include`]: files that are imported
//! - [`forms`]: constants that arguments must look like
//! - [`lints`]: programs that can be run but hardly mean what they say

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
use crate::module::Module;
use crate::parser::MOST;
use crate::program::{Cost, Program};
use crate::registry::Registry;
use build::Checker;
use trees::Trees;

/// What is known about the place where the program will run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The limits.
    pub limits: Limits,
    /// Where in the exchange it runs.
    pub point: Point,
    /// Services, pools and lists; None: not known here.
    pub registry: Option<Registry>,
    /// Modules of the host.
    pub modules: Vec<&'static Module>,
    /// Whether a name may have no value on some paths; using it there fails.
    pub is_lenient: bool,
    /// Who reads files that are imported; None: none can be.
    pub files: Option<Arc<dyn Files>>,
}

/// Where in the exchange a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Point {
    /// Not known.
    #[default]
    Any,
    /// Where requests are processed.
    Request,
    /// Where responses are processed.
    Response,
}

/// What the checker found.
#[derive(Debug)]
pub struct Checked {
    /// The program, if it can be run.
    pub program: Option<Program>,
    /// The complaints, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The worst case, also of a program with errors.
    pub cost: Cost,
    /// Where the program may fail as a whole, and when.
    pub failures: Vec<Failure>,
    /// Files that it imports; all spans count through the program and these.
    pub included: Vec<Included>,
}

/// A place where a program may fail as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The place.
    pub span: Span,
    /// When it fails, in words.
    pub when: String,
}

/// Checks a program in UTF-8.
pub fn check(text: &str, options: &Options) -> Checked {
    let mut trees = Trees::read(text, options);
    let diagnostics = std::mem::take(&mut trees.diagnostics);
    let is_readable = diagnostics.is_empty();
    let mut checked = Checker::new(&trees, options).finish();
    if !is_readable {
        // Names whose assignment was not understood would be complained about again.
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
        // What can't be run because of an error must not look as if it could.
        checked.diagnostics.sort_by_key(|diagnostic| !diagnostic.is_error());
        checked.diagnostics.truncate(MOST);
        checked.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    }
    if checked.diagnostics.iter().any(Diagnostic::is_error) {
        checked.program = None;
    }
    checked
}

/// Checks a program that may not even be text.
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
