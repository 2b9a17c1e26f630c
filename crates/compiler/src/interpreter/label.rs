//! Puppet's names for values in messages.

use kukla_pcore::Value;
use kukla_pcore::types::access;

/// The name of a value's kind without an article: `Integer`, `Hash`, `Integer-Type`.
pub(crate) fn label(value: &Value) -> String {
    access::label(value)
}

/// The name with `a` or `an`.
pub(crate) fn a_an(value: &Value) -> String {
    access::a_an(&label(value))
}

/// The name with `A` or `An`.
pub(crate) fn a_an_uc(value: &Value) -> String {
    let mut text = a_an(value);
    text.replace_range(..1, "A");
    text
}
