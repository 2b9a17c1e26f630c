//! `Array.new` and `Tuple.new`

use std::sync::LazyLock;

use super::elements::elements;
use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError, numeric};
use crate::Value;

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let list = "Variant[Array,Hash,Binary,Iterable]";
    NewFunction::new(
        "new_array",
        &[],
        &[
            SignatureRow::Make(&[("from", list), ("wrap?", "Boolean[false]")], to_array),
            SignatureRow::Make(&[("from", "Any"), ("wrap", "Boolean[true]")], wrapped),
            SignatureRow::Refuse(&[("from", "Any"), ("wrap?", "Boolean")], refuse),
        ],
    )
});

fn to_array(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    match args.first() {
        Some(Value::Binary(bytes)) => {
            Ok(Value::array(bytes.iter().map(|&byte| Value::Integer(byte.into()))))
        }
        Some(from) => Ok(Value::Array(elements(from)?.unwrap_or_default())),
        None => Ok(Value::Undef),
    }
}

fn wrapped(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    Ok(match args.first() {
        Some(Value::Array(values)) => Value::Array(values.clone()),
        other => Value::array(other.cloned()),
    })
}

fn refuse(args: &[Value]) -> Result<String, ConvertError> {
    let from = args.first();
    Ok(from.map_or_else(String::new, |from| numeric::type_cannot_be_converted(from, "Array")))
}
