//! Literals and names of fields.

use serde_json::Value;

use super::cursor::Cursor;

/// Fields that have paths.
const DOTTED: [&str; 3] = ["facts", "trusted", "parameters"];

/// Takes a list of parts with commas between them.
pub(super) fn list<'a, T>(
    cursor: &mut Cursor<'a>,
    mut part: impl FnMut(&mut Cursor<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut parts = vec![part(cursor)?];
    while let Some(next) = cursor.attempt(|cursor| {
        cursor.blanks();
        cursor.word(",")?;
        cursor.blanks();
        part(cursor)
    }) {
        parts.push(next);
    }
    Some(parts)
}

/// Takes a list in brackets.
pub(super) fn bracketed<'a, T>(
    cursor: &mut Cursor<'a>,
    part: impl FnMut(&mut Cursor<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    cursor.attempt(|cursor| {
        cursor.word("[")?;
        cursor.blanks();
        let parts = list(cursor, part)?;
        cursor.blanks();
        cursor.word("]")?;
        Some(parts)
    })
}

/// Takes a text, a number, a truth value or an array of them.
pub(super) fn literal(cursor: &mut Cursor<'_>) -> Option<Value> {
    if let Some(found) = string(cursor).or_else(|| number(cursor)) {
        return Some(found);
    }
    match cursor.one_of(&["true", "false"]) {
        Some(word) => Some(Value::from(word == "true")),
        None => cursor.nested(|cursor| bracketed(cursor, literal)).map(Value::from),
    }
}

/// Takes a text.
pub(super) fn string(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.attempt(|cursor| {
        let quote = cursor.one_of(&["\"", "'"])?;
        let rest = cursor.rest();
        let mut end = None;
        let mut is_escaped = false;
        for (at, c) in rest.char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                c if quote.starts_with(c) => {
                    end = Some(at);
                    break;
                }
                _ => (),
            }
        }
        let Some(end) = end else {
            cursor.advance(rest.len());
            cursor.expect("a quote");
            return None;
        };
        let inner = cursor.advance(end);
        cursor.advance(1);
        if quote == "'" {
            return Some(Value::from(inner.replace("\\'", "'")));
        }
        match serde_json::from_str(&format!("\"{inner}\"")) {
            Ok(text) => Some(text),
            Err(_) => {
                cursor.fail(format!(
                    "\"{inner}\" has an escape or a character that JSON does not have"
                ));
                None
            }
        }
    })
}

fn digits<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let length = cursor.rest().bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        cursor.expect("[0-9]+");
        return None;
    }
    Some(cursor.advance(length))
}

/// Takes a number.
pub(super) fn number(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.attempt(real).or_else(|| integer(cursor))
}

fn real(cursor: &mut Cursor<'_>) -> Option<Value> {
    let start = cursor.rest();
    let _ = cursor.word("-");
    digits(cursor)?;
    cursor.word(".")?;
    digits(cursor)?;
    let _ = cursor.attempt(|cursor| {
        cursor.one_of(&["E", "e"])?;
        let _ = cursor.one_of(&["-", "+"]);
        digits(cursor)
    });
    let text = &start[..start.len() - cursor.rest().len()];
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from)
}

/// Takes a number without a fraction.
pub(super) fn integer(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.attempt(|cursor| {
        let sign = cursor.word("-").unwrap_or_default();
        let digits = digits(cursor)?;
        let text = format!("{sign}{digits}");
        match text.parse::<i64>() {
            Ok(number) => Some(Value::from(number)),
            Err(_) => {
                cursor.fail(format!("For input string: \"{text}\""));
                None
            }
        }
    })
}

/// Takes the name of a field.
pub(super) fn field(cursor: &mut Cursor<'_>) -> Option<String> {
    cursor.attempt(dotted).or_else(|| {
        let rest = cursor.rest();
        let is_part = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let length = rest.chars().take_while(is_part).count();
        if length == 0 {
            cursor.expect("a field");
            return None;
        }
        let has_mark = rest[length..].starts_with('?');
        Some(cursor.advance(length + usize::from(has_mark)).to_owned())
    })
}

/// Takes a field with a path.
fn dotted(cursor: &mut Cursor<'_>) -> Option<String> {
    let start = cursor.rest();
    cursor.one_of(&DOTTED)?;
    cursor.word(".")?;
    component(cursor)?;
    while cursor.attempt(|cursor| cursor.word(".").and_then(|_| component(cursor))).is_some() {}
    Some(start[..start.len() - cursor.rest().len()].to_owned())
}

/// Takes `match(…)`, `"…"`, or a name that may end with a position.
fn component(cursor: &mut Cursor<'_>) -> Option<()> {
    let rest = cursor.rest();
    let length = matched(rest).or_else(|| quoted(rest)).or_else(|| plain(rest));
    let Some(length) = length else {
        cursor.expect("a component of a field");
        return None;
    };
    cursor.advance(length);
    Some(())
}

fn matched(rest: &str) -> Option<usize> {
    let end = rest.strip_prefix("match(")?.find(')')?;
    Some("match(".len() + end + 1)
}

fn quoted(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('"')?;
    let ends = inner.match_indices('"').map(|(at, _)| at + 1);
    let mut ends =
        ends.filter(|end| inner[*end..].starts_with(|c: char| c == '.' || c.is_whitespace()));
    ends.next().map(|end| end + 1)
}

fn plain(rest: &str) -> Option<usize> {
    let is_end = |c: char| c.is_whitespace() || ".\",[]!<=>~".contains(c);
    let name = rest.find(is_end).unwrap_or(rest.len());
    if name == 0 {
        return None;
    }
    let index = rest[name..].strip_prefix('[').and_then(|behind| {
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && behind[digits..].starts_with(']')).then_some(digits + 2)
    });
    Some(name + index.unwrap_or(0))
}
