//! Values as text.

use ecow::EcoString;
use kukla_pcore::Value;

/// What `"${value}"` shows.
pub(crate) fn of(value: &Value) -> EcoString {
    match value {
        Value::String(text) => text.clone(),
        _ => {
            let mut out = EcoString::new();
            write(value, &mut out);
            out
        }
    }
}

/// Appends what `"${value}"` shows.
pub(crate) fn write(value: &Value, out: &mut EcoString) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Undef => (),
        Value::Integer(i) => out.push_str(&i.to_string()),
        other => out.push_str(&format!("{other:?}")),
    }
}

/// What Ruby's `to_s` shows.
pub(crate) fn to_s(value: &Value) -> String {
    of(value).to_string()
}
