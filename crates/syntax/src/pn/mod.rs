//! The tree as Puppet's extended S-expressions (PN), and as their JSON form.
//!
//! Byte for byte the output of `puppet parser dump --format pn` and `--format json`.

mod transform;
mod writer;

use crate::ast::Ast;
use writer::Writer;

/// Formats a tree as PN: `(+ 1 2)`.
pub fn pn(ast: &Ast) -> String {
    write(ast, Writer::pn(false))
}

/// Like [`pn`](fn@pn), but with one element per line.
pub fn pn_pretty(ast: &Ast) -> String {
    write(ast, Writer::pn(true))
}

/// Formats a tree as JSON: `{"^":["+",1,2]}`.
pub fn json(ast: &Ast) -> String {
    write(ast, Writer::json(false))
}

/// Like [`json`], but with one element per line.
pub fn json_pretty(ast: &Ast) -> String {
    write(ast, Writer::json(true))
}

fn write(ast: &Ast, mut writer: Writer) -> String {
    transform::program(ast, &mut writer);
    writer.finish()
}
