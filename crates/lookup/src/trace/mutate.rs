//! Values of the trace that change afterwards.
//!
//! Puppet's deep merge removes knocked out elements from the found arrays themselves, and the explanation shows the
//! arrays in their final state.

use ecow::EcoVec;
use kukla_pcore::{Hash, Value};

use super::Trace;

/// A modified array: its address, and the remaining elements.
pub(crate) type Change = (*const Value, EcoVec<Value>);

impl Trace {
    pub(crate) fn mutate(&mut self, changes: &[Change]) {
        for step in &mut self.steps {
            if let Some(value) = &mut step.value {
                mutate(value, changes);
            }
        }
    }
}

/// Replaces modified arrays in a value.
pub(crate) fn mutate(value: &mut Value, changes: &[Change]) {
    stacker::maybe_grow(32 << 10, 1 << 20, || match value {
        Value::Array(items) => {
            if let Some((_, left)) = changes
                .iter()
                .rev()
                .find(|(place, _)| !items.is_empty() && *place == items.as_ptr())
            {
                *items = left.clone();
                return;
            }
            if items.iter().any(is_collection) {
                let new: EcoVec<Value> = items.iter().map(|item| mutated(item, changes)).collect();
                if new != *items {
                    *items = new;
                }
            }
        }
        Value::Hash(hash) if hash.values().any(is_collection) => {
            let new: Hash =
                hash.iter().map(|(key, value)| (key.clone(), mutated(value, changes))).collect();
            if new != **hash {
                *value = Value::from(new);
            }
        }
        _ => (),
    });
}

fn mutated(value: &Value, changes: &[Change]) -> Value {
    let mut value = value.clone();
    mutate(&mut value, changes);
    value
}

const fn is_collection(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}
