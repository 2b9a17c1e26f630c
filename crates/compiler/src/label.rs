//! What Puppet calls a value in messages.

use kukla_pcore::{Type, Value};
use kukla_syntax::label::starts_with_vowel;

/// The name of a value's kind without an article: `Integer`, `Hash`, `Integer-Type`.
pub(crate) fn label(value: &Value) -> String {
    let label = match value {
        Value::Undef => "Undef Value",
        Value::Default => "Object",
        Value::Boolean(_) => "Boolean",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Regexp(_) => "Regexp",
        Value::Type(type_) => return type_label(type_),
        Value::Sensitive(_) => "Sensitive",
        Value::Binary(_) => "Binary",
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::Rare(_) => "Object",
    };
    label.to_owned()
}

fn type_label(type_: &Type) -> String {
    match type_ {
        Type::Resource(resource) if resource.title.is_some() => {
            format!("{type_} Resource-Reference")
        }
        _ => format!("{type_}-Type"),
    }
}

/// The name with `a` or `an`.
pub(crate) fn a_an(value: &Value) -> String {
    with_article(&label(value), "a", "an")
}

/// The name with `A` or `An`.
pub(crate) fn a_an_uc(value: &Value) -> String {
    with_article(&label(value), "A", "An")
}

fn with_article(label: &str, before_consonant: &str, before_vowel: &str) -> String {
    let article = if starts_with_vowel(label) { before_vowel } else { before_consonant };
    format!("{article} {label}")
}
