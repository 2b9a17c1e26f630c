//! Puppet's notation of strings and regular expressions.

use std::fmt::Write as _;

/// Returns a string in quotes: single ones, unless it has control characters.
pub(super) fn string(text: &str) -> String {
    if text.chars().any(|letter| letter < ' ') {
        return double(text);
    }
    let mut quoted = String::from("'");
    let mut is_escaped = false;
    for letter in text.chars() {
        match letter {
            _ if is_escaped => quoted.extend(['\\', letter]),
            '\'' => quoted.push_str("\\'"),
            '\\' => {}
            _ => quoted.push(letter),
        }
        is_escaped = !is_escaped && letter == '\\';
    }
    if is_escaped {
        quoted.push('\\');
    }
    quoted.push('\'');
    quoted
}

fn double(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '"' => quoted.push_str("\\\""),
            '$' => quoted.push_str("\\$"),
            '\\' => quoted.push_str("\\\\"),
            _ if letter < ' ' => {
                // Writing to a string can't fail.
                let _ = write!(quoted, "\\u{{{:X}}}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns a regular expression between slashes, with those inside escaped.
pub(super) fn regexp(source: &str) -> String {
    let mut quoted = String::from("/");
    let mut is_escaped = false;
    for letter in source.chars() {
        if letter == '/' && !is_escaped {
            quoted.push('\\');
        }
        quoted.push(letter);
        is_escaped = !is_escaped && letter == '\\';
    }
    quoted.push('/');
    quoted
}
