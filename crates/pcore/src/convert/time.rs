//! `Timestamp.new` and `Timespan.new`

use std::sync::{Arc, LazyLock};

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError};
use crate::time::{Timespan, Timestamp};
use crate::{Hash, Value};
use kukla_rubytext::time::timespan::{self, Fields};
use kukla_rubytext::time::{SECOND, timestamp};

const FORMATS: (&str, &str) = ("Formats", "Variant[String[2],Array[String[2], 1]]");

const NUMBER: &str = "Variant[Integer,Float]";

const TIMESTAMP_HASH: &str =
    "Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}]";

const TIMESPAN_HASH: &str = "Struct[{string => String[1], Optional[format] => Formats}]";

const FIELDS_HASH: &str = "Struct[{
    Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer,
    Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer,
    Optional[microseconds] => Integer, Optional[nanoseconds] => Integer
}]";

pub(super) static TIMESTAMP_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let text = [("string", "String[1]"), ("format?", "Formats"), ("timezone?", "String[1]")];
    NewFunction::new(
        "new_timestamp",
        &[FORMATS],
        &[
            SignatureRow::Make(&[], now),
            SignatureRow::Make(&[("seconds", NUMBER)], timestamp_from_seconds),
            SignatureRow::Make(&text, timestamp_from_string),
            SignatureRow::Make(&[("hash_arg", TIMESTAMP_HASH)], timestamp_from_hash),
        ],
    )
});

pub(super) static TIMESPAN_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let fields = [
        ("days", "Integer"),
        ("hours", "Integer"),
        ("minutes", "Integer"),
        ("seconds", "Integer"),
        ("milliseconds?", "Integer"),
        ("microseconds?", "Integer"),
        ("nanoseconds?", "Integer"),
    ];
    NewFunction::new(
        "new_timespan",
        &[FORMATS],
        &[
            SignatureRow::Make(&[("seconds", NUMBER)], timespan_from_seconds),
            SignatureRow::Make(
                &[("string", "String[1]"), ("format?", "Formats")],
                timespan_from_string,
            ),
            SignatureRow::Make(&fields, timespan_from_fields),
            SignatureRow::Make(&[("hash_arg", TIMESPAN_HASH)], timespan_from_hash),
            SignatureRow::Make(&[("hash_arg", FIELDS_HASH)], timespan_from_fields_hash),
        ],
    )
});

fn now(convert: &Convert<'_>, _: &[Value]) -> Result<Value, ConvertError> {
    Ok(Value::Timestamp(Arc::new((convert.present)().now)))
}

fn timestamp_from_seconds(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    Ok(point(nanoseconds(args.first())?))
}

fn timestamp_from_string(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let text = args.first().and_then(Value::as_str).unwrap_or_default();
    let zone = args.get(2).and_then(Value::as_str);
    let offset = (convert.present)().utc_offset;
    Ok(point(match formats(args.get(1)) {
        Formats::Default if zone.is_some() => {
            timestamp::parse_any(text, &timestamp::FORMATS_WITHOUT_ZONE, zone, offset)?
        }
        Formats::Default => timestamp::parse_any(text, &timestamp::FORMATS, zone, offset)?,
        Formats::One(format) => timestamp::parse(text, format, zone, offset)?,
        Formats::Many(formats) => timestamp::parse_any(text, &formats, zone, offset)?,
    }))
}

fn timestamp_from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Hash(hash)) = args.first() else { return Ok(Value::Undef) };
    timestamp_from_string(convert, &by_name(hash))
}

fn timespan_from_seconds(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    Ok(span(nanoseconds(args.first())?))
}

fn timespan_from_string(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let text = args.first().and_then(Value::as_str).unwrap_or_default();
    Ok(span(match formats(args.get(1)) {
        Formats::Default => timespan::parse_any(text, &timespan::FORMATS)?,
        Formats::One(format) => timespan::parse(text, format)?,
        Formats::Many(formats) => timespan::parse_any(text, &formats)?,
    }))
}

fn timespan_from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Hash(hash)) = args.first() else { return Ok(Value::Undef) };
    let [string, format, _] = by_name(hash);
    timespan_from_string(convert, &[string, format])
}

fn timespan_from_fields(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let field = |index: usize| integer(args.get(index));
    Ok(span(total(false, std::array::from_fn(field))?))
}

fn timespan_from_fields_hash(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Hash(hash)) = args.first() else { return Ok(Value::Undef) };
    let names =
        ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
    let negative = hash.get_str("negative").is_some_and(Value::is_truthy);
    Ok(span(total(negative, names.map(|name| integer(hash.get_str(name))))?))
}

/// Returns the sum of fields, each of which may be of any size.
fn total(negative: bool, fields: [i128; 7]) -> Result<i128, ConvertError> {
    let [days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds] = fields;
    let fields =
        Fields { negative, days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds };
    fields.nanoseconds().ok_or_else(|| ConvertError::new("the duration is too long"))
}

fn integer(value: Option<&Value>) -> i128 {
    match value {
        Some(Value::Integer(value)) => (*value).into(),
        _ => 0,
    }
}

/// Converts seconds to nanoseconds; the rest of a float is truncated.
fn nanoseconds(seconds: Option<&Value>) -> Result<i128, ConvertError> {
    match seconds {
        Some(Value::Integer(seconds)) => Ok(i128::from(*seconds) * SECOND),
        Some(Value::Float(seconds)) if seconds.is_nan() => Err(ConvertError::new("NaN")),
        Some(Value::Float(seconds)) if seconds.is_infinite() => {
            Err(ConvertError::new(if *seconds > 0.0 { "Infinity" } else { "-Infinity" }))
        }
        // A float that is too large saturates.
        Some(Value::Float(seconds)) => Ok((seconds * SECOND as f64) as i128),
        _ => Ok(0),
    }
}

/// The formats of a text.
enum Formats<'a> {
    Default,
    One(&'a str),
    Many(Vec<&'a str>),
}

fn formats(value: Option<&Value>) -> Formats<'_> {
    match value {
        Some(Value::String(format)) => Formats::One(format),
        Some(Value::Array(formats)) => {
            Formats::Many(formats.iter().filter_map(Value::as_str).collect())
        }
        _ => Formats::Default,
    }
}

fn by_name(hash: &Hash) -> [Value; 3] {
    ["string", "format", "timezone"].map(|key| hash.get_str(key).cloned().unwrap_or_default())
}

fn point(nanoseconds: i128) -> Value {
    Value::Timestamp(Arc::new(Timestamp(nanoseconds)))
}

fn span(nanoseconds: i128) -> Value {
    Value::Timespan(Arc::new(Timespan(nanoseconds)))
}
