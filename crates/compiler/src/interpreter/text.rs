//! Values as text.

use ecow::EcoString;
use kukla_pcore::interpolate::write_text;
use kukla_pcore::{Value, ruby};

/// Returns the text of `"${value}"`.
pub(crate) fn of(value: &Value) -> EcoString {
    match value {
        Value::String(text) => text.clone(),
        _ => {
            let mut out = String::new();
            write_text(value, &mut out);
            out.into()
        }
    }
}

/// Returns the text of Ruby's `to_s`.
pub(crate) fn to_s(value: &Value) -> String {
    ruby::to_s(value)
}
