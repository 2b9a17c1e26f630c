//! Parser and validator of Puppet, EPP and PDL.
//!
//! Start at [`check`]: text in, [`Ast`] and diagnostics out. It never fails: for every text there is a tree and a list of all
//! diagnostics.
//!
//! Text becomes tokens ([`lexer`]), tokens a tree ([`parser`], [`ast`]), and the tree is checked ([`validate`]). [`pn`] and
//! [`tree`] print it; the crate `kukla_xpp` serializes it.
//!
//! Invariant: nothing here evaluates, reads files or prints.

pub mod ast;
mod bom;
pub mod data;
mod escapes;
pub mod explain;
mod integer;
mod issues;
pub mod label;
mod lexer;
mod node_name;
mod parser;
pub mod pn;
mod token;
pub mod tree;
mod validate;

pub use ast::Ast;
pub use node_name::node_regexp_name;

use kukla_base::{Diagnostic, Edition, Span};

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// `.pp`
    #[default]
    Manifest,
    /// `.epp`
    Template,
    /// `.pdl`
    Data,
    /// The rules of `data_access`.
    DataAccess,
}

impl Language {
    /// Returns true for a list of statements of data; see [`data`].
    pub(crate) const fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::DataAccess)
    }
}

/// Puppet's setting `strict`: the treatment of code that works but is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strict {
    /// Not reported.
    Off,
    /// Reported as warnings.
    Warning,
    /// Reported as errors.
    #[default]
    Error,
}

/// The location of a text, on which the definitions that it may hold depend.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Home {
    /// Outside of modules: any definition is allowed.
    #[default]
    Anywhere,
    /// In a module.
    Module {
        /// The path from an entry of the module path on, such as `apache/manifests/vhost.pp`.
        path: String,
    },
}

/// Options for parsing and validation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The language.
    pub language: Language,
    /// Makes `plan` and `apply` keywords, and refuses catalog statements outside of `apply`.
    pub tasks: bool,
    /// Puppet's setting `strict`.
    pub strict: Strict,
    /// The edition of Puppet whose rules hold.
    pub edition: Edition,
    /// The location of the text.
    pub home: Home,
    /// The name of the file in messages; empty for text without a file.
    pub file: String,
}

/// How deeply plans of an environment may be nested in its directory `plans`.
const MAX_PLAN_DEPTH: usize = 3;

/// Returns true for the file of a plan: one below the directory `plans` of a module or an environment.
pub fn is_plan(path: &str, home: &Home) -> bool {
    if let Home::Module { path } = home {
        return path.split('/').nth(1) == Some("plans");
    }
    let mut directories = path.rsplit('/').skip(1).take(MAX_PLAN_DEPTH);
    let is_known = |name: &&str| matches!(*name, "plans" | "manifests" | "functions" | "types");
    directories.find(is_known) == Some("plans")
}

/// A tree, and the diagnostics of its text.
#[derive(Debug)]
pub struct Checked {
    /// The tree; for a text with errors it holds the parts that could be parsed.
    pub ast: Ast,
    /// The diagnostics, in the order in which Puppet would report them.
    pub diagnostics: Vec<Diagnostic>,
}

/// The maximum size of a source.
pub const MAX_SOURCE: usize = 100 << 20;

/// Parses a text without validation.
pub fn parse(text: &str, options: &Options) -> Checked {
    if let Some(diagnostic) = source_fault(text) {
        return Checked { ast: Ast::new(unparsed_text(text)), diagnostics: vec![diagnostic] };
    }
    let (ast, diagnostics) = match options.language.is_data() {
        true => {
            let (ast, _, diagnostics) = parser::parse_data(text, options);
            (ast, diagnostics)
        }
        false => parser::parse(text, options),
    };
    Checked { ast, diagnostics: on_borders(diagnostics, text) }
}

/// Returns the reason why a text is not parsed at all.
fn source_fault(text: &str) -> Option<Diagnostic> {
    match text.len() > MAX_SOURCE {
        true => Some(issues::too_large(MAX_SOURCE)),
        false => byte_order_mark(text.as_bytes()),
    }
}

/// Returns the text of a source that is not parsed; empty if it is too large for a tree.
fn unparsed_text(text: &str) -> &str {
    if text.len() > MAX_SOURCE { "" } else { text }
}

/// Parses and validates a text. For data there are only diagnostics; [`data`] has their statements too.
pub fn check(text: &str, options: &Options) -> Checked {
    if options.language.is_data() {
        let data::Data { ast, statements: _, diagnostics } = data::check(text, options);
        return Checked { ast, diagnostics };
    }
    let Checked { ast, mut diagnostics } = check_without_loading(text, options, 0);
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.extend(on_borders(validate::load(&ast, options), text));
    }
    Checked { ast, diagnostics }
}

/// Validates text that was produced for a heredoc with a syntax (`@("END":json)`); returns a code and a message.
pub fn produced_text_fault(
    text: &str,
    syntax: &str,
    options: &Options,
) -> Option<(&'static str, String)> {
    validate::heredoc::produced_text(text, syntax, options)
}

/// Like [`check`], but does not look for definitions that clash.
///
/// `depth` is the number of heredocs around the text.
fn check_without_loading(text: &str, options: &Options, depth: usize) -> Checked {
    let Checked { ast, mut diagnostics } = parse(text, options);
    diagnostics.extend(on_borders(validate::validate(&ast, options, depth), text));
    Checked { ast, diagnostics }
}

/// Like [`check`], but for bytes that may be no text.
///
/// Fails with a diagnostic if the bytes are not UTF-8: then there is no text to show.
pub fn check_bytes(bytes: &[u8], options: &Options) -> Result<Checked, Box<Diagnostic>> {
    if let Some(diagnostic) = byte_order_mark(bytes) {
        return Err(Box::new(diagnostic));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(check(text, options)),
        Err(error) => {
            let start = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
            Err(Box::new(issues::not_utf_8(Span::new(start, 0))))
        }
    }
}

/// Moves all spans to character borders, since Puppet's places of nodes may be inside a character.
fn on_borders(diagnostics: Vec<Diagnostic>, text: &str) -> Vec<Diagnostic> {
    diagnostics.into_iter().map(|diagnostic| diagnostic.on_borders(text)).collect()
}

fn byte_order_mark(bytes: &[u8]) -> Option<Diagnostic> {
    bom::find(bytes).map(|(name, length)| issues::illegal_bom(name, &bytes[..length]))
}
