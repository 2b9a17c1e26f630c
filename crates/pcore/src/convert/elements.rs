//! Elements of iterable values.

use ecow::EcoVec;

use super::ConvertError;
use crate::Value;
use crate::elements::{Elements, MAX_ELEMENTS};

/// Returns the elements of a value; `None` if it is not `Iterable`.
pub fn elements(value: &Value) -> Result<Option<EcoVec<Value>>, ConvertError> {
    if let Value::Array(values) = value {
        return Ok(Some(values.clone()));
    }
    let Some(elements) = Elements::all_of(value) else { return Ok(None) };
    let mut all = EcoVec::new();
    for element in elements {
        if all.len() == MAX_ELEMENTS {
            return Err(ConvertError::new("failed to allocate memory"));
        }
        all.push(element);
    }
    Ok(Some(all))
}
