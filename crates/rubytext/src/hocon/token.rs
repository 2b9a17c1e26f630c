//! The tokens of HOCON.

use crate::{BigInt, RubyInteger as _, float};

/// A token and the line it is on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// One of `{ } [ ] : = ,` or `+=`.
    Mark(&'static str),
    Newline,
    /// Space between values on a line.
    Space(String),
    /// A text in quotes.
    Quoted(String),
    /// Text without quotes, including `true`, `null` and numbers.
    Bare(String),
    /// `${path}` or `${?path}`
    Substitution {
        path: String,
        optional: bool,
    },
    /// An invalid token: its text for messages, and the reason.
    Problem(String, String),
    End,
}

impl TokenKind {
    /// Formats the token for messages.
    pub(super) fn display(&self) -> String {
        match self {
            Self::Mark(mark) => format!("'{mark}'"),
            Self::Newline => "newline".to_owned(),
            Self::Space(text) | Self::Bare(text) => format!("'{text}'"),
            Self::Quoted(text) => format!("\"{text}\""),
            Self::Substitution { path, .. } => format!("'${{{path}}}'"),
            Self::Problem(text, why) => format!("'{text}' ({why})"),
            Self::End => "end of file".to_owned(),
        }
    }
}

const MARKS: [&str; 8] = ["+=", "{", "}", "[", "]", ":", "=", ","];

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while !rest.is_empty() {
        let (kind, length) = next(rest);
        let read = &rest[..length];
        if let Some(kind) = kind {
            tokens.push(Token { kind, line });
        }
        line += read.matches('\n').count();
        rest = &rest[length..];
    }
    tokens.push(Token { kind: TokenKind::End, line });
    tokens
}

/// Returns the first token, `None` for a comment, and its length.
fn next(rest: &str) -> (Option<TokenKind>, usize) {
    if rest.starts_with('\n') {
        return (Some(TokenKind::Newline), 1);
    }
    if rest.starts_with('#') || rest.starts_with("//") {
        return (None, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with(is_blank) {
        let length = rest.find(|c| !is_blank(c)).unwrap_or(rest.len());
        return (Some(TokenKind::Space(rest[..length].to_owned())), length);
    }
    if let Some(mark) = MARKS.into_iter().find(|mark| rest.starts_with(mark)) {
        return (Some(TokenKind::Mark(mark)), mark.len());
    }
    match rest.chars().next() {
        Some('"') => quoted(rest),
        Some('$') => substitution(rest),
        Some(c) if is_reserved(c) => {
            let why = format!("Reserved character '{c}' is not allowed outside quotes");
            (Some(TokenKind::Problem(c.to_string(), why)), c.len_utf8())
        }
        _ => bare(rest),
    }
}

fn is_blank(c: char) -> bool {
    c != '\n' && (c.is_whitespace() || c == '\u{feff}')
}

fn is_reserved(c: char) -> bool {
    "+`^?!@*&\\$\"{}[]:=,#".contains(c)
}

fn bare(rest: &str) -> (Option<TokenKind>, usize) {
    let end = rest.char_indices().find(|&(at, c)| {
        is_reserved(c) && !is_part_of_number(rest, at, c)
            || c.is_whitespace()
            || rest[at..].starts_with("//")
    });
    let length = end.map_or(rest.len(), |(at, _)| at).max(1);
    (Some(TokenKind::Bare(rest[..length].to_owned())), length)
}

/// Returns true for the sign of an exponent.
fn is_part_of_number(rest: &str, at: usize, c: char) -> bool {
    let before = &rest[..at];
    let digits = before.strip_suffix(['e', 'E']).unwrap_or("");
    let is_mantissa = |b: u8| b.is_ascii_digit() || b == b'.' || b == b'-';
    c == '+' && !digits.is_empty() && digits.bytes().all(is_mantissa)
}

fn quoted(rest: &str) -> (Option<TokenKind>, usize) {
    if let Some(body) = rest.strip_prefix("\"\"\"") {
        // Quotes beyond the third at the end belong to the text.
        let Some(end) = body.find("\"\"\"") else { return open_quote(rest) };
        let extra = body[end + 3..].bytes().take_while(|&b| b == b'"').count();
        return (Some(TokenKind::Quoted(body[..end + extra].to_owned())), end + extra + 6);
    }
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (Some(TokenKind::Quoted(out)), at + 1),
            '\n' => return open_quote(rest),
            '\\' => match escape(&rest[at + 1..]) {
                Some((c, length)) => {
                    out.push(c);
                    chars.nth(length - 1);
                }
                None => {
                    let why = "Invalid escape sequence in a quoted string";
                    return (Some(TokenKind::Problem("\\".to_owned(), why.to_owned())), rest.len());
                }
            },
            _ => out.push(c),
        }
    }
    open_quote(rest)
}

fn open_quote(rest: &str) -> (Option<TokenKind>, usize) {
    let why = "End of input but string quote was still open";
    (Some(TokenKind::Problem("-1".to_owned(), why.to_owned())), rest.len())
}

/// Returns the character of an escape, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    Some(match text.chars().next()? {
        c @ ('"' | '\\' | '/') => (c, 1),
        'b' => ('\x08', 1),
        'f' => ('\x0c', 1),
        'n' => ('\n', 1),
        'r' => ('\r', 1),
        't' => ('\t', 1),
        'u' => (char::from_u32(u32::from_str_radix(text.get(1..5)?, 16).ok()?)?, 5),
        _ => return None,
    })
}

fn substitution(rest: &str) -> (Option<TokenKind>, usize) {
    let Some(body) = rest.strip_prefix("${") else {
        let next = rest.chars().nth(1).map_or_else(|| "-1".to_owned(), |c| c.to_string());
        let why = format!("'$' not followed by {{, '{next}' not allowed after '$'");
        return (Some(TokenKind::Problem(next, why)), rest.len());
    };
    let Some(end) = body.find('}') else {
        let why = "Substitution ${ was not closed with a }";
        return (Some(TokenKind::Problem("-1".to_owned(), why.to_owned())), rest.len());
    };
    let inner = &body[..end];
    let path = inner.strip_prefix('?').unwrap_or(inner).trim().to_owned();
    (Some(TokenKind::Substitution { path, optional: inner.starts_with('?') }), end + 3)
}

/// Parses a bare text as a number.
pub(super) fn number(text: &str) -> Option<Number> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return None;
    }
    if !text.contains(['.', 'e', 'E']) {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let fits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        return fits
            .then(|| Number::Int(BigInt::from_digits(digits.len() < text.len(), digits, 10)));
    }
    let number = float::parse(text).ok()?;
    // A number without a fraction is an integer in any notation.
    Some(match BigInt::from_f64(number) {
        Some(whole) if number.fract() == 0.0 => Number::Int(whole),
        _ => Number::Float(number),
    })
}

pub(super) enum Number {
    Int(BigInt),
    Float(f64),
}
