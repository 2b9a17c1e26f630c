//! Puppet, EPP and PDL text to a validated tree.
//!
//! Start at [`check`]: text in, [`Ast`] and diagnostics out. It never fails: whatever the text, there is
//! a tree and a list of complaints, as many as there are.
//!
//! Text becomes tokens ([`lexer`]), tokens a tree ([`parser`], [`ast`]), and the tree is checked
//! ([`validate`]). [`pn`] and [`tree`] write it down; the crate `kukla_xpp` writes it so that it can be read back.
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
mod parser;
pub mod pn;
mod token;
pub mod tree;
mod validate;

pub use ast::Ast;

use kukla_base::{Diagnostic, Span};

/// What kind of text it is.
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
    /// Whether it has statements of data in place of manifests; see [`data`].
    pub(crate) const fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::DataAccess)
    }
}

/// Puppet's setting `strict`: what becomes of things that are wrong but work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strict {
    /// They are not mentioned.
    Off,
    /// They are warned of.
    Warning,
    /// They are errors.
    #[default]
    Error,
}

/// Where the text stands, which decides what it may define.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Home {
    /// In no module: everything may stand there.
    #[default]
    Anywhere,
    /// In a module.
    Module {
        /// The path from an entry of the module path on, such as `apache/manifests/vhost.pp`.
        path: String,
    },
}

/// How to read and check a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The kind of text.
    pub language: Language,
    /// Whether `plan` and `apply` are keywords, and catalog statements are refused outside of `apply`.
    pub tasks: bool,
    /// Puppet's setting of that name.
    pub strict: Strict,
    /// Where the text stands.
    pub home: Home,
    /// The name of the file in messages; empty if there is none.
    pub file: String,
}

/// A tree, and what is wrong with its text.
#[derive(Debug)]
pub struct Checked {
    /// The tree; of text with errors it holds what could be understood.
    pub ast: Ast,
    /// Complaints, in the order in which Puppet would report them.
    pub diagnostics: Vec<Diagnostic>,
}

/// The largest source that is read.
pub const MAX_SOURCE: usize = 512 << 20;

/// Parses without validation.
pub fn parse(text: &str, options: &Options) -> Checked {
    if let Some(diagnostic) = source_fault(text) {
        return Checked { ast: Ast::new(shown(text)), diagnostics: vec![diagnostic] };
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

/// Why a text is not parsed at all.
fn source_fault(text: &str) -> Option<Diagnostic> {
    match text.len() > MAX_SOURCE {
        true => Some(issues::too_large(MAX_SOURCE)),
        false => byte_order_mark(text.as_bytes()),
    }
}

/// The text of a source that is not parsed; none of one that is too large for a tree.
fn shown(text: &str) -> &str {
    if text.len() > MAX_SOURCE { "" } else { text }
}

/// Parses and validates. Of data there are only diagnostics; [`data`] has their statements too.
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

/// Returns what is wrong with text that was produced for a heredoc of a syntax (`@("END":json)`): a code and a message.
pub fn produced_text_fault(
    text: &str,
    syntax: &str,
    options: &Options,
) -> Option<(&'static str, String)> {
    validate::heredoc::produced_text(text, syntax, options)
}

/// Parses and validates, but does not look for definitions that clash.
///
/// `depth` is the number of heredocs around the text.
fn check_without_loading(text: &str, options: &Options, depth: usize) -> Checked {
    let Checked { ast, mut diagnostics } = parse(text, options);
    diagnostics.extend(on_borders(validate::validate(&ast, options, depth), text));
    Checked { ast, diagnostics }
}

/// Parses and validates text that may not be text.
///
/// Fails with a diagnostic if the bytes are not UTF-8: then there is nothing to show a place in.
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

/// Nothing is underlined from or to inside a character, though Puppet's places of nodes may be there.
fn on_borders(diagnostics: Vec<Diagnostic>, text: &str) -> Vec<Diagnostic> {
    diagnostics.into_iter().map(|diagnostic| diagnostic.on_borders(text)).collect()
}

fn byte_order_mark(bytes: &[u8]) -> Option<Diagnostic> {
    bom::find(bytes).map(|(name, length)| issues::illegal_bom(name, &bytes[..length]))
}
