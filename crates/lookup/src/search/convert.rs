//! `convert_to`: conversion of a found value.

use kukla_pcore::{Type, Value, format, types};

use crate::run::Run;
use crate::{Fault, Key, Search};

impl Run<'_> {
    /// Applies `convert_to`: the type, and arguments of `new` after the value.
    pub(super) fn convert(&mut self, key: &Key, value: Value, convert_to: &Value) -> Search<Value> {
        let mut parts: Vec<Value> = match convert_to {
            Value::Array(parts) => parts.iter().cloned().collect(),
            other => vec![other.clone()],
        };
        if let Some(Value::String(source)) = parts.first() {
            let type_ = types::parse(source, self.host.names()).map_err(|error| {
                Fault::lookup(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{source}', error: '{error}"
                ))
            })?;
            parts[0] = Value::from(type_);
            // Puppet replaces the text by the type in place, and the explanation shows that.
            if let Value::Array(given) = convert_to {
                let change = (given.as_ptr(), parts.iter().cloned().collect());
                self.update_trace(|trace| trace.mutate(&[change]));
            }
        }
        let shown = format::convert(&Value::array(parts.clone()), &Value::from("%p"));
        let failed = |message: &str| {
            Fault::lookup(format!(
                "The convert_to lookup_option for key '{key}' raised error: {message}"
            ))
        };
        let Some(Value::Type(type_)) = parts.first() else {
            let got = types::infer(parts.first().unwrap_or(&Value::Undef));
            let got = got.text();
            let got = got.split('[').next().unwrap_or_default();
            return Err(
                failed(&format!("'new' parameter 'type' expects a Type value, got {got}")).into()
            );
        };
        let arguments: Vec<Value> =
            std::iter::once(value).chain(parts.iter().skip(1).cloned()).collect();
        let is_secret = self.invocation.is_secret.get();
        let value = self.host.convert(type_, &arguments).map_err(|error| match is_secret {
            // An error message may contain the value.
            true => failed("the value is a secret that does not fit"),
            false => failed(&error.to_string()),
        })?;
        let shown = shown.unwrap_or_default();
        self.update_trace(|trace| {
            trace.text(format!("Applying convert_to lookup_option with arguments {shown}"));
        });
        Ok(value)
    }
}

/// Whether `convert_to` makes a value `Sensitive`.
pub(super) fn hides(convert_to: &Value) -> bool {
    let first = match convert_to {
        Value::Array(parts) => parts.first().unwrap_or(&Value::Undef),
        other => other,
    };
    match first {
        Value::String(source) => source.trim_start().starts_with("Sensitive"),
        Value::Type(type_) => matches!(**type_, Type::Sensitive(_)),
        _ => false,
    }
}
