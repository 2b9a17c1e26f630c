//! String literals of Puppet code.

use std::fmt::{self, Write};

/// Quotes a string: in single quotes, or double ones if there are control characters.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a string can't fail.
    let _ = write_quoted(&mut out, text);
    out
}

/// Quotes a string in double quotes.
pub fn double_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    let _ = write_double_quoted(&mut out, text);
    out
}

/// Writes a string in quotes.
pub fn write_quoted(out: &mut dyn Write, text: &str) -> fmt::Result {
    if text.chars().any(|char| char < ' ') {
        return write_double_quoted(out, text);
    }
    out.write_char('\'')?;
    // A backslash takes the next character with it, as in Puppet: `\'` stays unchanged.
    let mut escaped = false;
    for char in text.chars() {
        match char {
            '\\' if !escaped => escaped = true,
            char => {
                if escaped || char == '\'' {
                    out.write_char('\\')?;
                }
                out.write_char(char)?;
                escaped = false;
            }
        }
    }
    if escaped {
        out.write_char('\\')?;
    }
    out.write_char('\'')
}

fn write_double_quoted(out: &mut dyn Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for char in text.chars() {
        match char {
            '\t' => out.write_str("\\t")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '"' | '$' | '\\' => write!(out, "\\{char}")?,
            char if char < ' ' => write!(out, "\\u{{{:X}}}", u32::from(char))?,
            char => out.write_char(char)?,
        }
    }
    out.write_char('"')
}
