//! Functions that remove elements.

use kukla_compiler::{Call, Eval, Function, Stop};
use kukla_pcore::regex::Regex;
use kukla_pcore::{Hash, Value, ruby};

use super::ruby_like::{
    array, class, has_digits_line, is_match, pair, refuse, regex, to_i, wrong_number,
    wrong_number_plain,
};
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("delete", -1, delete),
    Function::untyped("delete_at", -1, delete_at),
    Function::untyped("delete_regex", -1, delete_regex),
    Function::untyped("delete_undef_values", -1, delete_undef_values),
    Function::untyped("delete_values", -1, delete_values),
    Function::untyped("grep", -1, |call| {
        filter(call, "grep", |regex, value| {
            value.as_str().map_or(Ok(false), |text| is_match(regex, text))
        })
    }),
    Function::untyped("reject", -1, |call| {
        filter(call, "reject", |regex, value| {
            Ok(!value.as_str().map_or(Ok(false), |text| is_match(regex, text))?)
        })
    }),
];

fn delete(call: &mut Call<'_>) -> Eval<Value> {
    let [collection, items] = call.arguments() else { return wrong_number_plain(call, "2") };
    let mut left = collection.clone();
    for item in array(items) {
        left = match &left {
            Value::Array(values) => {
                Value::array(values.iter().filter(|value| !ruby::equal(value, &item)).cloned())
            }
            Value::Hash(hash) => without(hash, |key, _| *key == item),
            Value::String(text) => match &item {
                Value::String(item) if item.is_empty() => left,
                Value::String(item) => Value::from(text.replace(item.as_str(), "")),
                other => {
                    return crate::fault::wrong_arguments(format!(
                        "wrong argument type {} (expected Regexp)",
                        match other {
                            Value::Boolean(value) => value.to_string().into(),
                            other => class(other),
                        }
                    ));
                }
            },
            other => {
                let words = format!(
                    "First argument must be an Array, String, or Hash. Given an argument of class {}.",
                    class(other)
                );
                return refuse(call, &words);
            }
        };
    }
    Ok(left)
}

fn without(hash: &Hash, is_out: impl Fn(&Value, &Value) -> bool) -> Value {
    let entries = hash.iter().filter(|(key, value)| !is_out(key, value));
    Value::hash(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn delete_at(call: &mut Call<'_>) -> Eval<Value> {
    let [list, index, ..] = call.arguments() else { return wrong_number(call, "2") };
    let Value::Array(values) = list else { return refuse(call, "Requires array to work with") };
    if index.as_str().is_some_and(|text| !has_digits_line(text)) {
        return refuse(call, "You must provide non-negative numeric index");
    }
    let index = to_i(index)?;
    let size = i64::try_from(values.len()).unwrap_or(i64::MAX);
    if index > size - 1 {
        return refuse(call, "Given index exceeds size of array given");
    }
    let mut left = values.to_vec();
    if let Ok(at) = usize::try_from(if index < 0 { index.saturating_add(size) } else { index }) {
        left.remove(at);
    }
    Ok(Value::array(left))
}

fn delete_regex(call: &mut Call<'_>) -> Eval<Value> {
    let [collection, items] = call.arguments() else { return wrong_number_plain(call, "2") };
    let mut left = collection.clone();
    for item in array(items) {
        let source = Value::from(format!("\\b{}\\b", ruby::resource_to_s(&item)));
        left = match &left {
            // Nothing is compared, so the expression is not compiled.
            Value::Array(values) if values.is_empty() => left,
            Value::Hash(hash) if hash.is_empty() => left,
            Value::Array(values) => {
                let regex = regex(call, &source)?;
                Value::array(unmatched(&regex, values)?)
            }
            Value::Hash(hash) => {
                let regex = regex(call, &source)?;
                let keys: Vec<Value> = hash.keys().cloned().collect();
                let left_over: Hash =
                    unmatched(&regex, &keys)?.into_iter().map(|key| (key, Value::Undef)).collect();
                without(hash, |key, _| !left_over.contains_key(key))
            }
            text @ Value::String(_) => return fault(ruby::no_method("reject!", text)),
            other => {
                let words = format!(
                    "First argument must be an Array, Hash, or String. Given an argument of class {}.",
                    class(other)
                );
                return refuse(call, &words);
            }
        };
    }
    Ok(left)
}

/// Returns the values that are no strings, or strings that an expression does not match.
fn unmatched(regex: &Regex, values: &[Value]) -> Eval<Vec<Value>> {
    let mut left = Vec::new();
    for value in values {
        if !value.as_str().map_or(Ok(false), |text| is_match(regex, text))? {
            left.push(value.clone());
        }
    }
    Ok(left)
}

fn delete_undef_values(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [] => refuse(call, "Wrong number of arguments given (0)"),
        [Value::Array(values), ..] => {
            Ok(Value::array(values.iter().filter(|value| !value.is_undef()).cloned()))
        }
        [Value::Hash(hash), ..] => Ok(without(hash, |_, value| value.is_undef())),
        [other, ..] => {
            let (text, class) = (ruby::resource_to_s(other), class(other));
            refuse(call, &format!("expected an array or hash, got {text} type  {class} "))
        }
    }
}

fn delete_values(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [Value::Hash(hash), item] => Ok(without(hash, |_, value| ruby::equal(item, value))),
        [other, _] => {
            let class = class(other);
            refuse(
                call,
                &format!("First argument must be a Hash. Given an argument of class {class}."),
            )
        }
        arguments => {
            refuse(call, &format!("Wrong number of arguments given ({} of 2)", arguments.len()))
        }
    }
}

/// Implements `reject` of stdlib 9, which gets pairs of a hash; those match nothing.
pub(super) fn grep_v(call: &mut Call<'_>) -> Eval<Value> {
    let [collection, pattern] = call.arguments() else { return wrong_number_plain(call, "2") };
    let regex = regex(call, pattern)?;
    match collection {
        Value::Array(values) => unmatched(&regex, values).map(Value::array),
        Value::Hash(hash) => Ok(Value::array(hash.iter().map(pair))),
        other => fault(ruby::no_method("grep_v", other)),
    }
}

/// Implements `grep` and `reject`.
fn filter(
    call: &mut Call<'_>,
    method: &str,
    is_in: fn(&Regex, &Value) -> Result<bool, Box<Stop>>,
) -> Eval<Value> {
    let [collection, pattern] = call.arguments() else { return wrong_number_plain(call, "2") };
    let regex = regex(call, pattern)?;
    let mut matches = Vec::new();
    match collection {
        Value::Array(values) => {
            for value in values {
                if is_in(&regex, value)? {
                    matches.push(value.clone());
                }
            }
            Ok(Value::array(matches))
        }
        // `grep` gets pairs, which match nothing; `reject` gets keys.
        Value::Hash(_) if method == "grep" => Ok(Value::array([])),
        Value::Hash(hash) => {
            let mut left = Hash::new();
            for (key, value) in hash.iter() {
                if is_in(&regex, key)? {
                    left.insert(key.clone(), value.clone());
                }
            }
            Ok(Value::hash(left))
        }
        number @ (Value::Integer(_) | Value::Float(_)) if method == "reject" => {
            fault(format!("{}\nDid you mean?  rect", ruby::no_method(method, number)))
        }
        other => fault(ruby::no_method(method, other)),
    }
}
