//! A reader of HOCON, as far as configuration files use it: JSON with comments, bare words, `=` and line breaks.
//!
//! Substitutions (`${x}`) and includes are refused: what they stand for is not in the file.

use std::fmt;

use serde_json::{Map, Value};

/// Why a text can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoconError {
    /// The line.
    pub line: usize,
    /// The problem.
    pub words: String,
}

impl fmt::Display for HoconError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.words)
    }
}

impl std::error::Error for HoconError {}

type Read<T> = Result<T, HoconError>;

/// How deep lists and objects may be nested.
const DEEPEST: usize = 64;

/// Reads a text.
pub fn parse(text: &str) -> Read<Value> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    reader.skip(true);
    let value = if reader.peek() == Some('{') {
        reader.value()?
    } else {
        Value::Object(reader.members(None)?)
    };
    reader.skip(true);
    match reader.peek() {
        None => Ok(value),
        Some(_) => reader.fail("something stands behind the end"),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn fail<T>(&self, words: &str) -> Read<T> {
        let line = self.text[..self.at].matches('\n').count() + 1;
        Err(HoconError { line, words: words.to_owned() })
    }

    /// Skips spaces and comments, and line breaks if wanted; whether there was a line break.
    fn skip(&mut self, with_breaks: bool) -> bool {
        let mut found = false;
        while let Some(next) = self.peek() {
            let rest = &self.text[self.at..];
            if rest.starts_with('#') || rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if next == '\n' {
                if !with_breaks {
                    return false;
                }
                found = true;
                self.at += 1;
            } else if next.is_whitespace() || next == '\u{FEFF}' {
                self.at += next.len_utf8();
            } else {
                break;
            }
        }
        found
    }

    fn value(&mut self) -> Read<Value> {
        if self.depth >= DEEPEST {
            return self.fail("nested too deeply");
        }
        self.depth += 1;
        let value = match self.peek() {
            Some('{') => {
                self.next();
                self.members(Some('}')).map(Value::Object)
            }
            Some('[') => {
                self.next();
                self.elements().map(Value::Array)
            }
            Some('"') => self.string().map(Value::String),
            Some(_) => self.bare(),
            None => self.fail("a value is missing"),
        };
        self.depth -= 1;
        value
    }

    fn members(&mut self, end: Option<char>) -> Read<Map<String, Value>> {
        let mut map = Map::new();
        loop {
            self.skip(true);
            while self.take(',') {
                self.skip(true);
            }
            match (self.peek(), end) {
                (None, None) => return Ok(map),
                (None, Some(_)) => return self.fail("a `}` is missing"),
                (Some(next), Some(end)) if next == end => {
                    self.next();
                    return Ok(map);
                }
                _ => (),
            }
            let path = self.key()?;
            self.skip(false);
            let is_object = self.peek() == Some('{');
            if !is_object && !self.take(':') && !self.take('=') {
                return self.fail("a `:` or `=` is missing behind a key");
            }
            self.skip(true);
            let value = self.value()?;
            insert(&mut map, &path, value);
            self.end_of_element('}')?;
        }
    }

    fn elements(&mut self) -> Read<Vec<Value>> {
        let mut values = Vec::new();
        loop {
            self.skip(true);
            while self.take(',') {
                self.skip(true);
            }
            if self.take(']') {
                return Ok(values);
            }
            if self.peek().is_none() {
                return self.fail("a `]` is missing");
            }
            values.push(self.value()?);
            self.end_of_element(']')?;
        }
    }

    /// Behind a value stands a comma, a line break or the end.
    fn end_of_element(&mut self, end: char) -> Read<()> {
        let has_break = self.skip(true);
        let is_end = self.peek().is_none_or(|next| next == ',' || next == end);
        if has_break || is_end { Ok(()) } else { self.fail("a comma or a line break is missing") }
    }

    fn key(&mut self) -> Read<Vec<String>> {
        let mut path = Vec::new();
        loop {
            if self.peek() == Some('"') {
                path.push(self.string()?);
            } else {
                let rest = &self.text[self.at..];
                let is_end = |c: char| c.is_whitespace() || ":=.{}[],\"#$".contains(c);
                let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
                if word.is_empty() {
                    return self.fail("a key is missing");
                }
                if word == "include" {
                    return self.fail("`include` is not supported");
                }
                path.push(word.to_owned());
                self.at += word.len();
            }
            if !self.take('.') {
                return Ok(path);
            }
        }
    }

    fn string(&mut self) -> Read<String> {
        let rest = &self.text[self.at..];
        if let Some(raw) = rest.strip_prefix("\"\"\"") {
            let Some(length) = raw.find("\"\"\"") else { return self.fail("a string has no end") };
            self.at += length + 6;
            return Ok(raw[..length].to_owned());
        }
        let mut end = 1;
        let bytes = rest.as_bytes();
        while bytes.get(end).is_some_and(|byte| *byte != b'"' && *byte != b'\n') {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let literal = rest.get(..=end).filter(|literal| literal.ends_with('"'));
        let Some(literal) = literal else { return self.fail("a string has no end") };
        match serde_json::from_str(literal) {
            Ok(text) => {
                self.at += literal.len();
                Ok(text)
            }
            Err(_) => self.fail("a string has an unknown escape"),
        }
    }

    /// A word without quotes: up to a comma, a bracket or the end of the line.
    fn bare(&mut self) -> Read<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| "\n,]}#".contains(c)).unwrap_or(rest.len());
        let word = &rest[..end];
        let word = word.split("//").next().unwrap_or_default().trim();
        if word.contains("${") {
            return self.fail("substitutions are not supported");
        }
        if word.is_empty() || word.contains(['{', '[', '"']) {
            return self.fail("a value is missing");
        }
        let value = match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            word => match word.parse::<i64>() {
                Ok(number) => Value::from(number),
                Err(_) => Value::String(word.to_owned()),
            },
        };
        self.at += end;
        Ok(value)
    }
}

/// Later values replace earlier ones; objects are merged.
fn insert(map: &mut Map<String, Value>, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else { return };
    let value = match rest {
        [] => value,
        rest => {
            let mut inner = Map::new();
            insert(&mut inner, rest, value);
            Value::Object(inner)
        }
    };
    match (map.get_mut(first), value) {
        (Some(Value::Object(known)), Value::Object(new)) => {
            for (key, value) in new {
                insert(known, &[key], value);
            }
        }
        (_, value) => drop(map.insert(first.clone(), value)),
    }
}
