//! Texts of values that are neither numbers nor containers.

use super::directive::Directive;
use super::error::FormatError;
use super::numbers::{self, ruby, ruby_text};
use crate::Type;
use crate::quote::{double_quote, quote};
use crate::regex::Regex;
use crate::regexps;
use kukla_rubytext::sprintf::{Argument, Kind};
use kukla_rubytext::{base64, case, inspect};

/// Applies width and precision to a word.
fn sized(directive: &Directive, word: &str) -> Result<String, FormatError> {
    if !directive.has_size() {
        return Ok(word.into());
    }
    let mut format = String::from(if directive.left { "%-" } else { "%" });
    format.extend(directive.width.map(|width| width.to_string()));
    format.extend(directive.precision.map(|precision| format!(".{precision}")));
    format.push('s');
    ruby_text(&format, word)
}

/// Formats `undef`.
pub(super) fn undef(directive: &Directive) -> Result<String, FormatError> {
    let word = match (directive.letter, directive.alternate) {
        ('n', false) => "nil",
        ('n', true) => "null",
        ('u', false) => "undef",
        ('u', true) => "undefined",
        ('d' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A', _) => "NaN",
        ('v', _) => "n/a",
        ('V', _) => "N/A",
        ('s', false) => "",
        ('s', true) => "\"\"",
        ('p', false) => "undef",
        ('p', true) => "\"undef\"",
        (letter, _) => {
            return Err(FormatError::illegal("Undef", letter, "nudxXobBeEfgGaAvVsp"));
        }
    };
    sized(directive, word)
}

/// Formats `default`.
pub(super) fn default(directive: &Directive) -> Result<String, FormatError> {
    let word = match (directive.letter, directive.alternate) {
        ('d' | 's' | 'p', false) => "default",
        ('d' | 's' | 'p', true) => "\"default\"",
        ('D', false) => "Default",
        ('D', true) => "\"Default\"",
        (letter, _) => return Err(FormatError::illegal("Default", letter, "dDsp")),
    };
    sized(directive, word)
}

/// Formats `true` and `false`.
pub(super) fn boolean(value: bool, directive: &Directive) -> Result<String, FormatError> {
    let word = match (directive.letter, value) {
        ('t', true) => "true",
        ('t', false) => "false",
        ('T', true) => "True",
        ('T', false) => "False",
        ('y', true) => "yes",
        ('y', false) => "no",
        ('Y', true) => "Yes",
        ('Y', false) => "No",
        ('s' | 'p', true) => return sized(directive, "true"),
        ('s' | 'p', false) => return sized(directive, "false"),
        ('d' | 'x' | 'X' | 'o' | 'b' | 'B', _) => return numbers::integer(value.into(), directive),
        ('e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A', _) => {
            return numbers::float(f64::from(u8::from(value)), directive);
        }
        (letter, _) => {
            return Err(FormatError::illegal("Boolean", letter, "tTyYdxXobBeEfgGaAsp"));
        }
    };
    sized(directive, if directive.alternate { &word[..1] } else { word })
}

/// Formats a string.
pub(super) fn string(text: &str, directive: &Directive) -> Result<String, FormatError> {
    let changed = match directive.letter {
        's' => return ruby_text(&directive.original, text),
        'p' => {
            let quoted = if directive.alternate { double_quote(text) } else { quote(text) };
            return sized(directive, &quoted);
        }
        'c' => case::capitalize(text),
        'C' => capitalize_segments(text),
        'u' => case::upcase(text),
        'd' => case::downcase(text),
        't' => strip(text).into(),
        letter => return Err(FormatError::illegal("String", letter, "cCudspt")),
    };
    match directive.alternate {
        true => sized(directive, &quote(&changed)),
        false => ruby_text(&directive.with_letter('s'), &changed),
    }
}

/// Capitalizes segments. Ruby's `split` drops empty ones at the end.
fn capitalize_segments(text: &str) -> String {
    let mut segments: Vec<_> = text.split("::").map(case::capitalize).collect();
    while segments.last().is_some_and(String::is_empty) {
        segments.pop();
    }
    segments.join("::")
}

/// Strips as Ruby's `strip` does: white space of ASCII on both sides, and NUL bytes on the right.
fn strip(text: &str) -> &str {
    let space = |c: char| matches!(c, '\t' | '\n' | '\x0b' | '\x0c' | '\r' | ' ');
    text.trim_end_matches(|c| space(c) || c == '\0').trim_start_matches(|c| space(c) || c == '\0')
}

/// Formats a regular expression.
pub(super) fn regexp(regex: &Regex, directive: &Directive) -> Result<String, FormatError> {
    match directive.letter {
        'p' => ruby_text(&directive.with_letter('s'), &regexps::delimited(regex)),
        's' if directive.alternate => {
            ruby_text(&directive.original, &quote(&regexps::plain(regex)))
        }
        's' => ruby_text(&directive.original, &regexps::plain(regex)),
        letter => Err(FormatError::illegal("Regexp", letter, "sp")),
    }
}

/// Formats a type.
pub(super) fn type_(type_: &Type, directive: &Directive) -> Result<String, FormatError> {
    match directive.letter {
        's' if directive.alternate => {
            ruby_text(&directive.original, &format!("\"{}\"", type_.value_text()))
        }
        's' | 'p' => ruby_text(&directive.with_letter('s'), &type_.value_text()),
        letter => Err(FormatError::illegal("Type", letter, "sp")),
    }
}

/// Formats bytes.
pub(super) fn binary(bytes: &[u8], directive: &Directive) -> Result<String, FormatError> {
    let text = match directive.letter {
        's' => return binary_characters(bytes, directive),
        'p' => {
            let text = ruby_text(&directive.with_letter('s'), &base64::strict_encode(bytes))?;
            return Ok(format!("Binary(\"{text}\")"));
        }
        'b' => base64::encode(bytes),
        'B' => base64::strict_encode(bytes),
        'u' => base64::urlsafe_encode(bytes),
        't' => "Binary".into(),
        'T' => "BINARY".into(),
        letter => return Err(FormatError::illegal("Binary", letter, "bButTsp")),
    };
    ruby_text(&directive.with_letter(if directive.alternate { 'p' } else { 's' }), &text)
}

/// Formats bytes as characters, or as Ruby's `inspect`.
fn binary_characters(bytes: &[u8], directive: &Directive) -> Result<String, FormatError> {
    if directive.alternate {
        return ruby(&directive.with_letter('p'), &Bytes(bytes));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => ruby_text(&directive.original, text),
        Err(_) => Err(FormatError::new(match bytes.iter().find(|byte| !byte.is_ascii()) {
            Some(byte) => format!("\"\\x{byte:02X}\" from ASCII-8BIT to UTF-8"),
            None => String::new(),
        })),
    }
}

/// A Ruby string of bytes.
struct Bytes<'a>(&'a [u8]);

impl Argument for Bytes<'_> {
    fn kind(&self) -> Kind<'_> {
        Kind::Other("String")
    }

    fn to_s(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.0)
    }

    fn inspect(&self) -> std::borrow::Cow<'_, str> {
        inspect::inspect_bytes(self.0).into()
    }
}
