//! The elements of what can be iterated over.

use ecow::EcoVec;

use super::ConvertError;
use crate::value::{Iterator, Rare};
use crate::{Type, Value};

/// More elements than this would fill the memory before anything is done with them.
const MAX_ELEMENTS: i64 = 1 << 27;

/// The elements of a value, or `None` if it has none: it is not `Iterable`.
pub fn elements(value: &Value) -> Result<Option<EcoVec<Value>>, ConvertError> {
    Ok(Some(match value {
        Value::Array(values) => values.clone(),
        Value::Hash(hash) => {
            hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()])).collect()
        }
        Value::String(text) => {
            let mut buffer = [0; 4];
            text.chars().map(|c| Value::string(&*c.encode_utf8(&mut buffer))).collect()
        }
        Value::Integer(0..) => range(0, as_integer(value).saturating_sub(1))?,
        Value::Type(type_) => return of_type(type_),
        Value::Rare(rare) => match &**rare {
            Rare::Iterator(iterator) => of_iterator(iterator)?,
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

const fn as_integer(value: &Value) -> i64 {
    match value {
        Value::Integer(value) => *value,
        _ => 0,
    }
}

/// `Integer[1, 3]` and `Enum[a, b]`
fn of_type(type_: &Type) -> Result<Option<EcoVec<Value>>, ConvertError> {
    match type_ {
        Type::Integer(limits) if limits.min != i64::MIN && limits.max != i64::MAX => {
            range(limits.min, limits.max).map(Some)
        }
        Type::Enum(words) => Ok(Some(words.values.iter().cloned().map(Value::String).collect())),
        Type::Alias(alias) => alias.resolved().map_or(Ok(None), of_type),
        _ => Ok(None),
    }
}

fn range(first: i64, last: i64) -> Result<EcoVec<Value>, ConvertError> {
    if last.saturating_sub(first) > MAX_ELEMENTS {
        return Err(ConvertError::new("failed to allocate memory"));
    }
    Ok((first..=last).map(Value::Integer).collect())
}

/// What `step` and `reverse_each` give.
fn of_iterator(iterator: &Iterator) -> Result<EcoVec<Value>, ConvertError> {
    let Some(all) = elements(&iterator.over)? else { return Ok(EcoVec::new()) };
    let step = usize::try_from(iterator.step).unwrap_or(usize::MAX).max(1);
    Ok(match iterator.reverse {
        true => all.iter().rev().step_by(step).cloned().collect(),
        false => all.iter().step_by(step).cloned().collect(),
    })
}
