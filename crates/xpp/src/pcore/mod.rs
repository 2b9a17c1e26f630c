//! The encodings `json` and `msgpack`: the stream of Puppet's own serializer.
//!
//! A stream of plain values and extensions. An extension is a number that gives its kind, and some plain values:
//! the start of an array or of an object, a regular expression, or a reference to an earlier value.
//! There are two tables of earlier values. One has the strings, the starts of objects and the regular
//! expressions, by value; the other has arrays, objects and regular expressions, each when it starts.
//!
//! The first value is the `Program`, or undef if there is no tree. If there is no tree, or if there are
//! diagnostics, an array follows, which Puppet does not read: size and CRC-32 of the source, its name, and an array
//! of diagnostics, each an array of plain values.

mod decode;
mod encode;
mod items;
mod json_reader;
mod json_writer;
mod msgpack_reader;
mod msgpack_writer;
mod tree;

use kukla_base::Diagnostic;

use super::{Parts, XppError};
use json_reader::JsonReader;
use json_writer::JsonWriter;
use kukla_syntax::Ast;
use msgpack_reader::MsgpackReader;
use msgpack_writer::MsgpackWriter;

/// Numbers of extensions.
mod extension {
    pub(super) const INNER: u8 = 0x00;
    pub(super) const OUTER: u8 = 0x01;
    pub(super) const ARRAY: u8 = 0x10;
    pub(super) const OBJECT: u8 = 0x12;
    pub(super) const REGEXP: u8 = 0x30;
}

/// The prefixes of the type names of all objects.
const NAMESPACE: [&str; 2] = ["Puppet", "AST"];
const PROGRAM: &str = "Program";
const LOCATOR: &str = "Locator";

/// The number of the locator in the outer table: the program is the first.
const LOCATOR_INDEX: u32 = 1;

/// A plain value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Plain<'a> {
    Undef,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
}

/// A sink of values.
trait Write {
    fn plain(&mut self, value: Plain<'_>);
    /// Writes an extension; `n_elements` is the number of values that belong to it.
    fn extension(&mut self, code: u8, payload: &[Plain<'_>], n_elements: usize);
    fn finish(self) -> Vec<u8>;
}

/// A source of values.
trait Read {
    /// Returns the next value; the values of an extension come after it.
    fn next(&mut self) -> Result<Token, XppError>;
    /// Checks that all values of an extension were read.
    fn end_extension(&mut self) -> Result<(), XppError>;
    /// Checks that nothing is left.
    fn end(&mut self) -> Result<(), XppError>;
    /// Returns whether nothing is left.
    fn is_done(&mut self) -> bool;
}

/// A token of the stream.
#[derive(Clone, PartialEq, Debug)]
enum Token {
    Undef,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Extension(u8),
}

pub(super) fn json(ast: &Ast, has_tree: bool, file: &str, diagnostics: &[Diagnostic]) -> Vec<u8> {
    encode::payload(JsonWriter::new, ast, has_tree, file, diagnostics)
}

pub(super) fn msgpack(
    ast: &Ast,
    has_tree: bool,
    file: &str,
    diagnostics: &[Diagnostic],
) -> Vec<u8> {
    encode::payload(MsgpackWriter::new, ast, has_tree, file, diagnostics)
}

pub(super) fn from_json(bytes: &[u8], source: Option<&str>) -> Result<Parts, XppError> {
    let text = str::from_utf8(bytes).map_err(|_| XppError::Corrupt("the payload is not UTF-8"))?;
    decode::payload(JsonReader::new(text)?, source)
}

pub(super) fn from_msgpack(bytes: &[u8], source: Option<&str>) -> Result<Parts, XppError> {
    decode::payload(MsgpackReader::new(bytes), source)
}
