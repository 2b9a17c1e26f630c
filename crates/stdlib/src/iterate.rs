//! Functions that call a block for each element.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::Value;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "each",
        &[
            Signature::new("Hash[Any, Any] hash, Callable[2, 2] &block", |call| {
                each(call, entries)
            }),
            Signature::new("Hash[Any, Any] hash, Callable[1, 1] &block", |call| each(call, entry)),
            Signature::new("Iterable enumerable, Callable[2, 2] &block", |call| {
                each(call, indexed)
            }),
            Signature::new("Iterable enumerable, Callable[1, 1] &block", |call| {
                each(call, element)
            }),
        ],
    ),
    Function::typed(
        "map",
        &[
            Signature::new("Hash[Any, Any] hash, Callable[2, 2] &block", |call| map(call, entries)),
            Signature::new("Hash[Any, Any] hash, Callable[1, 1] &block", |call| map(call, entry)),
            Signature::new("Iterable enumerable, Callable[2, 2] &block", |call| map(call, indexed)),
            Signature::new("Iterable enumerable, Callable[1, 1] &block", |call| map(call, element)),
        ],
    ),
];

/// Calls the block for each element until the visitor, which gets the block's value, says `false`.
type Walk = fn(&mut Call<'_>, &mut dyn FnMut(&Value, Value) -> bool) -> Eval<()>;

fn each(call: &mut Call<'_>, walk: Walk) -> Eval<Value> {
    walk(call, &mut |_, _| true)?;
    Ok(call.value(0).clone())
}

fn map(call: &mut Call<'_>, walk: Walk) -> Eval<Value> {
    let mut results = Vec::new();
    walk(call, &mut |_, result| {
        results.push(result);
        true
    })?;
    Ok(Value::array(results))
}

/// `|$key, $value|`
fn entries(call: &mut Call<'_>, visit: &mut dyn FnMut(&Value, Value) -> bool) -> Eval<()> {
    let Some(hash) = call.hash(0) else { return Ok(()) };
    for (key, value) in hash.iter() {
        let Some(result) = call.iterate(&[key.clone(), value.clone()])? else { break };
        if !visit(key, result) {
            break;
        }
    }
    Ok(())
}

/// `|$entry|` of a hash
fn entry(call: &mut Call<'_>, visit: &mut dyn FnMut(&Value, Value) -> bool) -> Eval<()> {
    let Some(hash) = call.hash(0) else { return Ok(()) };
    for (key, value) in hash.iter() {
        let entry = Value::array([key.clone(), value.clone()]);
        let Some(result) = call.iterate(std::slice::from_ref(&entry))? else { break };
        if !visit(&entry, result) {
            break;
        }
    }
    Ok(())
}

/// `|$index, $element|`
fn indexed(call: &mut Call<'_>, visit: &mut dyn FnMut(&Value, Value) -> bool) -> Eval<()> {
    for (index, value) in (0..).zip(call.array(0)) {
        let Some(result) = call.iterate(&[Value::Integer(index), value.clone()])? else { break };
        if !visit(value, result) {
            break;
        }
    }
    Ok(())
}

/// `|$element|`
fn element(call: &mut Call<'_>, visit: &mut dyn FnMut(&Value, Value) -> bool) -> Eval<()> {
    for value in call.array(0) {
        let Some(result) = call.iterate(std::slice::from_ref(value))? else { break };
        if !visit(value, result) {
            break;
        }
    }
    Ok(())
}
