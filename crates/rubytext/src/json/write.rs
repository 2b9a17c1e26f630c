//! `JSON.generate` and `JSON.pretty_generate`.

use crate::tree::{self, Tree, View};
use crate::{RubyError, float};
use std::borrow::Cow;
use std::fmt::Write;

/// The layout of a document, and its limits.
#[derive(Debug, Clone)]
pub struct Style {
    /// One level of indentation.
    pub indent: String,
    /// The text after a colon.
    pub space: String,
    /// The text before a colon.
    pub space_before: String,
    /// The end of a line in a hash.
    pub object_nl: String,
    /// The end of a line in an array.
    pub array_nl: String,
    /// Allows `NaN` and the infinities.
    pub allow_nan: bool,
    /// The maximum nesting of arrays and hashes; 0 means [`DEEPEST`].
    pub max_nesting: usize,
}

/// The maximum nesting whatever the style allows, since the writer is recursive.
const DEEPEST: usize = 10_000;

impl Style {
    /// Creates the style of `JSON.generate`: all on one line.
    pub fn compact() -> Self {
        let none = String::new;
        Self {
            indent: none(),
            space: none(),
            space_before: none(),
            object_nl: none(),
            array_nl: none(),
            allow_nan: false,
            max_nesting: 100,
        }
    }

    /// Creates the style of `JSON.pretty_generate`: lines and indentation.
    pub fn pretty() -> Self {
        Self {
            indent: "  ".to_owned(),
            space: " ".to_owned(),
            object_nl: "\n".to_owned(),
            array_nl: "\n".to_owned(),
            ..Self::compact()
        }
    }
}

/// Formats a tree.
pub fn generate(data: &dyn Tree, style: &Style) -> Result<String, RubyError> {
    let mut out = String::new();
    Writer { style, depth: 0, out: &mut out }.value(data)?;
    Ok(out)
}

struct Writer<'a> {
    style: &'a Style,
    depth: usize,
    out: &'a mut String,
}

impl Writer<'_> {
    fn value(&mut self, data: &dyn Tree) -> Result<(), RubyError> {
        match data.view() {
            View::Nil => self.out.push_str("null"),
            View::Bool(value) => self.out.push_str(if value { "true" } else { "false" }),
            View::Int(number) => self.out.push_str(&number.to_string()),
            View::Big(number) => self.out.push_str(&number.to_string()),
            View::Float(number) => self.float(number)?,
            View::Str(text) | View::Symbol(text) | View::Other(text) => push_string(self.out, text),
            View::Binary(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => push_string(self.out, text),
                Err(_) => return Err(malformed()),
            },
            // Documents may be nested more deeply than a stack of fixed size allows.
            View::Array(items) => {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.array(&items))?;
            }
            View::Hash(entries) => {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.hash(&entries))?;
            }
        }
        Ok(())
    }

    fn float(&mut self, number: f64) -> Result<(), RubyError> {
        let text = float::to_s(number);
        if !number.is_finite() && !self.style.allow_nan {
            // The numbers are line numbers of the source of Ruby's generator.
            let line = if number.is_nan() { 1003 } else { 1000 };
            return Err(RubyError::new(
                "JSON::GeneratorError",
                format!("{line}: {text} not allowed in JSON"),
            ));
        }
        self.out.push_str(&text);
        Ok(())
    }

    fn enter(&mut self) -> Result<(), RubyError> {
        self.depth += 1;
        let max = if self.style.max_nesting == 0 { DEEPEST } else { self.style.max_nesting };
        if self.depth > max {
            let message = format!("nesting of {} is too deep", self.depth - 1);
            return Err(RubyError::new("JSON::NestingError", message));
        }
        Ok(())
    }

    fn line(&mut self, end: &str) {
        self.out.push_str(end);
        for _ in 0..self.depth {
            self.out.push_str(&self.style.indent);
        }
    }

    fn array(&mut self, items: &[&dyn Tree]) -> Result<(), RubyError> {
        self.enter()?;
        let style = self.style;
        self.out.push('[');
        if items.is_empty() {
            // Not indented: there is no element.
            self.out.push_str(&style.array_nl);
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line(&style.array_nl);
            self.value(*item)?;
        }
        self.depth -= 1;
        self.line(&style.array_nl);
        self.out.push(']');
        Ok(())
    }

    fn hash(&mut self, entries: &[(&dyn Tree, &dyn Tree)]) -> Result<(), RubyError> {
        self.enter()?;
        let style = self.style;
        self.out.push('{');
        for (index, (key, value)) in entries.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line(&style.object_nl);
            push_string(self.out, &key_text(&key.view())?);
            self.out.push_str(&style.space_before);
            self.out.push(':');
            self.out.push_str(&style.space);
            self.value(*value)?;
        }
        self.depth -= 1;
        self.line(&style.object_nl);
        self.out.push('}');
        Ok(())
    }
}

/// Converts a key to text.
fn key_text<'a>(key: &View<'a>) -> Result<Cow<'a, str>, RubyError> {
    Ok(match key {
        View::Binary(bytes) => std::str::from_utf8(bytes).map_err(|_| malformed())?.into(),
        View::Str(text) | View::Symbol(text) => (*text).into(),
        other => tree::to_s(other).into(),
    })
}

fn malformed() -> RubyError {
    RubyError::new("JSON::GeneratorError", "source sequence is illegal/malformed utf-8")
}

/// Formats a text as a JSON string with its quotes.
///
/// ```
/// # use kukla_rubytext::json::string;
/// assert_eq!(string("a\n\"é/"), r#""a\n\"é/""#);
/// ```
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

/// Appends a text as a JSON string with its quotes.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x0c => out.push_str("\\f"),
            0x08 => out.push_str("\\b"),
            // Writing to a `String` can't fail.
            _ => drop(write!(out, "\\u{byte:04x}")),
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}
