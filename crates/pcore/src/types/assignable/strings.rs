//! Strings and scalars.

use super::super::make::length;
use super::super::{EnumType, IntegerRange, Type};
use crate::regex::Regex;

/// Returns true for a kind of `Scalar`.
pub(super) const fn is_scalar(type_: &Type) -> bool {
    is_scalar_data(type_)
        || matches!(
            type_,
            Type::Scalar
                | Type::Regexp(_)
                | Type::SemVer(_)
                | Type::SemVerRange
                | Type::Timestamp(_)
                | Type::Timespan(_)
        )
}

/// Returns true for a kind of `ScalarData`.
pub(super) const fn is_scalar_data(type_: &Type) -> bool {
    matches!(
        type_,
        Type::ScalarData
            | Type::Numeric
            | Type::Integer(_)
            | Type::Float(_)
            | Type::String(_)
            | Type::StringValue(_)
            | Type::Enum(_)
            | Type::Pattern(_)
            | Type::Boolean(_)
    )
}

/// Decides for `String[size]` on the left.
pub(super) fn string_takes(size: Option<IntegerRange>, that: &Type) -> bool {
    let Some(size) = size else {
        return matches!(
            that,
            Type::String(_) | Type::StringValue(_) | Type::Enum(_) | Type::Pattern(_)
        );
    };
    match that {
        Type::String(Some(other)) => size.covers(*other),
        Type::StringValue(text) => size.contains(length(text)),
        Type::Enum(enumeration) if !enumeration.values.is_empty() => {
            enumeration.values.iter().all(|value| size.contains(length(value)))
        }
        // Their length is unknown.
        Type::String(None) | Type::Enum(_) | Type::Pattern(_) => size.covers(IntegerRange::SIZES),
        _ => false,
    }
}

/// Decides for one string on the left.
pub(super) fn string_value_takes(text: &str, that: &Type) -> bool {
    match that {
        Type::StringValue(other) => text == other,
        // Puppet does not check the value.
        Type::Enum(enumeration) => enumeration.values.len() == 1 && !enumeration.case_insensitive,
        _ => false,
    }
}

/// Decides for `Enum[…]` on the left.
pub(super) fn enum_takes(this: &EnumType, that: &Type) -> bool {
    let all = this.values.is_empty();
    match that {
        Type::String(_) | Type::Pattern(_) => all,
        Type::StringValue(text) => all || this.has(text),
        Type::Enum(that) => {
            all || this == &**that
                || (!that.values.is_empty()
                    && (this.case_insensitive || !that.case_insensitive)
                    && that.values.iter().all(|value| this.has(value)))
        }
        _ => false,
    }
}

impl EnumType {
    /// Returns true if a string is one of its values.
    pub fn has(&self, text: &str) -> bool {
        if self.case_insensitive {
            return self.values.iter().any(|value| value.eq_ignore_ascii_case(text));
        }
        self.values.iter().any(|value| value == text)
    }
}

/// Decides for `Pattern[…]` on the left.
pub(super) fn pattern_takes(this: &[Regex], that: &Type) -> bool {
    match that {
        Type::String(_) => this.is_empty(),
        Type::StringValue(text) => matches_any(this, text),
        Type::Enum(that) if !that.values.is_empty() => {
            that.values.iter().all(|value| matches_any(this, value))
        }
        Type::Enum(_) => this.is_empty(),
        Type::Pattern(that) => this.is_empty() || same_patterns(this, that),
        _ => false,
    }
}

/// Returns true if any pattern matches; without patterns too.
pub(in crate::types) fn matches_any(patterns: &[Regex], text: &str) -> bool {
    // An abandoned match counts as none.
    let takes = |pattern: &Regex| pattern.is_match(text).unwrap_or(false);
    patterns.is_empty() || patterns.iter().any(takes)
}

fn same_patterns(this: &[Regex], that: &[Regex]) -> bool {
    this.len() == that.len() && this.iter().all(|pattern| that.contains(pattern))
}
