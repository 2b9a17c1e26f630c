//! `String#inspect`: a text in double quotes, with escapes for characters that are not printable.

use super::printable::PRINTABLE;
use std::fmt::Write;

/// Formats a text as Ruby's `inspect` does.
pub fn inspect(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push_part(&mut out, text);
    out.push('"');
    out
}

/// Returns the parts of a text that can be formatted one by one, each of about `length` bytes.
///
/// ```
/// # use kukla_rubytext::inspect::{inspect, parts, push_part};
/// let text = "a#{b} ##{c} \"é\" #";
/// let mut shown = String::new();
/// parts(text, 2).for_each(|part| push_part(&mut shown, part));
/// assert_eq!(format!("\"{shown}\""), inspect(text));
/// ```
pub fn parts(text: &str, length: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        // A `#` is read with the character behind it.
        let can_end = |&at: &usize| rest.is_char_boundary(at) && rest.as_bytes()[at - 1] != b'#';
        let end = (length.max(1)..rest.len()).find(can_end).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// Appends a text as `inspect` shows it, without quotes around it.
pub fn push_part(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        // Most of a text is plain ASCII, which is copied in runs.
        let run = rest.bytes().take_while(|&byte| is_plain(byte)).count();
        if run > 0 {
            out.push_str(&rest[..run]);
            rest = &rest[run..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Ruby would otherwise interpolate.
            '#' if rest.starts_with(['{', '$', '@']) => out.push_str("\\#"),
            _ => push_visible(out, c),
        }
    }
}

/// Returns true for a printable ASCII character that is never escaped.
fn is_plain(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e) && !matches!(byte, b'"' | b'\\' | b'#')
}

/// Like [`inspect`], but for a text without encoding, in which only ASCII is printable.
pub fn inspect_bytes(bytes: &[u8]) -> String {
    let ascii: String =
        bytes.iter().map(|&b| if b.is_ascii() { char::from(b) } else { '\u{fffd}' }).collect();
    let inspected = inspect(&ascii);
    let mut high = bytes.iter().filter(|b| !b.is_ascii());
    let mut out = String::with_capacity(inspected.len());
    for c in inspected.chars() {
        match (c, c == '\u{fffd}') {
            (_, true) => {
                let _ = write!(out, "\\x{:02X}", high.next().copied().unwrap_or(0));
            }
            _ => out.push(c),
        }
    }
    out
}

fn push_visible(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0c' => out.push_str("\\f"),
        '\x0b' => out.push_str("\\v"),
        '\x08' => out.push_str("\\b"),
        '\x07' => out.push_str("\\a"),
        '\x1b' => out.push_str("\\e"),
        _ if is_printable(c) => out.push(c),
        _ => push_escape(out, c),
    }
}

/// Appends an escape. Writing to a `String` can't fail.
fn push_escape(out: &mut String, c: char) {
    let code = u32::from(c);
    let _ = match code {
        0..=0xffff => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\u{{{code:X}}}"),
    };
}

/// Returns true if Ruby 3.1 (Unicode 13) prints the character as it is.
pub fn is_printable(c: char) -> bool {
    let code = u32::from(c);
    let after = PRINTABLE.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= PRINTABLE[after - 1].1
}

/// Formats a symbol, in quotes unless it is a plain name.
pub fn inspect_symbol(name: &str) -> String {
    let body = name.strip_suffix(['?', '!', '=']).unwrap_or(name);
    let starts = body.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let plain = starts && body.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain || OPERATORS.contains(&name) {
        format!(":{name}")
    } else {
        format!(":{}", inspect(name))
    }
}

/// Operators, which are method names without quotes.
const OPERATORS: [&str; 28] = [
    "[]", "[]=", "+", "-", "*", "/", "%", "**", "==", "!=", "===", "=~", "!~", "<=>", "<", "<=",
    ">", ">=", "!", "~", "+@", "-@", "<<", ">>", "&", "|", "^", "`",
];
