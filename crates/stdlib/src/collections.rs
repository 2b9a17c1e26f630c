//! Functions on arrays, hashes and other values with a size.

use kukla_compiler::{Call, Eval, Function, Signature, issues};
use kukla_pcore::elements::{MAX_ELEMENTS, MAX_TEXT, flattened};
use kukla_pcore::{Value, ruby};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "empty",
        &[
            Signature::new("Collection coll", is_empty),
            Signature::new("Sensitive[String] str", is_empty),
            Signature::new("String str", is_empty),
            Signature::new("Numeric num", empty_number),
            Signature::new("Binary bin", is_empty),
            Signature::new("Undef x", is_empty),
        ],
    ),
    Function::typed(
        "length",
        &[
            Signature::new("Collection arg", length),
            Signature::new("String arg", length),
            Signature::new("Binary arg", length),
        ],
    ),
    Function::typed("size", &[Signature::new("Variant[Collection, String, Binary] arg", length)]),
    Function::typed("flatten", &[Signature::new("Any *args", flatten)]),
    Function::typed("keys", &[Signature::new("Hash hsh", keys)]),
    Function::typed("values", &[Signature::new("Hash hsh", values)]),
    Function::typed("join", &[Signature::new("Array arg, String delimiter?", join)])
        .keeping_encoding(),
];

/// Counts elements or characters.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.len(),
        Value::Hash(hash) => hash.len(),
        Value::String(text) => text.chars().count(),
        Value::Binary(bytes) => bytes.len(),
        Value::Sensitive(inner) => count(inner),
        _ => 0,
    }
}

fn is_empty(call: &mut Call<'_>) -> Eval<Value> {
    let is_empty = match call.value(0) {
        Value::String(text) => text.is_empty(),
        other => count(other) == 0,
    };
    Ok(Value::Boolean(is_empty))
}

fn empty_number(call: &mut Call<'_>) -> Eval<Value> {
    let place = call.place();
    let key = format!("empty-from-{}-{}", place.file, place.line);
    call.warn_once_here(&key, "Calling function empty() with Numeric value is deprecated.");
    Ok(Value::Boolean(false))
}

fn length(call: &mut Call<'_>) -> Eval<Value> {
    Ok(Value::Integer(i64::try_from(count(call.value(0))).unwrap_or(i64::MAX)))
}

fn flatten(call: &mut Call<'_>) -> Eval<Value> {
    let flat = flattened(call.arguments());
    match flat.len() > MAX_ELEMENTS {
        true => kukla_compiler::fault(issues::value_too_large()),
        false => Ok(Value::array_of(flat)),
    }
}

fn keys(call: &mut Call<'_>) -> Eval<Value> {
    Ok(Value::array(call.hash(0).into_iter().flat_map(|hash| hash.keys().cloned())))
}

fn values(call: &mut Call<'_>) -> Eval<Value> {
    Ok(Value::array(call.hash(0).into_iter().flat_map(|hash| hash.values().cloned())))
}

fn join(call: &mut Call<'_>) -> Eval<Value> {
    let values = call.array(0);
    // Only texts may be long.
    let size = |value: &Value| value.as_str().map_or(0, str::len) + call.string(1).len();
    if values.iter().map(size).sum::<usize>() > MAX_TEXT {
        return kukla_compiler::fault(issues::value_too_large());
    }
    Ok(Value::from(ruby::join(values, call.string(1))))
}
