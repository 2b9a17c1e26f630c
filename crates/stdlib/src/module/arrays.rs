//! Functions that create arrays from arrays.

use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::{Hash, Value, ruby};

use super::booleans::to_bool;
use super::ruby_like::{class, flatten, is_array_or_string, pair, refuse, unique, wrong_number};

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("any2array", -1, any2array),
    Function::untyped("concat", -1, concat),
    Function::untyped("difference", -1, difference),
    Function::untyped("intersection", -1, intersection),
    Function::untyped("union", -1, union),
    Function::untyped("reverse", -1, reverse),
    Function::untyped("prefix", -1, |call| affix(call, |affix, text| format!("{affix}{text}"))),
    Function::untyped("suffix", -1, |call| affix(call, |affix, text| format!("{text}{affix}")))
        .keeping_encoding(),
    Function::untyped("zip", -1, zip),
    Function::untyped("hash", -1, hash),
];

fn any2array(call: &mut Call<'_>) -> Eval<Value> {
    Ok(match call.arguments() {
        [array @ Value::Array(_)] => array.clone(),
        [Value::String(text)] if text.is_empty() => Value::array([]),
        [Value::Hash(hash)] => {
            Value::array(hash.iter().flat_map(|(key, value)| [key.clone(), value.clone()]))
        }
        arguments => Value::array(arguments.iter().cloned()),
    })
}

fn concat(call: &mut Call<'_>) -> Eval<Value> {
    let [first, second, rest @ ..] = call.arguments() else { return wrong_number(call, "< 2") };
    let Value::Array(first) = first else { return refuse(call, "Requires array to work with") };
    let mut all = first.clone();
    for value in std::iter::once(second).chain(rest) {
        match value {
            Value::Array(values) => all.extend(values.iter().cloned()),
            other => all.push(other.clone()),
        }
    }
    Ok(Value::Array(all))
}

fn difference(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [Value::Array(first), Value::Array(second)] => {
            let second: Hash = second.iter().map(|value| (value.clone(), Value::Undef)).collect();
            Ok(Value::array(first.iter().filter(|value| !second.contains_key(value)).cloned()))
        }
        [_, _] => refuse(call, "Requires 2 arrays"),
        _ => wrong_number(call, "2"),
    }
}

fn intersection(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [Value::Array(first), Value::Array(second)] => {
            let second: Hash = second.iter().map(|value| (value.clone(), Value::Undef)).collect();
            Ok(unique(first.iter().filter(|value| second.contains_key(value)).cloned()))
        }
        [first, second] => {
            let words = format!("Requires 2 arrays, got {} and {}", class(first), class(second));
            refuse(call, &words)
        }
        _ => wrong_number(call, "2"),
    }
}

fn union(call: &mut Call<'_>) -> Eval<Value> {
    if call.arguments().len() < 2 {
        return wrong_number(call, "< 2");
    }
    if !call.arguments().iter().all(|value| matches!(value, Value::Array(_))) {
        return refuse(call, "Every parameter must be an array");
    }
    Ok(unique((0..call.arguments().len()).flat_map(|n| call.array(n).iter().cloned())))
}

fn reverse(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [] => wrong_number(call, "1"),
        [Value::Array(values), ..] => Ok(Value::array(values.iter().rev().cloned())),
        [Value::String(text), ..] => Ok(Value::from(text.chars().rev().collect::<String>())),
        _ => refuse(call, "Requires either array or string to work with"),
    }
}

/// Implements `prefix` and `suffix`.
fn affix(call: &mut Call<'_>, join: fn(&str, &str) -> String) -> Eval<Value> {
    let (list, affix) = match call.arguments() {
        [] => return wrong_number(call, "1"),
        [list] => (list, None),
        [list, affix, ..] => (list, Some(affix).filter(|affix| affix.is_truthy())),
    };
    if !matches!(list, Value::Array(_) | Value::Hash(_)) {
        let shown = ruby::resource_inspect(list);
        return refuse(
            call,
            &format!("expected first argument to be an Array or a Hash, got {shown}"),
        );
    }
    let affix = match affix {
        None => "",
        Some(Value::String(affix)) => affix.as_str(),
        Some(other) => {
            let shown = ruby::resource_inspect(other);
            return refuse(call, &format!("expected second argument to be a String, got {shown}"));
        }
    };
    let changed = |value: &Value| Value::from(join(affix, &ruby::resource_to_s(value)));
    Ok(match list {
        Value::Hash(hash) => {
            Value::hash(hash.iter().map(|(key, value)| (changed(key), value.clone())).collect())
        }
        list => Value::array(super::ruby_like::array(list).iter().map(changed)),
    })
}

fn zip(call: &mut Call<'_>) -> Eval<Value> {
    let [first, second, rest @ ..] = call.arguments() else { return wrong_number(call, "2") };
    let (Value::Array(first), Value::Array(second)) = (first, second) else {
        return refuse(call, "Requires array to work with");
    };
    let is_flat = match rest.first() {
        Some(flat) if flat.is_truthy() => to_bool(flat)?,
        _ => false,
    };
    let other = |n: usize| second.get(n).unwrap_or(&Value::Undef);
    let pairs: Vec<Value> =
        first.iter().enumerate().map(|(n, value)| pair((value, other(n)))).collect();
    Ok(Value::array(if is_flat { flatten(&pairs) } else { pairs }))
}

fn hash(call: &mut Call<'_>) -> Eval<Value> {
    let values = match call.arguments() {
        [] => return wrong_number(call, "1"),
        [Value::Array(values), ..] => flatten(values),
        _ => return refuse(call, "Requires array to work with"),
    };
    if let [hash @ Value::Hash(_)] = &values[..] {
        return Ok(hash.clone());
    }
    if values.len() % 2 == 1 {
        return refuse(call, "Unable to compute hash from array given");
    }
    let pairs = values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    Ok(Value::hash(pairs.collect()))
}

/// Runs `work` on the characters of a string or the elements of an array.
pub(super) fn as_list(
    call: &mut Call<'_>,
    value: &Value,
    work: impl FnOnce(&mut Call<'_>, &mut Vec<Value>) -> Eval<()>,
) -> Eval<Value> {
    if !is_array_or_string(value) {
        return crate::fault::wrong_arguments(format!(
            "{}(): Requires either array or string to work with",
            call.name()
        ));
    }
    let mut list: Vec<Value> = match value {
        Value::String(text) => text.chars().map(|c| Value::from(c.to_string())).collect(),
        other => super::ruby_like::array(other),
    };
    if list.len() <= 1 {
        return Ok(value.clone());
    }
    work(call, &mut list)?;
    Ok(match value {
        Value::String(_) => Value::from(ruby::join(&list, "")),
        _ => Value::array(list),
    })
}
