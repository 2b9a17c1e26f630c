//! Text without characters that change a terminal or a log.

use std::borrow::Cow;

/// Returns true for a character that begins a line, controls a terminal or changes the direction of text.
pub fn is_unprintable(character: char) -> bool {
    let is_separator = matches!(character, '\u{2028}' | '\u{2029}');
    // `text` runs backwards after them, so that it looks like another one.
    let is_direction = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || is_separator || is_direction
}

/// Returns a name without unprintable characters: they are escaped as in Rust.
pub fn printable(name: &str) -> Cow<'_, str> {
    escaped(name, |_, character| is_unprintable(character))
}

/// Returns a message, which may have several lines, without other unprintable characters.
///
/// A line that a log of CI would take for a command (`::error::`, `##[error]`) stays part of the line before it.
pub fn printable_message(message: &str) -> Cow<'_, str> {
    escaped(message, |rest, character| match character {
        '\n' => is_command(&rest[1..]),
        '\t' => false,
        other => is_unprintable(other),
    })
}

/// Returns true if a text begins with a command of a CI service.
fn is_command(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("::") || text.starts_with("##")
}

/// Escapes the characters for which a function returns true; it gets the text from the character on.
fn escaped(text: &str, is_escaped: impl Fn(&str, char) -> bool) -> Cow<'_, str> {
    // Most texts have none.
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, character) in text.char_indices() {
        match is_escaped(&text[at..], character) {
            true => out.extend(character.escape_default()),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::{printable, printable_message};

    #[test]
    fn names_have_no_lines_and_no_escape_sequences() {
        assert_eq!(printable("web1.example.com"), "web1.example.com");
        assert_eq!(printable("a\u{1b}[31m\nb\u{9b}c"), "a\\u{1b}[31m\\nb\\u{9b}c");
        assert_eq!(printable("a\u{202e}b\u{2028}c"), "a\\u{202e}b\\u{2028}c");
    }

    #[test]
    fn messages_have_lines_but_no_commands() {
        assert_eq!(printable_message("a\n\tb\u{1b}[m"), "a\n\tb\\u{1b}[m");
        assert_eq!(printable_message("a\n ::error::x\n##[y]"), "a\\n ::error::x\\n##[y]");
    }
}
