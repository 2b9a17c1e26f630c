//! `Timestamp[from, to]` and `Timespan[from, to]`

use std::sync::Arc;

use super::{TimeRange, Type, display};
use crate::{Hash, Value};
use kukla_rubytext::time::timespan::{self as span, Fields};
use kukla_rubytext::time::timestamp as stamp;
use kukla_rubytext::{RubyError, float};

/// Creates `Timestamp[from, to]`.
pub(super) fn timestamp(parameters: &[Value]) -> Result<Type, String> {
    let read = |value: &Value| match value {
        Value::Timestamp(time) => Ok(Some(time.0)),
        Value::String(text) => read(stamp::parse_default(text, None, 0)),
        Value::Hash(hash) => timestamp_of(hash).map(Some),
        value => seconds("Timestamp", value),
    };
    range(parameters, read, display::timestamp).map(Type::Timestamp)
}

/// Creates `Timespan[from, to]`.
pub(super) fn timespan(parameters: &[Value]) -> Result<Type, String> {
    let read = |value: &Value| match value {
        Value::Timespan(span) => Ok(Some(span.0)),
        Value::String(text) => read(span::parse_any(text, &span::FORMATS)),
        Value::Hash(hash) => timespan_of(hash).map(Some),
        value => seconds("Timespan", value),
    };
    range(parameters, read, display::timespan).map(Type::Timespan)
}

fn read(read: Result<i128, RubyError>) -> Result<Option<i128>, String> {
    read.map(Some).map_err(|error| error.message)
}

/// Creates a range, in which the minimum must not exceed the maximum.
fn range(
    parameters: &[Value],
    read: impl Fn(&Value) -> Result<Option<i128>, String>,
    text: impl Fn(i128) -> String,
) -> Result<Option<Arc<TimeRange>>, String> {
    let limit = |place: usize| parameters.get(place).map_or(Ok(None), &read);
    let (min, max) = (limit(0)?, limit(1)?);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let (min, max) = (text(min), text(max));
        return Err(format!("'from' must be less or equal to 'to'. Got ({min}, {max}"));
    }
    let unlimited = min.is_none() && max.is_none();
    Ok((!unlimited).then(|| Arc::new(TimeRange { min, max })))
}

/// Converts seconds to nanoseconds; `default` is no limit.
fn seconds(class: &str, value: &Value) -> Result<Option<i128>, String> {
    match value {
        Value::Undef | Value::Default => Ok(None),
        Value::Integer(seconds) => Ok(Some(i128::from(*seconds) * 1_000_000_000)),
        Value::Float(seconds) => match span::from_seconds(*seconds) {
            Some(nanoseconds) => Ok(Some(nanoseconds)),
            None => Err(float::to_s(*seconds)),
        },
        value => Err(format!(
            "Unable to create a Puppet::Pops::Time::{class} from a {}",
            super::access::ruby_class(value)
        )),
    }
}

fn text<'a>(hash: &'a Hash, key: &str) -> Option<&'a str> {
    hash.get_str(key).and_then(Value::as_str)
}

/// Parses `{ string => …, format => …, timezone => … }`.
fn timestamp_of(hash: &Hash) -> Result<i128, String> {
    let Some(string) = text(hash, "string") else {
        return Err("no implicit conversion of nil into String".to_owned());
    };
    let timezone = text(hash, "timezone");
    let read = match formats(hash) {
        Some(TimeFormats::One(format)) => stamp::parse(string, format, timezone, 0),
        Some(TimeFormats::Several(formats)) => stamp::parse_any(string, &formats, timezone, 0),
        None => stamp::parse_default(string, timezone, 0),
    };
    read.map_err(|error| error.message)
}

/// Parses `{ string => …, format => … }` or `{ days => …, hours => …, … }`.
fn timespan_of(hash: &Hash) -> Result<i128, String> {
    if let Some(string) = text(hash, "string") {
        let read = match formats(hash) {
            Some(TimeFormats::One(format)) => span::parse(string, format),
            Some(TimeFormats::Several(formats)) => span::parse_any(string, &formats),
            None => span::parse_any(string, &span::FORMATS),
        };
        return read.map_err(|error| error.message);
    }
    let part = |key: &str| match hash.get_str(key) {
        Some(Value::Integer(value)) => i128::from(*value),
        _ => 0,
    };
    let fields = Fields {
        negative: matches!(hash.get_str("negative"), Some(Value::Boolean(true))),
        days: part("days"),
        hours: part("hours"),
        minutes: part("minutes"),
        seconds: part("seconds"),
        milliseconds: part("milliseconds"),
        microseconds: part("microseconds"),
        nanoseconds: part("nanoseconds"),
    };
    fields.nanoseconds().ok_or_else(|| "bignum too big".to_owned())
}

enum TimeFormats<'a> {
    One(&'a str),
    Several(Vec<&'a str>),
}

fn formats(hash: &Hash) -> Option<TimeFormats<'_>> {
    match hash.get_str("format")? {
        Value::String(format) => Some(TimeFormats::One(format)),
        Value::Array(formats) => {
            Some(TimeFormats::Several(formats.iter().filter_map(Value::as_str).collect()))
        }
        _ => None,
    }
}
