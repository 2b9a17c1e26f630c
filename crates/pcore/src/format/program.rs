//! Values as Puppet code.
//!
//! Also the form of objects and URIs for `%p`, which can be indented.

use kukla_base::cancel::walk;
use std::fmt::Write;

use super::directive::Directive;
use super::error::FormatError;
use super::indent::Indent;
use super::numbers::ruby_text;
use crate::interpolate::text;
use crate::quote::{quote, write_quoted};
use crate::types::infer;
use crate::value::{Object, Rare};
use crate::{Hash, Value};
use kukla_rubytext::float;

/// Formats a value as Puppet code.
pub fn program(value: &Value) -> String {
    let mut out = String::new();
    write_program(value, &mut out);
    out
}

/// Appends a value as Puppet code.
pub fn write_program(value: &Value, out: &mut String) {
    Writer { out, indent: None }.value(value);
}

/// Formats an object.
pub(super) fn object(
    value: &Value,
    directive: &Directive,
    indent: Indent,
) -> Result<String, FormatError> {
    match directive.letter {
        'p' => Ok(indented(value, directive, indent)),
        // Ruby's `inspect` would print an address.
        's' | 'q' => Ok(program(value)),
        letter => Err(FormatError::illegal("Object", letter, "spq")),
    }
}

/// Formats a URI.
pub(super) fn uri(
    value: &Value,
    directive: &Directive,
    indent: Indent,
) -> Result<String, FormatError> {
    match directive.letter {
        'p' => Ok(indented(value, directive, indent)),
        's' if directive.alternate => ruby_text(&directive.original, &quote(&text(value))),
        's' => ruby_text(&directive.original, &text(value)),
        letter => Err(FormatError::illegal("URI", letter, "sp")),
    }
}

fn indented(value: &Value, directive: &Directive, indent: Indent) -> String {
    let mut out = String::new();
    let active = directive.alternate || indent.active;
    Writer { out: &mut out, indent: active.then_some(indent.level) }.value(value);
    out
}

/// A writer of values, with one entry per line if there is an indentation.
struct Writer<'a> {
    out: &'a mut String,
    indent: Option<usize>,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Undef => self.out.push_str("undef"),
            Value::Float(value) => self.out.push_str(&float::to_s(*value)),
            Value::String(text) => self.quoted(text),
            Value::Default | Value::Boolean(_) | Value::Integer(_) => self.plain(value),
            Value::Regexp(_) | Value::Type(_) => self.plain(value),
            Value::Timestamp(_) | Value::Timespan(_) => self.in_quotes(value),
            Value::Array(values) => self.nested(|writer| writer.array(values)),
            Value::Hash(hash) => self.nested(|writer| writer.hash(hash.iter())),
            Value::Sensitive(_) | Value::Binary(_) => self.instance(value),
            Value::Rare(rare) => match &**rare {
                Rare::Object(object) => self.nested(|writer| writer.object(object)),
                Rare::Iterator(_) => self.instance(value),
                Rare::SemVer(_) | Rare::SemVerRange(_) => self.in_quotes(value),
                Rare::Uri(uri) => {
                    self.out.push_str("URI(");
                    self.quoted(&uri.to_string());
                    self.out.push(')');
                }
            },
        }
    }

    /// Writes a quoted string. Writing to a string does not fail.
    fn quoted(&mut self, text: &str) {
        let _ = write_quoted(self.out, text);
    }

    fn plain(&mut self, value: &Value) {
        crate::interpolate::write_text(value, self.out);
    }

    fn in_quotes(&mut self, value: &Value) {
        self.out.push('\'');
        self.plain(value);
        self.out.push('\'');
    }

    /// Writes a value that has no literal in Puppet code.
    fn instance(&mut self, value: &Value) {
        let _ = write!(self.out, "Instance of {}", infer(value));
    }

    fn array(&mut self, values: &[Value]) {
        self.out.push('[');
        match self.indent.filter(|indent| !is_short(values, *indent)) {
            Some(indent) => {
                self.indent = Some(indent + 1);
                for value in values {
                    self.new_line();
                    self.value(value);
                    self.out.push_str(", ");
                }
                self.chomp_list();
                self.indent = Some(indent);
                self.new_line();
            }
            None => {
                for value in values {
                    self.value(value);
                    self.out.push_str(", ");
                }
                if !values.is_empty() {
                    self.chomp_list();
                }
            }
        }
        self.out.push(']');
    }

    fn hash<'v>(&mut self, entries: impl Iterator<Item = (&'v Value, &'v Value)>) {
        self.out.push('{');
        self.indent = self.indent.map(|indent| indent + 1);
        for (key, value) in entries {
            self.new_line();
            self.value(key);
            self.out.push_str(" => ");
            self.value(value);
            self.out.push_str(", ");
        }
        self.chomp_list();
        self.indent = self.indent.map(|indent| indent - 1);
        self.new_line();
        self.out.push('}');
    }

    /// Writes `Name({'attribute' => value})`.
    fn object(&mut self, object: &Object) {
        self.out.push_str(object.type_.name.as_deref().unwrap_or_default());
        self.out.push('(');
        let init: Hash = object.init_entries().map(|(k, v)| (k.into(), v.clone())).collect();
        self.hash(init.iter());
        self.out.push(')');
    }

    /// Begins a line if lines are broken.
    fn new_line(&mut self) {
        let Some(indent) = self.indent else { return };
        let end = |c: char| matches!(c, '\0' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | ' ');
        self.out.truncate(self.out.trim_end_matches(end).len());
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', 2 * indent));
    }

    fn chomp_list(&mut self) {
        if self.out.ends_with(", ") {
            self.out.truncate(self.out.len() - 2);
        }
    }

    fn nested(&mut self, write: impl FnOnce(&mut Self)) {
        walk((), || write(self));
    }
}

/// Returns true if an array of words and numbers fits into a line.
fn is_short(values: &[Value], indent: usize) -> bool {
    let length = values.iter().fold(0, |sum: usize, value| sum.saturating_add(length(value)));
    values.is_empty() || length.saturating_add(indent * 2) < 100
}

fn length(value: &Value) -> usize {
    match value {
        Value::Undef => "nil".len(),
        Value::Default => ":default".len(),
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => text(value).len(),
        Value::Timestamp(_) | Value::Timespan(_) => 1000,
        Value::String(text) => text.chars().count() + 2,
        Value::Array(values) if values.is_empty() => 2,
        Value::Hash(hash) if hash.is_empty() => 2,
        _ => 1000,
    }
}
