//! Functions on hashes.

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::elements::Elements;
use kukla_pcore::{Hash, Value, ruby};

use super::ruby_like::{class, has_digits_line, integer, nested, refuse, to_i};
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed("merge", MERGE),
    Function::typed("stdlib::merge", MERGE),
    Function::untyped("deep_merge", -1, deep_merge),
    Function::untyped("has_key", -1, has_key),
    Function::untyped("join_keys_to_values", -1, join_keys_to_values),
    Function::untyped("dig44", -2, |call| dig44(call.arguments())),
    Function::untyped("try_get_value", -2, try_get_value),
    Function::typed(
        "stdlib::nested_values",
        &[Signature::returning("Hash hash", "Array", |call| {
            Ok(Value::array(call.hash(0).map(nested_values).unwrap_or_default()))
        })],
    ),
    Function::typed(
        "stdlib::sort_by",
        &[
            Signature::new("Array ary, Callable[1,1] &block", |call| {
                sort_by(call).map(Value::array)
            }),
            Signature::new("String str, Callable[1,1] &block", |call| {
                Ok(Value::from(ruby::join(&sort_by(call)?, "")))
            }),
            Signature::new("Hash hsh, Variant[Callable[1,1], Callable[2,2]] &block", |call| {
                let pairs = sort_by(call)?;
                let entry = |pair: Value| match pair {
                    Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
                    _ => None,
                };
                Ok(Value::hash(pairs.into_iter().filter_map(entry).collect()))
            }),
        ],
    ),
];

const MERGE: &[Signature] = &[
    Signature::returning(
        "Variant[Hash[Scalar,Any], Undef, String[0,0]] *args",
        "Hash[Scalar,Any]",
        |call| {
            let mut merged = Hash::new();
            for n in 0..call.arguments().len() {
                merge_into(&mut merged, call.value(n));
            }
            Ok(Value::hash(merged))
        },
    ),
    Signature::returning("Iterable *args, Callable[3,3] &block", "Hash", |call| {
        merge_each(call, 3)
    }),
    Signature::returning("Iterable *args, Callable[2,2] &block", "Hash", |call| {
        merge_each(call, 2)
    }),
];

fn merge_into(merged: &mut Hash, value: &Value) {
    if let Value::Hash(hash) = value {
        merged.extend(hash.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// Merges the hashes that a block returns for elements; it gets the hash merged so far.
fn merge_each(call: &mut Call<'_>, n_parameters: usize) -> Eval<Value> {
    let [list] = call.arguments() else {
        let n = call.arguments().len();
        return crate::fault::wrong_arguments(format!(
            "wrong number of arguments (given {n}, expected 1)"
        ));
    };
    let mut merged = Hash::new();
    for (index, element) in Elements::of(list).into_iter().flatten().enumerate() {
        let so_far = Value::hash(merged.clone());
        let result = match (n_parameters, list, &element) {
            (3, Value::Hash(_), Value::Array(pair)) => {
                let part = |n: usize| pair.get(n).cloned().unwrap_or_default();
                call.call_block(&[so_far, part(0), part(1)])
            }
            (3, _, _) => {
                let index = i64::try_from(index).unwrap_or(i64::MAX);
                call.call_block(&[so_far, Value::Integer(index), element])
            }
            _ => call.call_block(&[so_far, element]),
        };
        merge_into(&mut merged, &result?);
    }
    Ok(Value::hash(merged))
}

fn deep_merge(call: &mut Call<'_>) -> Eval<Value> {
    let n = call.arguments().len();
    if n < 2 {
        return refuse(call, &format!("wrong number of arguments ({n}; must be at least 2)"));
    }
    let mut merged = Hash::new();
    for value in call.arguments() {
        match value {
            Value::String(text) if text.is_empty() => (),
            Value::Hash(hash) => merged = deeply_merged(merged, hash),
            other => {
                return fault(format!(
                    "deep_merge: unexpected argument type {}, only expects hash arguments",
                    class(other)
                ));
            }
        }
    }
    Ok(Value::hash(merged))
}

/// Merges nested hashes too; for all other values the later wins.
fn deeply_merged(mut merged: Hash, hash: &Hash) -> Hash {
    for (key, value) in hash.iter() {
        let both = match (merged.get(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) => {
                nested(|| Value::hash(deeply_merged((**old).clone(), new)))
            }
            _ => value.clone(),
        };
        merged.insert(key.clone(), both);
    }
    merged
}

fn has_key(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [Value::Hash(hash), key] => Ok(Value::Boolean(hash.contains_key(key))),
        [other, _] => {
            let (inspected, class) = (ruby::resource_inspect(other), class(other));
            let words = format!(
                "expects the first argument to be a hash, got {inspected} which is of type {class}"
            );
            refuse(call, &words)
        }
        arguments => {
            refuse(call, &format!("wrong number of arguments ({}; must be 2)", arguments.len()))
        }
    }
}

fn join_keys_to_values(call: &mut Call<'_>) -> Eval<Value> {
    let (hash, separator) = match call.arguments() {
        [Value::Hash(hash), Value::String(separator)] => (hash, separator),
        [Value::Hash(_), other] => {
            let class = class(other);
            let words = format!("The second argument must be a string, but a {class} was given.");
            return refuse(call, &words);
        }
        [other, _] => {
            let words =
                format!("The first argument must be a hash, but a {} was given.", class(other));
            return refuse(call, &words);
        }
        arguments => {
            let n = arguments.len();
            return refuse(call, &format!("Takes exactly two arguments, but {n} given."));
        }
    };
    let mut joined = Vec::new();
    for (key, value) in hash.iter() {
        let key = ruby::resource_to_s(key);
        let join =
            |value: &Value| Value::from(format!("{key}{separator}{}", ruby::resource_to_s(value)));
        match value {
            Value::Array(values) => joined.extend(values.iter().map(join)),
            Value::String(text) if text == "undef" => joined.push(Value::from(key)),
            value => joined.push(join(value)),
        }
    }
    Ok(Value::array(joined))
}

fn dig44(arguments: &[Value]) -> Eval<Value> {
    let [data, path, rest @ ..] = arguments else {
        let n = arguments.len();
        return crate::fault::wrong_arguments(format!(
            "dig44(): Wrong number of arguments given ({n} for at least 2)"
        ));
    };
    if !matches!(data, Value::Hash(_) | Value::Array(_)) {
        let class = class(data);
        return crate::fault::wrong_arguments(format!(
            "dig44(): first argument must be a hash or an array, given {class}"
        ));
    }
    let Value::Array(path) = path else {
        return crate::fault::wrong_arguments(format!(
            "dig44(): second argument must be an array, given {}",
            class(path)
        ));
    };
    let mut current = Some(data.clone());
    for key in path {
        current = current.and_then(|value| element(&value, key)).filter(|value| !value.is_undef());
    }
    Ok(current.unwrap_or_else(|| rest.first().cloned().unwrap_or_default()))
}

fn element(value: &Value, key: &Value) -> Option<Value> {
    match value {
        Value::Hash(hash) => hash.get(key).cloned(),
        Value::Array(values) => {
            let index = integer(key)?;
            let size = i64::try_from(values.len()).unwrap_or(i64::MAX);
            let index = if index < 0 { index.checked_add(size)? } else { index };
            values.get(usize::try_from(index).ok()?).cloned()
        }
        _ => None,
    }
}

fn try_get_value(call: &mut Call<'_>) -> Eval<Value> {
    const DEPRECATED: &str =
        "try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.";
    call.say_in_scope(Level::Warning, DEPRECATED);
    let empty = Value::from("");
    let arguments = call.arguments();
    let path = arguments.get(1).filter(|path| path.is_truthy()).unwrap_or(&empty);
    let default = arguments.get(2).cloned().unwrap_or_default();
    let data = call.value(0);
    if !matches!(data, Value::Hash(_) | Value::Array(_)) || path.as_str() == Some("") {
        return Ok(if default.is_truthy() { default } else { data.clone() });
    }
    let Value::String(path) = path else { return fault(ruby::no_method("split", path)) };
    let separator = arguments.get(3).and_then(Value::as_str).unwrap_or("/");
    let mut keys = Vec::new();
    for part in path.trim_end_matches(separator).split(separator) {
        let key = Value::from(part);
        keys.push(if has_digits_line(part) { Value::Integer(to_i(&key)?) } else { key });
    }
    call.say_in_scope(
        Level::Warning,
        "dig() DEPRECATED: This function has been replaced in Puppet 4.5.0, please use dig44() for backwards compatibility or use the new version.",
    );
    dig44(&[data.clone(), Value::array(keys), default])
}

/// Returns all values of nested hashes.
pub(super) fn nested_values(hash: &Hash) -> Vec<Value> {
    let mut all = Vec::new();
    for value in hash.values() {
        match value {
            Value::Hash(inner) => all.extend(nested(|| nested_values(inner))),
            other => all.push(other.clone()),
        }
    }
    all
}

/// Sorts elements by the values that a block returns.
fn sort_by(call: &mut Call<'_>) -> Eval<Vec<Value>> {
    let mut keyed = Vec::new();
    for element in Elements::of(call.value(0)).into_iter().flatten() {
        // A pair of a hash is one argument, even for a block with two parameters.
        let key = call.call_block(std::slice::from_ref(&element))?;
        keyed.push((key, element));
    }
    let keys: Vec<Value> = keyed.iter().map(|(key, _)| key.clone()).collect();
    let order = crate::sorting::order_of(&keys)?;
    Ok(order.into_iter().map(|index| keyed[index].1.clone()).collect())
}
