//! Values inside of types.

use std::fmt;

use super::Printer;
use crate::quote::write_quoted;
use crate::value::{Object, Rare};
use crate::{Hash, Value};

impl Printer<'_> {
    pub(super) fn values(&mut self, values: &[Value]) -> fmt::Result {
        for (index, value) in values.iter().enumerate() {
            self.comma(index)?;
            self.value(value)?;
        }
        Ok(())
    }

    pub(super) fn value(&mut self, value: &Value) -> fmt::Result {
        match value {
            Value::Undef => self.out.write_str("undef"),
            Value::Default => self.out.write_str("default"),
            Value::Boolean(value) => write!(self.out, "{value}"),
            Value::Integer(value) => write!(self.out, "{value}"),
            Value::Float(value) => self.out.write_str(&float(*value)),
            Value::String(text) => write_quoted(self.out, text),
            Value::Array(values) => {
                self.out.write_char('[')?;
                self.values(values)?;
                self.out.write_char(']')
            }
            Value::Hash(hash) => self.hash(hash),
            Value::Regexp(regexp) => self.out.write_str(&regexp.inspect()),
            Value::Type(type_) => self.type_(type_),
            Value::Timestamp(time) => write!(self.out, "'{}'", timestamp(time.0)),
            Value::Timespan(span) => write!(self.out, "'{}'", timespan(span.0)),
            Value::Sensitive(_) | Value::Binary(_) => self.instance_of(value),
            Value::Rare(rare) => match &**rare {
                Rare::Object(object) => self.instance(object),
                Rare::Iterator(_) => self.instance_of(value),
            },
        }
    }

    pub(super) fn hash(&mut self, hash: &Hash) -> fmt::Result {
        self.out.write_char('{')?;
        for (index, (key, value)) in hash.iter().enumerate() {
            self.comma(index)?;
            self.value(key)?;
            self.out.write_str(" => ")?;
            self.value(value)?;
        }
        self.out.write_char('}')
    }

    fn instance_of(&mut self, value: &Value) -> fmt::Result {
        self.out.write_str("Instance of ")?;
        self.type_(&super::super::infer(value))
    }

    /// `Name({'attribute' => value})`, without defaults.
    fn instance(&mut self, object: &Object) -> fmt::Result {
        write!(self.out, "{}({{", object.type_.label())?;
        let attributes = object.type_.attributes();
        let given = attributes.iter().zip(&object.values).filter(|(member, value)| {
            member.kind.is_given() && member.value.as_ref() != Some(value)
        });
        for (index, (member, value)) in given.enumerate() {
            self.comma(index)?;
            write_quoted(self.out, &member.name)?;
            self.out.write_str(" => ")?;
            self.value(value)?;
        }
        self.out.write_str("})")
    }
}

/// A float as Ruby shows it.
pub(in crate::types) fn float(value: f64) -> String {
    if !value.is_finite() {
        return match value.is_nan() {
            true => "NaN".to_owned(),
            false if value > 0.0 => "Infinity".to_owned(),
            false => "-Infinity".to_owned(),
        };
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = if digits.contains('.') { digits.to_owned() } else { format!("{digits}.0") };
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    format!("{value:?}")
}

/// A point in time as types show it.
pub(in crate::types) fn timestamp(time: i128) -> String {
    time.to_string()
}

/// A duration as types show it.
pub(in crate::types) fn timespan(span: i128) -> String {
    span.to_string()
}
