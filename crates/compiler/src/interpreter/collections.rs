//! `+`, `-` and `<<` of arrays and hashes.

use std::sync::Arc;

use ecow::EcoVec;
use kukla_base::cancel;
use kukla_pcore::elements::MAX_ELEMENTS;
use kukla_pcore::uri::Uri;
use kukla_pcore::value::Rare;
use kukla_pcore::{Hash, Value, ruby};

use crate::{Eval, fault, issues};

/// `values + right`
///
/// A collection with one owner is changed in place, so that adding to it in a loop makes no copies.
pub(super) fn concatenate(mut values: EcoVec<Value>, right: Value) -> Eval<Value> {
    let n_more = match &right {
        Value::Array(more) => more.len(),
        Value::Hash(more) => more.len(),
        _ => 1,
    };
    check_room(values.len() + n_more)?;
    match right {
        Value::Array(more) => values.extend(more),
        Value::Hash(hash) => values.extend(pairs(&hash)),
        single => values.push(single),
    }
    Ok(Value::Array(values))
}

/// Fails if an array of so many elements is too large.
pub(super) fn check_room(n: usize) -> Eval<()> {
    match n <= MAX_ELEMENTS && cancel::room(n * size_of::<Value>()) {
        true => Ok(()),
        false => fault(issues::too_large()),
    }
}

/// `left << right`, where the left side is an array.
pub(super) fn append(left: Value, right: Value) -> Eval<Value> {
    let Value::Array(mut values) = left else { return Ok(left) };
    // Pushing copies a list that has other owners, too.
    let has_room = values.len() < values.capacity() && values.is_unique();
    if !has_room {
        check_room(values.len() + 1)?;
    }
    values.push(right);
    Ok(Value::Array(values))
}

/// `left + right`, where the left side is a hash.
pub(super) fn merge(mut left: Arc<Hash>, right: Value) -> Eval<Arc<Hash>> {
    match right {
        Value::Hash(more) => {
            let merged = Arc::make_mut(&mut left);
            match Arc::try_unwrap(more) {
                Ok(more) => merged.extend(more),
                Err(more) => merged.extend(more.iter().map(|(k, v)| (k.clone(), v.clone()))),
            }
        }
        Value::Array(values) => {
            let more = entries(&values)?;
            Arc::make_mut(&mut left).extend(more);
        }
        _ => return fault(issues::not_appendable_to_hash()),
    }
    Ok(left)
}

/// The entries of an array of pairs, or of keys and values in turn.
fn entries(values: &[Value]) -> Eval<Vec<(Value, Value)>> {
    let all_arrays =
        !values.is_empty() && values.iter().all(|value| matches!(value, Value::Array(_)));
    if all_arrays {
        return values.iter().map(pair).collect();
    }
    if !values.len().is_multiple_of(2) {
        return fault(issues::odd_number_for_hash());
    }
    Ok(values.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
}

/// An entry from an array with a key and perhaps a value.
fn pair(value: &Value) -> Eval<(Value, Value)> {
    let Value::Array(pair) = value else { return fault(issues::wrong_element_type()) };
    match pair.as_slice() {
        [key] => Ok((key.clone(), Value::Undef)),
        [key, value] => Ok((key.clone(), value.clone())),
        _ => fault(issues::wrong_pair(pair.len())),
    }
}

/// `left - right`, where the left side is an array or a hash.
pub(super) fn delete(left: &Value, right: &Value) -> Eval<Value> {
    match left {
        Value::Array(values) => {
            let gone = to_array(right);
            let kept =
                values.iter().filter(|value| !gone.iter().any(|gone| ruby::equal(gone, value)));
            Ok(Value::array(kept.cloned()))
        }
        Value::Hash(hash) => {
            let gone: Vec<Value> = match right {
                Value::Hash(other) => other.keys().cloned().collect(),
                other => to_array(other),
            };
            let mut kept = (**hash).clone();
            for key in &gone {
                kept.remove(key);
            }
            Ok(Value::hash(kept))
        }
        _ => fault(issues::not_deletable_from()),
    }
}

/// `left + right` of URIs: the right one is taken relative to the left one.
pub(super) fn merge_uri(left: &Uri, right: &Value) -> Eval<Value> {
    let right = match right {
        Value::String(text) => match Uri::parse(text) {
            Ok(uri) => uri,
            Err(error) => return fault(issues::illegal_uri(&error)),
        },
        Value::Rare(rare) => match &**rare {
            Rare::Uri(uri) => uri.clone(),
            _ => return fault(issues::only_uri_mergeable()),
        },
        _ => return fault(issues::only_uri_mergeable()),
    };
    match left.merge(&right) {
        Ok(uri) => Ok(Value::Rare(Rare::Uri(uri).into())),
        Err(error) => fault(issues::illegal_uri(&error)),
    }
}

fn to_array(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values.iter().cloned().collect(),
        Value::Hash(hash) => pairs(hash).collect(),
        single => vec![single.clone()],
    }
}

/// The entries of a hash as arrays of two.
pub(super) fn pairs(hash: &Hash) -> impl Iterator<Item = Value> + '_ {
    hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()]))
}
