//! Values inside of types.

use std::fmt;

use super::Printer;
use crate::quote::write_quoted;
use crate::regexps;
use crate::value::{Object, Rare};
use crate::{Hash, Value};
use kukla_rubytext::{self, float};

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
            Value::Float(value) => self.out.write_str(&float::to_s(*value)),
            Value::String(text) => write_quoted(self.out, text),
            Value::Array(values) => {
                self.out.write_char('[')?;
                self.values(values)?;
                self.out.write_char(']')
            }
            Value::Hash(hash) => self.hash(hash),
            Value::Regexp(regexp) => self.out.write_str(&regexps::delimited(regexp)),
            Value::Type(type_) => self.type_(type_),
            Value::Timestamp(time) => write!(self.out, "'{}'", timestamp(time.0)),
            Value::Timespan(span) => write!(self.out, "'{}'", timespan(span.0)),
            Value::Sensitive(_) | Value::Binary(_) => self.instance_of(value),
            Value::Rare(rare) => match &**rare {
                Rare::Object(object) => self.instance(object),
                Rare::Iterator(_) => self.instance_of(value),
                Rare::SemVer(version) => write!(self.out, "'{version}'"),
                Rare::SemVerRange(range) => write!(self.out, "'{range}'"),
                Rare::Uri(uri) => {
                    self.out.write_str("URI(")?;
                    write_quoted(self.out, &uri.to_string())?;
                    self.out.write_char(')')
                }
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

    /// Writes `Name({'attribute' => value})`, without defaults.
    fn instance(&mut self, object: &Object) -> fmt::Result {
        write!(self.out, "{}({{", object.type_.label())?;
        let attributes = object.type_.attributes();
        let shown = attributes.iter().zip(&object.values).filter(|(member, value)| {
            member.kind.is_new_argument() && member.value.as_ref() != Some(value)
        });
        for (index, (member, value)) in shown.enumerate() {
            self.comma(index)?;
            write_quoted(self.out, &member.name)?;
            self.out.write_str(" => ")?;
            self.value(value)?;
        }
        self.out.write_str("})")
    }
}

/// Formats a point in time as in types.
pub(in crate::types) fn timestamp(time: i128) -> String {
    kukla_rubytext::time::timestamp::to_s(time).unwrap_or_else(|error| error.message)
}

/// Formats a duration as in types.
pub(in crate::types) fn timespan(span: i128) -> String {
    kukla_rubytext::time::timespan::to_s(span).unwrap_or_else(|error| error.message)
}
