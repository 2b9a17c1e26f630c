//! Keys: `a`, `a::b`, `a.b.0`, `a."b.c"`.

use std::fmt;

use ecow::EcoString;
use kukla_pcore::value::shared;
use kukla_pcore::{Hash, Value};

use crate::Fault;

/// The highest index up to which an array is created.
const MAX_INDEX: i64 = 100_000;

/// A key: the name to search for, and a path into its value.
#[derive(Clone, Debug)]
pub struct Key {
    text: EcoString,
    root: EcoString,
    segments: Vec<Value>,
    module: Option<EcoString>,
}

impl Key {
    /// Parses a key.
    pub fn new(text: &EcoString) -> Result<Self, Fault> {
        let (root, segments) = match has_parts(text) {
            true => parts(text)?,
            false => (text.clone(), Vec::new()),
        };
        let module = module(&root);
        Ok(Self { text: text.clone(), root, segments, module })
    }

    /// Returns the key of the options of lookups.
    pub(crate) fn lookup_options() -> Self {
        let name = EcoString::from(crate::LOOKUP_OPTIONS);
        Self { text: name.clone(), root: name, segments: Vec::new(), module: None }
    }

    /// Returns the name to search for.
    pub const fn root(&self) -> &EcoString {
        &self.root
    }

    /// Returns the path into the value: names and numbers.
    pub fn segments(&self) -> &[Value] {
        &self.segments
    }

    /// Returns the module whose data may have the key.
    pub fn module(&self) -> Option<&EcoString> {
        self.module.as_ref()
    }

    /// Returns the key as written.
    pub fn text(&self) -> &EcoString {
        &self.text
    }

    /// Returns name and path, as `data_dig` functions receive them.
    pub(crate) fn all_segments(&self) -> Value {
        let root = Value::String(self.root.clone());
        Value::array(std::iter::once(root).chain(self.segments.iter().cloned()))
    }

    /// Wraps a value so that the path leads to it.
    pub(crate) fn undig(&self, value: Value) -> Value {
        self.segments.iter().rev().fold(value, |inner, segment| match segment {
            Value::Integer(index) => {
                let mut items = vec![
                    Value::Undef;
                    usize::try_from(*index).unwrap_or(0).min(MAX_INDEX as usize)
                ];
                items.push(inner);
                Value::array(items)
            }
            name => Value::from([(name.clone(), inner)].into_iter().collect::<Hash>()),
        })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the module of a name.
pub(crate) fn module(root: &EcoString) -> Option<EcoString> {
    let bytes = root.as_bytes();
    let is_pair = |&place: &usize| bytes.get(place + 1) == Some(&b':');
    let place = memchr::memchr_iter(b':', bytes).find(is_pair)?;
    Some(match place {
        // Ruby's `root[0..-1]` is the whole string.
        0 => root.clone(),
        place => shared(&root[..place]),
    })
}

/// Splits a name into the class and the rest.
pub(crate) fn class_and_name(root: &str) -> Option<(&str, &str)> {
    let place = root.as_bytes().windows(2).rposition(|pair| pair == b"::")?;
    Some((&root[..place], &root[place + 2..]))
}

/// Whether a key may have more parts than a name.
pub(crate) fn has_parts(key: &str) -> bool {
    memchr::memchr3(b'\'', b'"', b'.', key.as_bytes()).is_some()
}

/// Splits a key into the name and the path.
fn parts(text: &str) -> Result<(EcoString, Vec<Value>), Fault> {
    let syntax_error = || Fault::lookup(format!("Syntax error in key: '{text}'"));
    let mut segments = split(text).ok_or_else(syntax_error)?;
    match segments.remove(0) {
        Value::String(root) => Ok((root, segments)),
        number => {
            let shown = kukla_pcore::ruby::to_s(&number);
            {
                let ruby = kukla_base::Editions::current().ruby;
                Err(Fault::other(match ruby.has(kukla_base::RubyChange::ReceiverIsClass) {
                    true => format!(
                        "undefined method {} for an instance of Integer",
                        ruby.quoted("index")
                    ),
                    false => format!("undefined method `index' for {shown}:Integer"),
                }))
            }
        }
    }
}

/// Splits a key into quoted and dot-separated parts; `None` if it is invalid.
pub(crate) fn split(key: &str) -> Option<Vec<Value>> {
    if !has_parts(key) {
        return Some(vec![Value::from(key)]);
    }
    let mut segments = Vec::new();
    let mut rest = key;
    loop {
        let (segment, length) = segment(rest)?;
        segments.push(segment);
        rest = &rest[length..];
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind,
            None if rest.is_empty() => return Some(segments),
            None => return None,
        }
    }
}

/// Returns the first part and its length in the text.
fn segment(text: &str) -> Option<(Value, usize)> {
    let start = text.len() - text.trim_start_matches(ruby_space).len();
    for quote in ['"', '\''] {
        let Some(quoted) = text[start..].strip_prefix(quote) else { continue };
        let inner = &quoted[..quoted.find(quote)?];
        if inner.is_empty() {
            return None;
        }
        let end = start + inner.len() + 2;
        let spaces = text[end..].len() - text[end..].trim_start_matches(ruby_space).len();
        return Some((Value::from(inner), end + spaces));
    }
    let length = text.find(['\'', '"', '.']).unwrap_or(text.len());
    if length == 0 {
        return None;
    }
    // Without a dot, spaces in a quoted part belong to it.
    let plain = text[..length].trim_matches(|c: char| c == '\0' || ruby_space(c));
    Some((number(plain).unwrap_or_else(|| Value::from(plain)), length))
}

fn ruby_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

/// Parses a number: Puppet's pattern has a colon before the sign, and Ruby's `to_i` then finds no number.
fn number(text: &str) -> Option<Value> {
    let (colon, digits) = match text.strip_prefix(':') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(Value::Integer(if colon { 0 } else { digits.parse().unwrap_or(i64::MAX) }))
}
