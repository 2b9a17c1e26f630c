//! Collections that several variables share, when code in another language has changed one in place.
//!
//! In Puppet variables share the object. Here a value never changes, so the new value takes the place of the old one in
//! every variable that has the very same collection, alone or within another one.

use std::sync::Arc;

use kukla_base::cancel::walk;
use kukla_pcore::{Hash, Value};

/// The most parts of a change that are followed.
const MAX_PARTS: usize = 1_000;

/// Returns true if two values are one and the same collection. Empty ones are never.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => !a.is_empty() && std::ptr::eq(a.as_ptr(), b.as_ptr()),
        (Value::Hash(a), Value::Hash(b)) => !a.is_empty() && Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// Collections that were changed, each with the value that it has now.
#[derive(Debug, Default)]
pub(crate) struct Changed(Vec<(Value, Value)>);

impl Changed {
    /// Finds the parts of a collection that differ from those that it has now.
    pub(crate) fn new(old: &Value, new: &Value) -> Self {
        let mut changed = Self::default();
        changed.add(old, new);
        changed
    }

    fn add(&mut self, old: &Value, new: &Value) {
        if self.0.len() >= MAX_PARTS || old == new {
            return;
        }
        match (old, new) {
            (Value::Array(before), Value::Array(now)) => walk((), || {
                before.iter().zip(now).for_each(|(old, new)| self.add(old, new));
            }),
            (Value::Hash(before), Value::Hash(now)) => walk((), || {
                for (key, old) in before.iter() {
                    now.get(key).into_iter().for_each(|new| self.add(old, new));
                }
            }),
            _ => return,
        }
        self.0.push((old.clone(), new.clone()));
    }

    /// Returns the value that takes the place of one that is, or contains, what was changed.
    pub(crate) fn of(&self, value: &Value) -> Option<Value> {
        if let Some((_, new)) = self.0.iter().find(|(old, _)| is_same(old, value)) {
            return Some(new.clone());
        }
        walk(None, || match value {
            Value::Array(items) => {
                let parts: Vec<_> = items.iter().map(|item| self.of(item)).collect();
                let is_changed = parts.iter().any(Option::is_some);
                let parts = parts.into_iter().zip(items);
                is_changed.then(|| {
                    Value::array(parts.map(|(part, item)| part.unwrap_or_else(|| item.clone())))
                })
            }
            Value::Hash(hash) => {
                let parts: Vec<_> = hash.values().map(|item| self.of(item)).collect();
                let is_changed = parts.iter().any(Option::is_some);
                let parts = parts.into_iter().zip(hash.iter());
                is_changed.then(|| {
                    let entry = |(part, (key, item)): (Option<Value>, (&Value, &Value))| {
                        (key.clone(), part.unwrap_or_else(|| item.clone()))
                    };
                    Value::hash(parts.map(entry).collect::<Hash>())
                })
            }
            _ => None,
        })
    }
}
