//! Texts of values without letters of their own: Ruby's `format` decides.

use std::borrow::Cow;

use super::directive::Directive;
use super::error::FormatError;
use super::numbers::ruby;
use crate::Value;
use crate::interpolate::text;
use crate::types::access::ruby_class;
use crate::value::Rare;
use kukla_rubytext::sprintf::{Argument, Kind};

/// Formats a value that Ruby's `format` gets unchanged.
pub(super) fn any(value: &Value, directive: &Directive) -> Result<String, FormatError> {
    ruby(&directive.original, &Opaque { value, letter: directive.letter, class: ruby_class(value) })
}

/// A value in Ruby's `format`.
struct Opaque<'a> {
    value: &'a Value,
    letter: char,
    class: Cow<'static, str>,
}

impl Argument for Opaque<'_> {
    fn kind(&self) -> Kind<'_> {
        match self.value {
            Value::Timestamp(time) => self.seconds(time.0),
            Value::Timespan(span) => self.seconds(span.0),
            _ => Kind::Other(&self.class),
        }
    }

    fn to_s(&self) -> Cow<'_, str> {
        text(self.value).into()
    }

    /// Formats as code. Ruby prints the address of a time, which is not reproducible.
    fn inspect(&self) -> Cow<'_, str> {
        match self.value {
            Value::Sensitive(_) => "#<Sensitive [value redacted]>".into(),
            Value::Timestamp(_) => format!("Timestamp('{}')", text(self.value)).into(),
            Value::Timespan(_) => format!("Timespan('{}')", text(self.value)).into(),
            Value::Rare(rare) => match &**rare {
                Rare::SemVerRange(range) => range.inspect().into(),
                _ => text(self.value).into(),
            },
            other => text(other).into(),
        }
    }
}

impl Opaque<'_> {
    /// Converts a time to seconds; the fraction counts only for letters of floats.
    fn seconds(&self, nanoseconds: i128) -> Kind<'static> {
        match self.letter {
            'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => Kind::Float(nanoseconds as f64 / 1e9),
            _ => {
                Kind::Int(i64::try_from(nanoseconds.div_euclid(1_000_000_000)).unwrap_or(i64::MAX))
            }
        }
    }
}
