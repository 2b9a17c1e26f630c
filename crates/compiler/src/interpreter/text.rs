//! Values as text.

use ecow::EcoString;
use kukla_pcore::interpolate::write_text;
use kukla_pcore::{Value, ruby};

/// What `"${value}"` shows.
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

/// What Ruby's `to_s` shows.
pub(crate) fn to_s(value: &Value) -> String {
    ruby::to_s(value)
}
