//! Cells as PostgreSQL has them on the wire.

use std::borrow::Cow;
use std::error::Error;

use bytes::{BufMut as _, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::sql::Cell;

/// Any error.
type Failure = Box<dyn Error + Sync + Send>;

/// The version of the wire format of `jsonb`, which comes before the text.
const JSONB: u8 = 1;

impl ToSql for Cell<'_> {
    fn to_sql(&self, type_: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match (*self, type_) {
            (Cell::Null, _) => return Ok(IsNull::Yes),
            (Cell::Bool(flag), &Type::BOOL) => out.put_u8(u8::from(flag)),
            (Cell::Int(number), &Type::INT8) => out.put_i64(number),
            (Cell::Int(number), &Type::INT4) => out.put_i32(number.try_into()?),
            #[expect(clippy::cast_precision_loss, reason = "the column has such numbers")]
            (Cell::Int(number), &Type::FLOAT8) => out.put_f64(number as f64),
            (Cell::Real(number), &Type::FLOAT8) => out.put_f64(number),
            (Cell::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME) => {
                out.put_slice(without_null(text).as_bytes());
            }
            (Cell::Json(text) | Cell::Text(text), &Type::JSONB) => {
                out.put_u8(JSONB);
                out.put_slice(json_without_null(text).as_bytes());
            }
            (Cell::Json(text), &Type::TEXT) => out.put_slice(without_null(text).as_bytes()),
            (Cell::Bytes(bytes), &Type::BYTEA) => out.put_slice(bytes),
            (cell, type_) => return Err(format!("{cell:?} is bound as `{type_}`").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Puts U+FFFD in place of U+0000, which texts of PostgreSQL can't have.
fn without_null(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}

/// Like [`without_null`], for JSON, which has U+0000 as an escape.
fn json_without_null(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u0000") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        // A backslash has a character of ASCII behind it.
        let length = if escape.starts_with("\\u") { 6 } else { 2 };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(if escape == "\\u0000" { "\u{fffd}" } else { escape });
        rest = after;
    }
    out.push_str(rest);
    out.into()
}

impl<'a> FromSql<'a> for Cell<'a> {
    fn from_sql(type_: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        Ok(match *type_ {
            Type::INT8 | Type::INT4 | Type::INT2 => Cell::Int(match *raw {
                [a, b] => i64::from(i16::from_be_bytes([a, b])),
                [a, b, c, d] => i64::from(i32::from_be_bytes([a, b, c, d])),
                _ => i64::from_be_bytes(raw.try_into()?),
            }),
            Type::BOOL => Cell::Bool(raw != [0]),
            Type::FLOAT8 => Cell::Real(f64::from_be_bytes(raw.try_into()?)),
            Type::FLOAT4 => Cell::Real(f32::from_be_bytes(raw.try_into()?).into()),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::UNKNOWN => {
                Cell::Text(std::str::from_utf8(raw)?)
            }
            Type::JSON => Cell::Json(std::str::from_utf8(raw)?),
            Type::JSONB => match raw.split_first() {
                Some((&JSONB, text)) => Cell::Json(std::str::from_utf8(text)?),
                _ => return Err("a format of `jsonb` that is not known".into()),
            },
            Type::BYTEA => Cell::Bytes(raw),
            _ => return Err(format!("a column of type `{type_}`").into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Failure> {
        Ok(Cell::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u_0000_becomes_a_character_that_can_be_stored() {
        assert_eq!(without_null("a\0b"), "a\u{fffd}b");
        assert_eq!(
            json_without_null(r#"["a\u0000","\\u0000","\\\u0000","\n"]"#),
            "[\"a\u{fffd}\",\"\\\\u0000\",\"\\\\\u{fffd}\",\"\\n\"]"
        );
    }
}
