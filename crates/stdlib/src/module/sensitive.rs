//! Sensitive values.

use std::sync::Arc;

use kukla_compiler::{Eval, Function, Signature};
use kukla_pcore::Value;

use super::ruby_like::nested;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[Function::typed(
    "stdlib::rewrap_sensitive_data",
    &[Signature::returning("Any data, Callable[Any] &block?", "Any", |call| {
        let mut was_sensitive = false;
        let unwrapped = unwrap(call.value(0), &mut was_sensitive);
        let result = if call.has_block() { call.call_block(&[unwrapped])? } else { unwrapped };
        Ok(wrap(result, was_sensitive))
    })],
)];

/// Runs a function on a value with all `Sensitive` in it unwrapped; the result is `Sensitive` if there was any.
pub(super) fn rewrapped(value: &Value, work: impl FnOnce(&Value) -> Eval<Value>) -> Eval<Value> {
    let mut was_sensitive = false;
    let unwrapped = unwrap(value, &mut was_sensitive);
    Ok(wrap(work(&unwrapped)?, was_sensitive))
}

fn wrap(value: Value, is_sensitive: bool) -> Value {
    if is_sensitive { Value::Sensitive(Arc::new(value)) } else { value }
}

fn unwrap(value: &Value, was_sensitive: &mut bool) -> Value {
    match value {
        Value::Array(values) => {
            nested(|| Value::array(values.iter().map(|value| unwrap(value, was_sensitive))))
        }
        Value::Hash(hash) => {
            let entry = |(key, value): (&Value, &Value)| {
                let key = match key {
                    Value::Sensitive(key) => {
                        *was_sensitive = true;
                        (**key).clone()
                    }
                    key => key.clone(),
                };
                (key, unwrap(value, was_sensitive))
            };
            nested(|| Value::hash(hash.iter().map(entry).collect()))
        }
        Value::Sensitive(inner) => {
            *was_sensitive = true;
            nested(|| unwrap(inner, was_sensitive))
        }
        other => other.clone(),
    }
}
