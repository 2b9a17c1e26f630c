//! Ruby source to a tree of our own.
//!
//! Ruby's own parser (prism) reads the text; [`lower`] makes an owned tree of it that can be kept and shared between
//! threads. What the evaluator can't do is found here, before anything runs.

mod call;
mod lower;
mod params;
mod target;
pub(crate) mod tree;
mod write;

use std::sync::Arc;

use kukla_foreign::Unsupported;
use tree::Program;

/// Reads a source file.
pub(crate) fn read(file: &str, text: &str) -> Result<Arc<Program>, Unsupported> {
    let parsed = ruby_prism::parse(text.as_bytes());
    if let Some(error) = parsed.errors().next() {
        let message = String::from_utf8_lossy(error.message()).into_owned();
        let line = line_of(text, error.location().start() as usize);
        return Err(Unsupported::new(format!("syntax error: {message}"), line));
    }
    lower::lower(file, &parsed.node()).map(Arc::new)
}

/// The number of the line that holds an offset.
fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().iter().take(offset);
    u32::try_from(before.filter(|&&byte| byte == b'\n').count())
        .unwrap_or(u32::MAX)
        .saturating_add(1)
}
