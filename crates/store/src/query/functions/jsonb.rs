//! The order of JSON values and containment, as PostgreSQL's `jsonb` has them.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// Returns the type of a value.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::String(_) => 1,
        Value::Number(_) => 2,
        Value::Bool(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// Compares two values.
pub(super) fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Number(one), Value::Number(other)) => numbers(one, other),
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len().cmp(&other.len()).then_with(|| elements(one.iter().zip(other)))
        }
        (Value::Object(one), Value::Object(other)) => objects(one, other),
        _ => rank(one).cmp(&rank(other)),
    }
}

fn elements<'a>(mut pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Ordering {
    let unequal =
        pairs.find_map(|(one, other)| Some(compare(one, other)).filter(|order| order.is_ne()));
    unequal.unwrap_or(Ordering::Equal)
}

/// Compares numbers; whole ones exactly.
fn numbers(one: &Number, other: &Number) -> Ordering {
    let whole =
        |number: &Number| number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => {
            let (one, other) =
                (one.as_f64().unwrap_or_default(), other.as_f64().unwrap_or_default());
            one.partial_cmp(&other).unwrap_or(Ordering::Equal)
        }
    }
}

/// Compares objects: by their sizes, then member by member; members with shorter names come first.
fn objects(one: &Map<String, Value>, other: &Map<String, Value>) -> Ordering {
    let sorted = |members: &'_ Map<String, Value>| {
        let mut names: Vec<String> = members.keys().cloned().collect();
        names.sort_unstable_by(|one, other| {
            one.len().cmp(&other.len()).then_with(|| one.cmp(other))
        });
        names
    };
    let by_size = one.len().cmp(&other.len());
    by_size.then_with(|| {
        let (names, others) = (sorted(one), sorted(other));
        let pairs = names.iter().zip(&others);
        let unequal = pairs.map(|(name, other_name)| {
            name.cmp(other_name)
                .then_with(|| compare(&one[name.as_str()], &other[other_name.as_str()]))
        });
        let mut unequal = unequal.filter(|order| order.is_ne());
        unequal.next().unwrap_or(Ordering::Equal)
    })
}

/// Returns whether a value contains another one.
pub(super) fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|found| contains(found, value))),
        (Value::Array(whole), Value::Array(part)) => {
            part.iter().all(|value| whole.iter().any(|found| contains(found, value)))
        }
        _ => compare(whole, part) == Ordering::Equal,
    }
}
