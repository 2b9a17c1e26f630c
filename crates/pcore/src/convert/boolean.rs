//! `Boolean.new`

use std::sync::LazyLock;

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError, numeric};
use crate::Value;

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let from = "Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]]";
    NewFunction::new(
        "new_boolean",
        &[],
        &[
            SignatureRow::Make(&[("from", from)], from_args),
            SignatureRow::Refuse(&[("from", "Any")], refuse),
        ],
    )
});

fn from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    Ok(Value::Boolean(match args.first() {
        Some(Value::Integer(value)) => *value != 0,
        Some(Value::Float(value)) => *value != 0.0,
        Some(Value::String(text)) => {
            !["false", "no", "n"].iter().any(|word| text.eq_ignore_ascii_case(word))
        }
        other => other.is_some_and(Value::is_truthy),
    }))
}

fn refuse(args: &[Value]) -> Result<String, ConvertError> {
    let from = args.first();
    Ok(from.map_or_else(String::new, |from| numeric::cannot_be_converted(from, "Boolean")))
}
