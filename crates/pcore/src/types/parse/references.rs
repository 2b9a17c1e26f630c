//! Resources and classes.

use ecow::EcoString;

use super::super::{Type, factory};
use super::access::TextAccess;
use super::{ParseError, Parsed};
use crate::Value;

impl TextAccess<'_> {
    pub(super) fn class(&self) -> Parsed<Type> {
        match &self.keys[..] {
            [Value::String(name)] => {
                Ok(Type::Class(Some(name.strip_prefix("::").unwrap_or(name).into())))
            }
            [_] => Err(self.interpreter.invalid(Some(self.expr))),
            _ => self.wrong_number("Class", "1"),
        }
    }

    pub(super) fn resource(&self) -> Parsed<Type> {
        let Some(first) = self.keys.first() else {
            return self.wrong_number("Resource", "1 or 2");
        };
        let (name, titles) = match self.resource_name(first)? {
            (name, Some(title)) => (name, vec![title]),
            (name, None) => (name, self.keys[1..].to_vec()),
        };
        if !factory::is_type_name(&name) {
            return Err(ParseError(format!("Illegal type name '{name}'")));
        }
        match &titles[..] {
            [] => Ok(Type::resource(Some(name), None)),
            [Value::String(title)] => Ok(Type::resource(Some(name), Some(title.clone()))),
            [_] => Err(self.interpreter.invalid(Some(self.expr))),
            _ => self.wrong_number("Resource", "1 or 2"),
        }
    }

    /// Returns the name of a resource type, and the title if it is written as `Name[title]`.
    fn resource_name(&self, value: &Value) -> Parsed<(EcoString, Option<Value>)> {
        let cannot = |class: &str| Err(ParseError(format!("The type name cannot be a {class}")));
        match value {
            Value::String(name) => Ok((super::super::capitalize_segments(name).into(), None)),
            Value::Type(type_) => match &**type_ {
                Type::Reference(text) => match text.split_once('[') {
                    None => Ok((text.clone(), None)),
                    Some((name, _)) => {
                        let titles = &text[name.len()..];
                        match super::parse_literal(titles, self.interpreter.names)? {
                            Value::Array(titles) if titles.len() == 1 => {
                                Ok((name.into(), titles.first().cloned()))
                            }
                            _ => self.wrong_number(text, "1"),
                        }
                    }
                },
                Type::Resource(resource) => Ok((resource.name.clone().unwrap_or_default(), None)),
                type_ => cannot(&super::super::access::ruby_class_of_type(type_)),
            },
            value => cannot(&super::super::access::ruby_class(value)),
        }
    }
}
