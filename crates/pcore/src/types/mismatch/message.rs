//! The message of a mismatch.

use std::mem::discriminant;

use super::super::access::a_an;
use super::super::{IntegerRange, Type, named};
use super::path::Step;
use super::{Mismatch, MismatchKind};

impl Mismatch {
    /// Formats the whole message, with a space before it.
    pub(super) fn format(&self) -> String {
        let (variant, steps) = match self.path.split_first() {
            Some((first @ Step::Signature(_), rest)) => (format!(" {first}"), rest),
            _ => (String::new(), &self.path[..]),
        };
        let position: String = steps.iter().map(|step| format!(" {step}")).collect();
        let place = format!("{variant}{position}");
        match &self.kind {
            MismatchKind::MissingKey(key) => format!("{place} expects a value for key '{key}'"),
            MismatchKind::MissingParameter(name) => {
                format!("{place} expects a value for parameter '{name}'")
            }
            MismatchKind::ExtraneousKey(key) => format!("{place} unrecognized key '{key}'"),
            MismatchKind::InvalidParameter(name) => {
                format!("{place} has no parameter named '{name}'")
            }
            MismatchKind::UnexpectedBlock => format!("{place} does not expect a block"),
            MismatchKind::MissingBlock => format!("{place} expects a block"),
            MismatchKind::Unresolved(name) => {
                format!("{place} references an unresolved type '{name}'")
            }
            MismatchKind::Type { expected, actual } => {
                format!("{place} {}", of_types(expected, actual))
            }
            MismatchKind::Pattern { expected, actual } => {
                format!("{place} {}", of_patterns(expected, actual))
            }
            MismatchKind::Size { expected, actual } => format!(
                "{place} expects size to be {}, got {}",
                size(*expected, "0"),
                size(*actual, "0")
            ),
            MismatchKind::Count { expected, actual } => {
                let (min, max) = (expected.min.max(0), expected.greatest());
                let one = match min {
                    0 => max == Some(1),
                    1 => max.is_none_or(|max| max == 1),
                    _ => false,
                };
                let plural = if one { "" } else { "s" };
                format!(
                    "{place} expects {} argument{plural}, got {}",
                    size(*expected, "no"),
                    size(*actual, "none")
                )
            }
        }
    }
}

/// Formats a range in words.
fn size(range: IntegerRange, zero: &str) -> String {
    match (range.min.max(0), range.greatest()) {
        (0, Some(0)) => zero.to_owned(),
        (min, Some(max)) if min == max => min.to_string(),
        (0, None) => "unlimited".to_owned(),
        (0, Some(max)) => format!("at most {max}"),
        (min, None) => format!("at least {min}"),
        (min, Some(max)) => format!("between {min} and {max}"),
    }
}

fn of_patterns(expected: &Type, actual: &Type) -> String {
    let (prefix, expected) = match expected {
        Type::Optional(Some(inner)) => ("an undef value or ", &**inner),
        expected => ("", expected),
    };
    let actual = match actual {
        Type::StringValue(text) => format!("'{text}'"),
        actual => short_name(actual),
    };
    format!("expects {prefix}a match for {}, got {actual}", expected.expanded())
}

fn of_types(expected: &Type, actual: &Type) -> String {
    let (is_optional, expected) = match expected {
        Type::Optional(Some(inner)) => (true, &**inner),
        expected => (false, expected),
    };
    let alternatives = match expected {
        Type::Variant(types) => &types[..],
        expected => std::slice::from_ref(expected),
    };
    let (mut names, actual) = names(alternatives, actual);
    if is_optional {
        names.insert(0, "Undef".to_owned());
    }
    match &names[..] {
        [only] => format!("expects {} value, got {actual}", a_an(only)),
        [first, second] => format!("expects a value of type {first} or {second}, got {actual}"),
        [others @ .., last] => {
            format!("expects a value of type {}, or {last}, got {actual}", others.join(", "))
        }
        [] => format!("expects a value of type , or , got {actual}"),
    }
}

/// Returns the names of the expected and the actual types; short ones if these differ.
fn names(expected: &[Type], actual: &Type) -> (Vec<String>, String) {
    if is_detailed(expected, actual) {
        let actual = detailed(expected, actual);
        return (expected.iter().map(Type::expanded).collect(), actual);
    }
    let mut names: Vec<String> = Vec::new();
    for name in expected.iter().map(short_name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (names, short_name(actual))
}

/// Returns the name of a type, with that of the type in it if that is informative.
fn short_name(type_: &Type) -> String {
    match type_ {
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Iterable(Some(inner))
        | Type::Iterator(Some(inner))
        | Type::Type(Some(inner))
        | Type::Sensitive(Some(inner))
            if **inner != Type::Any =>
        {
            format!("{}[{}]", type_.name(), given_name(inner))
        }
        Type::Init(Some(init)) if init.type_ != Type::Any => {
            format!("Init[{}]", given_name(&init.type_))
        }
        type_ => type_.name(),
    }
}

/// Returns the name of a type; empty for an Object type without a name.
fn given_name(type_: &Type) -> String {
    match type_ {
        Type::Object(object) => object.name.as_deref().unwrap_or_default().to_owned(),
        type_ => type_.name(),
    }
}

fn is_detailed(expected: &[Type], actual: &Type) -> bool {
    expected.iter().any(|expected| is_same_sort(expected, actual))
        || expected.iter().any(|expected| {
            let resolved = match expected {
                Type::Alias(alias) => alias.resolved().unwrap_or(expected),
                expected => expected,
            };
            default_of(resolved).is_assignable(actual)
        })
}

/// Returns true if two types differ only in details.
fn is_same_sort(expected: &Type, actual: &Type) -> bool {
    discriminant(expected) == discriminant(actual)
        || matches!(
            (expected, actual),
            (Type::Alias(_), _)
                | (_, Type::Alias(_))
                | (Type::Struct(_), Type::Hash(_))
                | (Type::Tuple(_), Type::Array(_))
                | (Type::String(_), Type::StringValue(_))
                | (Type::StringValue(_), Type::String(_))
        )
}

/// Returns the type without parameters.
fn default_of(type_: &Type) -> Type {
    match type_ {
        Type::Object(_) => named::any_object(),
        Type::ObjectExtension(_) => Type::Any,
        Type::Unit => Type::Unit,
        type_ => named::named(type_.simple_name()).unwrap_or(Type::Any),
    }
}

fn detailed(expected: &[Type], actual: &Type) -> String {
    let resolved: Vec<&Type> = expected.iter().map(resolved).collect();
    if resolved.iter().any(|expected| is_same_sort(expected, actual)) {
        return actual.expanded();
    }
    let general = actual.generalize();
    match resolved.iter().any(|expected| expected.is_assignable(&general)) {
        true => actual.expanded(),
        false => actual.simple_name().to_owned(),
    }
}

fn resolved(type_: &Type) -> &Type {
    let mut type_ = type_;
    while let Type::Alias(alias) = type_ {
        match alias.resolved() {
            Some(resolved) => type_ = resolved,
            None => break,
        }
    }
    type_
}
