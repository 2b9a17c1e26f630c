//! Paths into a value: `key.name.0`.

use kukla_pcore::Value;

use super::Run;
use crate::trace::StepKind;
use crate::{Fault, Key, Miss, Search};

impl Run<'_> {
    /// Follows a key's path into a value.
    pub(crate) fn dig(&mut self, key: &Key, value: Value) -> Search<Value> {
        match key.segments() {
            [] => Ok(value),
            segments => self.sub_lookup(key.text(), segments, value),
        }
    }

    pub(crate) fn sub_lookup(
        &mut self,
        key: &str,
        segments: &[Value],
        value: Value,
    ) -> Search<Value> {
        self.with(
            || StepKind::SubKey(segments.to_vec()),
            |run| {
                let mut value = value;
                for segment in segments {
                    value =
                        run.with(|| StepKind::Segment, |run| run.step_into(key, segment, &value))?;
                }
                Ok(value)
            },
        )
    }

    fn step_into(&mut self, key: &str, segment: &Value, value: &Value) -> Search<Value> {
        let shown = kukla_pcore::ruby::to_s(segment);
        let found = match (value, segment) {
            (Value::Undef, _) => None,
            (Value::Array(items), Value::Integer(index)) => {
                usize::try_from(*index).ok().and_then(|index| items.get(index)).cloned()
            }
            (Value::Hash(hash), segment) => hash.get(segment).cloned(),
            (Value::Integer(_), _) => {
                let message = kukla_pcore::ruby::no_method("include?", value);
                return Err(Fault::other(message).into());
            }
            (other, _) => {
                let class = kukla_pcore::ruby::class_name(other);
                return Err(Fault::lookup(format!(
                    "Data Provider type mismatch: Got {class} when a hash-like object was expected to access value using '{shown}' from key '{key}'"
                ))
                .into());
            }
        };
        match found {
            Some(value) => {
                self.found(&shown, &value);
                Ok(value)
            }
            None => {
                self.not_found(&shown);
                Err(Miss::NotFound)
            }
        }
    }
}
