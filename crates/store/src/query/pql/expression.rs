//! Conditions.

use serde_json::{Value, json};

use super::clauses::{entity, fields, from, where_clause};
use super::cursor::{Cursor, DEPTH};
use super::value::{bracketed, field, literal, number, string};

/// Takes an expression: `or` binds least, then `and`, then `!`.
pub(super) fn expression(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.nested(|cursor| joined(cursor, "or", |cursor| joined(cursor, "and", negation)))
}

fn joined<'a>(
    cursor: &mut Cursor<'a>,
    word: &'static str,
    mut part: impl FnMut(&mut Cursor<'a>) -> Option<Value>,
) -> Option<Value> {
    let mut parts = vec![part(cursor)?];
    while let Some(next) = cursor.attempt(|cursor| {
        cursor.some_blanks()?;
        cursor.word(word)?;
        cursor.some_blanks()?;
        part(cursor)
    }) {
        parts.push(next);
    }
    if parts.len() == 1 {
        return parts.pop();
    }
    parts.insert(0, Value::from(word));
    Some(Value::from(parts))
}

fn negation(cursor: &mut Cursor<'_>) -> Option<Value> {
    let mut n_marks = 0;
    while cursor.word("!").is_some() {
        cursor.blanks();
        n_marks += 1;
        if n_marks > DEPTH {
            cursor.fail(format!("the query has more than {DEPTH} `!` in a row"));
            return None;
        }
    }
    let inner = operand(cursor)?;
    Some((0..n_marks).fold(inner, |inner, _| json!(["not", inner])))
}

fn operand(cursor: &mut Cursor<'_>) -> Option<Value> {
    let grouped = cursor.attempt(|cursor| {
        cursor.word("(")?;
        cursor.blanks();
        let inner = expression(cursor)?;
        cursor.blanks();
        cursor.word(")")?;
        Some(inner)
    });
    grouped
        .or_else(|| cursor.attempt(grouped_in))
        .or_else(|| cursor.attempt(comparison))
        .or_else(|| cursor.attempt(subquery))
}

/// Takes `[a, b] in …`.
fn grouped_in(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.word("[")?;
    cursor.blanks();
    let names = fields(cursor)?;
    cursor.blanks();
    cursor.word("]")?;
    cursor.blanks();
    cursor.word("in")?;
    Some(json!(["in", names, source(cursor)?]))
}

/// Takes what follows a field.
fn comparison(cursor: &mut Cursor<'_>) -> Option<Value> {
    let name = field(cursor)?;
    cursor.blanks();
    let operator = cursor.one_of(&[
        "is not null",
        "is null",
        "in",
        "!~",
        "!=",
        "=",
        ">=",
        "<=",
        ">",
        "<",
        "~>",
        "~",
    ])?;
    match operator {
        "is null" => return Some(json!(["null?", name, true])),
        "is not null" => return Some(json!(["null?", name, false])),
        "in" => return Some(json!(["in", name, source(cursor)?])),
        _ => cursor.blanks(),
    };
    Some(match operator {
        "!=" => json!(["not", ["=", name, literal(cursor)?]]),
        "!~" => json!(["not", ["~", name, literal(cursor)?]]),
        "=" => json!(["=", name, literal(cursor)?]),
        "~" => json!(["~", name, string(cursor)?]),
        "~>" => json!(["~>", name, bracketed(cursor, string)?]),
        ordered => json!([ordered, name, number(cursor).or_else(|| string(cursor))?]),
    })
}

/// Takes what follows `in`: a list or a query.
fn source(cursor: &mut Cursor<'_>) -> Option<Value> {
    cursor.blanks();
    if let Some(values) = bracketed(cursor, literal) {
        return Some(json!(["array", values]));
    }
    cursor.nested(from)
}

/// Takes a condition on a related entity.
fn subquery(cursor: &mut Cursor<'_>) -> Option<Value> {
    let name = entity(cursor)?;
    cursor.blanks();
    let mut parts = vec![Value::from("subquery"), Value::from(name)];
    parts.extend(cursor.nested(where_clause)?);
    Some(Value::from(parts))
}
