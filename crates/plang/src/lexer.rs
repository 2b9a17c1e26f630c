//! The lexer: splits text into tokens.
//!
//! It keeps everything: comments are tokens too, and invalid input becomes an error token with a diagnostic.

use kukla_base::{Diagnostic, Span};

use crate::issues;
use crate::limits::Limits;
use crate::parser::MOST;
use crate::token::{Keyword, Symbol, Token, TokenKind};

/// The tokens of a source, ending with `End`, and the diagnostics about them.
#[derive(Debug)]
pub struct Lexed {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// Splits a source into tokens.
pub fn lex(text: &str, limits: &Limits) -> Lexed {
    lex_from(text, 0, limits)
}

/// Splits the text after an offset into tokens. The size limit includes the text before it.
pub fn lex_from(text: &str, start: usize, limits: &Limits) -> Lexed {
    let mut lexer = Lexer { text, at: start, tokens: Vec::new(), diagnostics: Vec::new() };
    if text.len() > limits.source {
        lexer.diagnostics.push(issues::source_too_large(text.len(), limits.source));
    } else {
        lexer.run(limits);
    }
    let end = Span::new(to_u32(lexer.at), 0);
    lexer.tokens.push(Token { kind: TokenKind::End, span: end });
    Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics }
}

#[derive(Debug)]
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self, limits: &Limits) {
        if self.rest().starts_with('\u{FEFF}') {
            self.at += '\u{FEFF}'.len_utf8();
        }
        while self.skip_space() {
            if self.tokens.len() >= limits.tokens {
                self.diagnostics.push(issues::too_many_tokens(self.here(1), limits.tokens));
                // A source above the limit is not processed further.
                self.tokens.clear();
                return;
            }
            if self.diagnostics.len() >= MOST {
                return;
            }
            let start = self.at;
            let kind = self.token(limits);
            self.tokens.push(Token { kind, span: self.since(start) });
        }
    }

    /// Skips space up to the next token; false at the end.
    fn skip_space(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let space = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        self.at += space.count();
        self.at < self.text.len()
    }

    fn token(&mut self, limits: &Limits) -> TokenKind {
        let rest = self.rest();
        match rest.as_bytes()[0] {
            b'"' => self.string(limits),
            b'0'..=b'9' => self.number(),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word(),
            b'/' if rest.starts_with("/*") => self.block_comment(),
            b'/' if rest.starts_with("//") => self.line_comment(),
            _ => self.symbol(),
        }
    }

    fn word(&mut self) -> TokenKind {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| is_word(*byte)).count();
        let word = &rest[..length];
        let keyword = Keyword::ALL.iter().find(|(text, _)| *text == word);
        self.at += length;
        keyword.map_or(TokenKind::Word, |(_, keyword)| TokenKind::Keyword(*keyword))
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        let length = self.rest().bytes().take_while(|byte| is_word(*byte)).count();
        let digits = &self.rest()[..length];
        let has_leading_zero = length > 1 && digits.starts_with('0');
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let fits = digits.parse::<i64>().is_ok();
        self.at += length;
        if is_number && fits && !has_leading_zero {
            return TokenKind::Number;
        }
        let issue = issues::bad_number(self.since(start), is_number, has_leading_zero);
        self.diagnostics.push(issue);
        TokenKind::Error
    }

    fn string(&mut self, limits: &Limits) -> TokenKind {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        let n_before = self.diagnostics.len();
        loop {
            match bytes.get(self.at) {
                None => {
                    let first_line = self.text[start..].lines().next().unwrap_or_default().len();
                    let span = Span::new(to_u32(start), to_u32(first_line));
                    self.diagnostics.push(issues::unclosed_string(span));
                    return TokenKind::Error;
                }
                Some(b'"') => break,
                Some(b'\\') => self.escape(),
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        if self.at - start > limits.literal {
            self.diagnostics.push(issues::literal_too_large(self.since(start), limits.literal));
        }
        if self.diagnostics.len() == n_before { TokenKind::Text } else { TokenKind::Error }
    }

    fn escape(&mut self) {
        let start = self.at;
        match escape(&self.text.as_bytes()[self.at..]) {
            Some((_, length)) => self.at += length,
            None => {
                let width = self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8);
                self.at += 1 + width;
                self.diagnostics.push(issues::bad_escape(self.since(start)));
            }
        }
    }

    fn block_comment(&mut self) -> TokenKind {
        match self.rest()[2..].find("*/") {
            Some(length) => {
                self.at += length + 4;
                TokenKind::Comment
            }
            None => {
                self.diagnostics.push(issues::unclosed_comment(self.here(2)));
                self.at = self.text.len();
                TokenKind::Error
            }
        }
    }

    fn line_comment(&mut self) -> TokenKind {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        TokenKind::Comment
    }

    fn symbol(&mut self) -> TokenKind {
        let rest = self.rest();
        let first = rest.as_bytes().first();
        let is_next = |text: &str| text.as_bytes().first() == first && rest.starts_with(text);
        if let Some((text, symbol)) = Symbol::ALL.iter().find(|(text, _)| is_next(text)) {
            self.at += text.len();
            return TokenKind::Symbol(*symbol);
        }
        let character = rest.chars().next().unwrap_or_default();
        self.diagnostics.push(issues::bad_character(self.here(character.len_utf8()), character));
        self.at += character.len_utf8();
        TokenKind::Error
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn here(&self, length: usize) -> Span {
        Span::new(to_u32(self.at), to_u32(length))
    }

    fn since(&self, start: usize) -> Span {
        Span::between(to_u32(start), to_u32(self.at))
    }
}

/// Returns the bytes of a string token, given with its quotes.
pub fn unquote(literal: &str) -> Vec<u8> {
    let mut rest = literal.as_bytes();
    rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    rest = rest.strip_suffix(b"\"").unwrap_or(rest);
    let mut out = Vec::with_capacity(rest.len());
    while let Some(&byte) = rest.first() {
        let escaped = if byte == b'\\' { escape(rest) } else { None };
        let length = match escaped {
            Some((bytes, length)) => {
                out.extend(bytes);
                length
            }
            None => {
                out.push(byte);
                1
            }
        };
        rest = &rest[length..];
    }
    out
}

/// Returns the bytes of an escape, and its length in the source.
fn escape(rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    let single = |byte: u8| Some((vec![byte], 2));
    match rest.get(1)? {
        b'"' => single(b'"'),
        b'\\' => single(b'\\'),
        b'n' => single(b'\n'),
        b'r' => single(b'\r'),
        b't' => single(b'\t'),
        b'x' => Some((vec![u8::try_from(hex(rest.get(2..4)?)?).ok()?], 4)),
        b'u' => {
            let length = rest.get(3..10.min(rest.len()))?.iter().position(|byte| *byte == b'}')?;
            let digits = rest.get(3..3 + length).filter(|_| rest[2] == b'{')?;
            let character = char::from_u32(hex(digits)?)?;
            Some((character.to_string().into_bytes(), length + 4))
        }
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u32::from_str_radix(text, 16).ok()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Converts an offset, which fits because the source has a size limit.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
