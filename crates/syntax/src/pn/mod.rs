//! The tree as Puppet's extended S-expressions (PN), and as their JSON form.
//!
//! Byte for byte what `puppet parser dump --format pn` and `--format json` print of a source.

mod transform;
mod writer;

use crate::ast::Ast;
use writer::Writer;

/// `(+ 1 2)`
pub fn pn(ast: &Ast) -> String {
    write(ast, Writer::pn(false))
}

/// The same with an element a line.
pub fn pn_pretty(ast: &Ast) -> String {
    write(ast, Writer::pn(true))
}

/// `{"^":["+",1,2]}`
pub fn json(ast: &Ast) -> String {
    write(ast, Writer::json(false))
}

/// The same with an element a line.
pub fn json_pretty(ast: &Ast) -> String {
    write(ast, Writer::json(true))
}

fn write(ast: &Ast, mut writer: Writer) -> String {
    transform::program(ast, &mut writer);
    writer.finish()
}
