//! Functions that select, count or find values.

use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::{Hash, Value, ruby};

use super::ruby_like::{array, flatten, has_digits_line, pair, raised, refuse, wrong_number};
use super::transliterate::Characters;
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("pick", -1, pick),
    Function::untyped("pick_default", -1, pick_default),
    Function::untyped("count", -2, count),
    Function::untyped("member", -1, member),
    Function::untyped("values_at", -1, values_at),
];

/// Returns true for a value that is neither `undef`, which arrives as `''`, nor `''`.
fn is_something(value: &Value) -> bool {
    !matches!(value, Value::Undef) && value.as_str() != Some("")
}

fn pick(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments().iter().find(|value| is_something(value)) {
        Some(value) => Ok(value.clone()),
        None => refuse(call, "must receive at least one non empty value"),
    }
}

fn pick_default(call: &mut Call<'_>) -> Eval<Value> {
    let [values @ .., default] = call.arguments() else {
        return crate::fault::wrong_arguments("Must receive at least one argument.");
    };
    Ok(values.iter().find(|value| is_something(value)).unwrap_or(default).clone())
}

fn count(call: &mut Call<'_>) -> Eval<Value> {
    let (collection, item) = match call.arguments() {
        [collection] => (collection, None),
        [collection, item] => (collection, Some(item).filter(|item| item.is_truthy())),
        arguments => {
            let n = arguments.len();
            return refuse(call, &format!("Wrong number of arguments given {n} for 1 or 2."));
        }
    };
    let is_counted = |value: &Value| match item {
        Some(item) => ruby::equal(value, item),
        None => is_something(value),
    };
    let n = match (collection, item) {
        (Value::Array(values), _) => values.iter().filter(|value| is_counted(value)).count(),
        (Value::Hash(hash), _) => hash.iter().filter(|entry| is_counted(&pair(*entry))).count(),
        (Value::String(text), Some(Value::String(set))) => {
            let set = Characters::parse(set).map_err(raised)?;
            text.chars().filter(|c| set.contains(*c)).count()
        }
        (Value::String(_), Some(other)) => return fault(ruby::no_implicit_conversion(other)),
        (Value::String(_), None) => {
            return crate::fault::wrong_arguments(
                "wrong number of arguments (given 0, expected 1+)",
            );
        }
        (other, _) => return fault(ruby::no_method("count", other)),
    };
    Ok(Value::Integer(i64::try_from(n).unwrap_or(i64::MAX)))
}

fn member(call: &mut Call<'_>) -> Eval<Value> {
    let [list, item, ..] = call.arguments() else { return wrong_number(call, "2") };
    let Value::Array(list) = list else { return refuse(call, "Requires array to work with") };
    if !matches!(item, Value::String(_) | Value::Integer(_) | Value::Array(_)) {
        return refuse(call, "Item to search for must be a string, fixnum, or array");
    }
    let items = array(item);
    if items.is_empty() {
        return refuse(call, "You must provide item to search for within array given");
    }
    let members: Hash = list.iter().map(|value| (value.clone(), Value::Undef)).collect();
    Ok(Value::Boolean(items.iter().all(|item| members.contains_key(item))))
}

fn values_at(call: &mut Call<'_>) -> Eval<Value> {
    let [list, positions, ..] = call.arguments() else { return wrong_number(call, "2") };
    let Value::Array(list) = list else { return refuse(call, "Requires array to work with") };
    let positions = flatten(std::slice::from_ref(positions));
    if positions.is_empty() {
        return refuse(call, "You must provide at least one positive index to collect");
    }
    let mut values = Vec::new();
    for index in &positions {
        let indexes = indexes(call, &ruby::resource_to_s(index), list.len())?;
        values.extend(indexes.filter_map(|index| list.get(index)).cloned());
    }
    values.retain(|value| !value.is_undef());
    Ok(Value::array(values))
}

/// Returns the indexes of `3`, `1-3`, `1..3` or `1...3`.
fn indexes(call: &mut Call<'_>, text: &str, size: usize) -> Eval<std::ops::Range<usize>> {
    let regex = call.regex(r"^(\d+)(\.\.\.?|\-)(\d+)$", kukla_pcore::regex::Options::default())?;
    let captures =
        regex.captures(text, 0).map_err(|error| crate::fault::failed(error.to_string()))?;
    let number = |digits: &str| {
        let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(usize::MAX)
    };
    if let Some(captures) = captures {
        let group = |n| captures.get(n).unwrap_or_default();
        let (start, stop) = (number(group(1)), number(group(3)));
        if start > stop {
            return refuse(
                call,
                "Stop index in given indices range is smaller than the start index",
            );
        }
        if stop >= size {
            return refuse(call, "Stop index in given indices range exceeds array size");
        }
        return Ok(start..if group(2) == "..." { stop } else { stop + 1 });
    }
    if !has_digits_line(text) {
        return refuse(call, "Unknown format of given index");
    }
    let index = number(text);
    if index >= size {
        return refuse(call, "Given index exceeds array size");
    }
    Ok(index..index + 1)
}
