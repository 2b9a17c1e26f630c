//! Shell words: Puppet's `shellquote`, and Ruby's `Shellwords`, which stdlib's functions use.

use super::RubyError;
use super::float::is_space;
use super::inspect::inspect;

/// Joins words with spaces, in the quotes they need, as `shellquote` does.
pub fn shellquote<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "@%_+=:,./-".contains(c);
    // These are special inside of double quotes too.
    let is_dangerous = |c: char| "!\"`$\\".contains(c);
    if !word.is_empty() && word.chars().all(is_safe) {
        return word.to_owned();
    }
    if !word.contains(is_dangerous) {
        return format!("\"{word}\"");
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let mut out = String::from("\"");
    for c in word.chars() {
        if is_dangerous(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// Escapes a word by backslashes, as `Shellwords.shellescape` does.
pub fn escape(word: &str) -> String {
    if word.is_empty() {
        return "''".to_owned();
    }
    let mut out = String::with_capacity(word.len() + 8);
    for c in word.chars() {
        match c {
            // A backslash before a line break would remove it.
            '\n' => out.push_str("'\n'"),
            _ if c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c) => out.push(c),
            _ => out.extend(['\\', c]),
        }
    }
    out
}

/// Escapes and joins words, as `Shellwords.shelljoin` does.
pub fn join<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| escape(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Splits a line into words as the Bourne shell does, like `Shellwords.shellsplit`.
pub fn split(line: &str) -> Result<Vec<String>, RubyError> {
    let mut words = Vec::new();
    let mut field = String::new();
    let mut rest = line.trim_start_matches(is_space);
    while !rest.is_empty() {
        let length = piece(rest, &mut field)
            .ok_or_else(|| RubyError::argument(format!("Unmatched quote: {}", inspect(line))))?;
        rest = &rest[length..];
        // A word ends at space or at the end of the line.
        let behind = rest.strip_prefix(is_space);
        if rest.is_empty() || behind.is_some() {
            words.push(std::mem::take(&mut field));
        }
        rest = rest.trim_start_matches(is_space);
    }
    Ok(words)
}

/// Appends a piece of a word, quoted or not, and returns its length in the line.
fn piece(rest: &str, field: &mut String) -> Option<usize> {
    match rest.chars().next()? {
        '\'' => {
            let end = rest[1..].find('\'')? + 1;
            field.push_str(&rest[1..end]);
            Some(end + 1)
        }
        '"' => {
            let end = double_quoted(&rest[1..])? + 1;
            push_unescaped(&rest[1..end], field);
            Some(end + 1)
        }
        '\\' => match rest[1..].chars().next() {
            // The backslash before a line break stays.
            Some('\n') => {
                field.push_str("\\\n");
                Some(2)
            }
            Some(c) => {
                field.push(c);
                Some(1 + c.len_utf8())
            }
            None => {
                field.push('\\');
                Some(1)
            }
        },
        _ => {
            let end = rest.find(|c| is_space(c) || "\\'\"".contains(c)).unwrap_or(rest.len());
            field.push_str(&rest[..end]);
            Some(end)
        }
    }
}

/// Returns the offset of the closing quote.
fn double_quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at),
            _ => (),
        }
    }
    None
}

fn push_unescaped(text: &str, field: &mut String) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next) if c == '\\' && "$`\"\\\n".contains(next) => {
                field.push(next);
                chars.next();
            }
            _ => field.push(c),
        }
    }
}
