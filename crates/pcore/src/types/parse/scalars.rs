//! Parameters that are plain values.

use super::super::{Type, factory};
use super::access::TextAccess;
use super::{ParseError, Parsed};
use crate::Value;

impl TextAccess<'_> {
    pub(super) fn integer(&self) -> Parsed<Type> {
        let range = match &self.keys[..] {
            [from @ (Value::Integer(_) | Value::Default)] => {
                factory::integer_range(from, &Value::Default)
            }
            [_] => return Err(self.interpreter.invalid(Some(self.expr))),
            [from, to] => {
                let fits = |key: &Value| matches!(key, Value::Integer(_) | Value::Default);
                if !fits(from) || !fits(to) {
                    return Err(self.interpreter.invalid(Some(self.expr)));
                }
                factory::integer_range(from, to)
            }
            _ => return self.wrong_number("Integer", "1 or 2"),
        };
        range.map(Type::Integer).map_err(ParseError)
    }

    pub(super) fn float(&self) -> Parsed<Type> {
        let fits =
            |key: &Value| matches!(key, Value::Integer(_) | Value::Float(_) | Value::Default);
        let default = Value::Default;
        let (from, to) = match &self.keys[..] {
            [from] => (from, &default),
            [from, to] => (from, to),
            _ => return self.wrong_number("Float", "1 or 2"),
        };
        if !fits(from) || !fits(to) {
            return Err(self.interpreter.invalid(Some(self.expr)));
        }
        factory::float_range(from, to).map_err(ParseError)
    }

    pub(super) fn boolean(&self) -> Parsed<Type> {
        match &self.keys[..] {
            [Value::Boolean(value)] => Ok(Type::Boolean(Some(*value))),
            [_] => Err(ParseError("Boolean parameter must be true or false".to_owned())),
            _ => self.wrong_number("Boolean", "1"),
        }
    }

    pub(super) fn enumeration(&self) -> Parsed<Type> {
        let (keys, case_insensitive) = match &self.keys[..] {
            [keys @ .., Value::Boolean(value)] => (keys, *value),
            keys => (keys, false),
        };
        if keys.is_empty() {
            return Err(ParseError(
                "Invalid number of type parameters specified: Enum requires 1 or more, 0 provided"
                    .to_owned(),
            ));
        }
        let mut values = Vec::new();
        for key in keys {
            let Value::String(value) = key else {
                let message = "Enum parameters must be identifiers or strings";
                return Err(ParseError(message.to_owned()));
            };
            values.push(value.clone());
        }
        Ok(Type::enumeration(values, case_insensitive))
    }

    pub(super) fn regexp(&self) -> Parsed<Type> {
        match &self.keys[..] {
            [Value::Regexp(regexp)] => Ok(Type::Regexp(Some(regexp.clone()))),
            [Value::String(text)] => {
                factory::regexp(text).map(|regexp| Type::Regexp(Some(regexp))).map_err(ParseError)
            }
            [_] => Err(self.interpreter.invalid(Some(self.expr))),
            _ => self.wrong_number("Regexp", "1"),
        }
    }
}
