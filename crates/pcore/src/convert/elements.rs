//! Elements of iterable values.

use ecow::EcoVec;
use kukla_base::cancel::room_in;

use super::ConvertError;
use crate::Value;
use crate::elements::{Elements, MAX_ELEMENTS};

/// Returns the elements of a value; `None` if it is not `Iterable`.
pub fn elements(value: &Value) -> Result<Option<EcoVec<Value>>, ConvertError> {
    if let Value::Array(values) = value {
        return Ok(Some(values.clone()));
    }
    let Some(elements) = Elements::all_of(value) else { return Ok(None) };
    let mut all = Vec::new();
    for element in elements {
        if all.len() == MAX_ELEMENTS || !room_in(&all) {
            return Err(ConvertError::new(format!(
                "failed to allocate memory: the limit is {MAX_ELEMENTS} elements"
            )));
        }
        all.push(element);
    }
    Ok(match Value::array_of(all) {
        Value::Array(all) => Some(all),
        _ => None,
    })
}
