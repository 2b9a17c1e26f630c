//! Operands that an operator can't take: times, durations, collections, bytes and URIs.

use kukla_pcore::Value;

use super::{Code, Issue};
use crate::interpreter::label;

fn illegal_operand(message: impl Into<String>) -> Issue {
    Issue::new(Code::ILLEGAL_OPERAND, message)
}

/// Returns the name that messages of times have for a value.
fn a_an(value: &Value) -> String {
    match value {
        Value::Rare(_) => "a Version".to_owned(),
        other => label::a_an(other),
    }
}

fn a_an_uc(value: &Value) -> String {
    match value {
        Value::Rare(_) => "A Version".to_owned(),
        other => label::a_an_uc(other),
    }
}

/// `1 + SemVer('1.0.0')`, in Ruby's words.
pub(crate) fn version_is_no_number() -> Issue {
    illegal_operand("can't convert SemanticPuppet::Version into Float")
}

/// `-Timestamp()`, in Ruby's words: numbers are subtracted from what they coerce with.
pub(crate) fn not_negatable() -> Issue {
    illegal_operand("can't be coerced into Integer")
}

/// A time that Ruby's integers have and ours have not.
pub(crate) fn time_too_far() -> Issue {
    illegal_operand("the time is too long to be counted in nanoseconds")
}

/// A float that has no integer, in Ruby's words.
pub(crate) fn not_finite(shown: String) -> Issue {
    illegal_operand(shown)
}

/// `Timespan(1) + SemVer('1.0.0')`
pub(crate) fn version_added_to_timespan() -> Issue {
    illegal_operand("A Version cannot be added to a Timespan")
}

/// `Timespan(1) - Timestamp()`
pub(crate) fn not_subtractable_from_timespan(other: &Value) -> Issue {
    illegal_operand(format!("{} cannot be subtracted from a Timespan", a_an_uc(other)))
}

/// `Timespan(1) * Timespan(1)`
pub(crate) fn timespan_not_multipliable(other: &Value) -> Issue {
    illegal_operand(format!("A Timestamp cannot be multiplied by {}", a_an(other)))
}

/// `Timespan(1) / Timestamp()`
pub(crate) fn timespan_not_divisible(other: &Value) -> Issue {
    illegal_operand(format!("A Timespan cannot be divided by {}", a_an(other)))
}

/// `Timespan(1) % Timespan(1)`
pub(crate) fn timespan_without_modulus(other: &Value) -> Issue {
    illegal_operand(format!("Can not do modulus on a Timespan using a {}", a_an(other)))
}

/// `Timestamp() + Timestamp()`
pub(crate) fn not_addable_to_timestamp(other: &Value) -> Issue {
    illegal_operand(format!("{} cannot be added to a Timestamp", a_an_uc(other)))
}

/// `Timestamp() - SemVer('1.0.0')`
pub(crate) fn not_subtractable_from_timestamp(other: &Value) -> Issue {
    illegal_operand(format!("{} cannot be subtracted from a Timestamp", a_an_uc(other)))
}

/// `Binary('YQ==') + 'a'`
pub(crate) fn only_binary_appendable() -> Issue {
    illegal_operand("Can only append Binary to a Binary")
}

/// `{} + 1`
pub(crate) fn not_appendable_to_hash() -> Issue {
    illegal_operand("Can only append Array or Hash to a Hash")
}

/// `{} + [1]`, in Ruby's words.
pub(crate) fn odd_number_for_hash() -> Issue {
    illegal_operand("odd number of arguments for Hash")
}

/// `{} + [[1], 2]`, in Ruby's words.
pub(crate) fn wrong_element_type() -> Issue {
    illegal_operand("wrong element type")
}

/// `{} + [[1, 2, 3]]`, in Ruby's words.
pub(crate) fn wrong_pair(n: usize) -> Issue {
    illegal_operand(format!("invalid number of elements ({n} for 1..2)"))
}

/// `1 - [1]`
pub(crate) fn not_deletable_from() -> Issue {
    illegal_operand("Can only delete from an Array or Hash.")
}

/// `URI('http://a') + 1`
pub(crate) fn only_uri_mergeable() -> Issue {
    illegal_operand("An URI can only be merged with an URI or String")
}

/// `URI('http://a') + ':'`
pub(crate) fn illegal_uri(error: &dyn std::error::Error) -> Issue {
    illegal_operand(error.to_string())
}
