//! The parser: from tokens to a tree with all values of every key.

use super::token::{Token, TokenKind};
use super::{HoconError, Includes, error, parse_error};

/// A value before it is resolved.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// A text in quotes.
    Quoted(String),
    /// Text without quotes; alone it may be a number or a keyword.
    Bare(String),
    /// Space between values that are joined.
    Space(String),
    Array(Vec<Value>),
    Hash(Fields),
    Substitution {
        path: Vec<String>,
        optional: bool,
        line: usize,
    },
    /// Adjacent values on a line.
    Joined(Vec<Value>),
}

/// Keys in order, each with its values, the first first.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(pub(super) Vec<(String, Vec<Value>)>);

impl Fields {
    pub(super) fn get(&self, key: &str) -> Option<&[Value]> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, values)| values.as_slice())
    }

    /// Adds a value to a key; a path descends into hashes.
    fn push(&mut self, path: &[String], value: Value) {
        let Some((key, rest)) = path.split_first() else { return };
        let value = if rest.is_empty() {
            value
        } else {
            let mut inner = Self::default();
            inner.push(rest, value);
            Value::Hash(inner)
        };
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, values)) => values.push(value),
            None => self.0.push((key.clone(), vec![value])),
        }
    }
}

const MAX_DEPTH: usize = 500;

pub(super) fn document(tokens: &[Token], includes: Includes) -> Result<Fields, HoconError> {
    let mut parser = Parser { tokens, includes, at: 0, depth: 0 };
    parser.skip_lines();
    let fields = match parser.peek() {
        TokenKind::Mark("{") => {
            parser.at += 1;
            let fields = parser.fields(&TokenKind::Mark("}"))?;
            parser.skip_lines();
            if *parser.peek() != TokenKind::End {
                let message = format!(
                    "Document has trailing tokens after first object or array: {}",
                    parser.peek().display()
                );
                return Err(parse_error(parser.line(), &message));
            }
            fields
        }
        TokenKind::Mark("[") => {
            return Err(HoconError {
                line: Some(parser.line()),
                ..error(
                    "Hocon::ConfigError::ConfigWrongTypeError",
                    " has type LIST rather than object at file root",
                )
            });
        }
        _ => parser.fields(&TokenKind::End)?,
    };
    Ok(fields)
}

struct Parser<'t> {
    tokens: &'t [Token],
    includes: Includes,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &TokenKind {
        self.tokens.get(self.at).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), TokenKind::Space(_)) {
            self.at += 1;
        }
    }

    /// Skips space and line breaks; true if there was a line break.
    fn skip_lines(&mut self) -> bool {
        let mut has_newline = false;
        while matches!(self.peek(), TokenKind::Space(_) | TokenKind::Newline) {
            has_newline |= *self.peek() == TokenKind::Newline;
            self.at += 1;
        }
        has_newline
    }

    /// Skips a separator between values; `false` if there is neither a comma nor a line break.
    fn separator(&mut self) -> bool {
        let line = self.skip_lines();
        if *self.peek() != TokenKind::Mark(",") {
            return line;
        }
        self.at += 1;
        self.skip_lines();
        true
    }

    fn fields(&mut self, end: &TokenKind) -> Result<Fields, HoconError> {
        let mut fields = Fields::default();
        self.skip_lines();
        while self.peek() != end {
            if self.is_include() {
                self.include()?;
            } else {
                self.field(&mut fields)?;
            }
            if !self.separator() && self.peek() != end {
                let message = format!("Expecting close brace }} or a comma, got {}", self.hint());
                return Err(parse_error(self.line(), &message));
            }
        }
        self.at += usize::from(*end != TokenKind::End);
        Ok(fields)
    }

    /// Returns the token for a message, with advice for the case that it should be text.
    fn hint(&self) -> String {
        let display = self.peek().display();
        if *self.peek() == TokenKind::End {
            return display;
        }
        format!(
            "{display} (if you intended {display} to be part of a key or string value, try enclosing the key or value in double quotes"
        )
    }

    fn is_include(&self) -> bool {
        let behind = self.tokens[self.at + 1..]
            .iter()
            .find(|token| !matches!(token.kind, TokenKind::Space(_)));
        *self.peek() == TokenKind::Bare("include".to_owned())
            && matches!(behind.map(|token| &token.kind), Some(TokenKind::Quoted(_)))
    }

    fn include(&mut self) -> Result<(), HoconError> {
        if self.includes == Includes::Refused {
            return Err(parse_error(self.line(), "`include` is not supported"));
        }
        while !matches!(self.peek(), TokenKind::Newline | TokenKind::End | TokenKind::Mark(_)) {
            self.at += 1;
        }
        Ok(())
    }

    fn field(&mut self, fields: &mut Fields) -> Result<(), HoconError> {
        let (path, key) = self.path()?;
        self.skip_lines();
        let mark = match self.peek() {
            TokenKind::Mark(mark @ (":" | "=" | "+=")) => *mark,
            TokenKind::Mark("{") => "{",
            other => {
                let message =
                    format!("Key '{key}' may not be followed by token: {}", other.display());
                return Err(parse_error(self.line(), &message));
            }
        };
        if mark != "{" {
            self.at += 1;
            self.skip_lines();
        }
        let line = self.line();
        let value = self.value()?;
        let value = match mark {
            "+=" => Value::Joined(vec![
                Value::Substitution { path: path.clone(), optional: true, line },
                Value::Array(vec![value]),
            ]),
            _ => value,
        };
        fields.push(&path, value);
        Ok(())
    }

    /// Parses a key; returns its names and its source text.
    fn path(&mut self) -> Result<(Vec<String>, String), HoconError> {
        let mut pieces = Vec::new();
        let start = self.at;
        while let TokenKind::Bare(_) | TokenKind::Quoted(_) | TokenKind::Space(_) = self.peek() {
            pieces.push(self.peek().clone());
            self.at += 1;
        }
        if pieces.is_empty() {
            let message = format!(
                "expecting a close brace or a field name here, got {}",
                self.peek().display()
            );
            return Err(parse_error(self.line(), &message));
        }
        while matches!(pieces.last(), Some(TokenKind::Space(_))) {
            pieces.pop();
        }
        let written: String = self.tokens[start..start + pieces.len()]
            .iter()
            .map(|token| match &token.kind {
                TokenKind::Bare(text) | TokenKind::Space(text) => text.clone(),
                other => other.display(),
            })
            .collect();
        Ok((split_path(&pieces)?, written))
    }

    fn value(&mut self) -> Result<Value, HoconError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(parse_error(self.line(), "the document is nested too deeply"));
        }
        let mut parts = Vec::new();
        loop {
            let line = self.line();
            match self.peek().clone() {
                TokenKind::Quoted(text) => parts.push(Value::Quoted(text)),
                TokenKind::Bare(text) => parts.push(Value::Bare(text)),
                TokenKind::Space(text) => parts.push(Value::Space(text)),
                TokenKind::Substitution { path, optional } => {
                    let path = split_path(&super::parse::words(&path))?;
                    parts.push(Value::Substitution { path, optional, line });
                }
                TokenKind::Mark("{") => {
                    self.at += 1;
                    parts.push(Value::Hash(self.fields(&TokenKind::Mark("}"))?));
                    continue;
                }
                TokenKind::Mark("[") => {
                    self.at += 1;
                    parts.push(self.array()?);
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        self.depth -= 1;
        while matches!(parts.last(), Some(Value::Space(_))) {
            parts.pop();
        }
        match parts.len() {
            0 => Err(parse_error(
                self.line(),
                &format!("Expecting a value but got wrong token: {}", self.hint()),
            )),
            1 => Ok(parts.remove(0)),
            _ => Ok(Value::Joined(parts)),
        }
    }

    fn array(&mut self) -> Result<Value, HoconError> {
        let mut items = Vec::new();
        self.skip_lines();
        while *self.peek() != TokenKind::Mark("]") {
            let is_start = matches!(
                self.peek(),
                TokenKind::Quoted(_)
                    | TokenKind::Bare(_)
                    | TokenKind::Substitution { .. }
                    | TokenKind::Mark("{" | "[")
            );
            if !is_start {
                let place = if items.is_empty() {
                    "List should have ] or a first element after the open ["
                } else {
                    "List should have had new element after a comma"
                };
                return Err(self.list_error(place));
            }
            items.push(self.value()?);
            if !self.separator() && *self.peek() != TokenKind::Mark("]") {
                return Err(self.list_error("List should have ended with ] or had a comma"));
            }
            self.skip_space();
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    fn list_error(&self, place: &str) -> HoconError {
        let display = self.peek().display();
        let message = format!(
            "{place}, instead had token: {display} (if you want {display} to be part of a string value, then double-quote it)"
        );
        parse_error(self.line(), &message)
    }
}

/// Returns the tokens of a path in a substitution.
pub(super) fn words(path: &str) -> Vec<TokenKind> {
    super::token::tokens(path)
        .into_iter()
        .map(|token| token.kind)
        .filter(|kind| *kind != TokenKind::End)
        .collect()
}

/// Splits a path into names. Points in bare text separate them; quoted text is taken literally.
fn split_path(pieces: &[TokenKind]) -> Result<Vec<String>, HoconError> {
    let mut path = vec![(String::new(), false)];
    for piece in pieces {
        match piece {
            TokenKind::Quoted(text) => {
                if let Some((name, quoted)) = path.last_mut() {
                    name.push_str(text);
                    *quoted = true;
                }
            }
            TokenKind::Bare(text) | TokenKind::Space(text) => {
                for (index, part) in text.split('.').enumerate() {
                    if index > 0 {
                        path.push((String::new(), false));
                    }
                    if let Some((name, _)) = path.last_mut() {
                        name.push_str(part);
                    }
                }
            }
            _ => (),
        }
    }
    if path.iter().any(|(name, quoted)| name.is_empty() && !quoted) {
        let message = "path has a leading, trailing, or two adjacent period '.' (use quoted \"\" empty string if you want an empty element)";
        return Err(error("Hocon::ConfigError::ConfigBadPathError", message));
    }
    if path.len() > MAX_DEPTH {
        return Err(parse_error(1, "a path has too many names"));
    }
    Ok(path.into_iter().map(|(name, _)| name).collect())
}
