//! `break`, `next`, `return`, and calls of blocks and functions.

use kukla_compiler::{Call, Eval, Function, Signature, Stop, issues};
use kukla_pcore::value::{Object, Rare};
use kukla_pcore::{Hash, Value};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed("break", &[Signature::new("", |call| Err(call.break_()))]),
    Function::typed("next", &[Signature::new("Any value?", next)]),
    Function::typed("return", &[Signature::new("Any value?", return_)]),
    Function::typed("with", &[Signature::new("Any *arg, Callable &block", with)]),
    Function::typed("then", &[Signature::new("Any arg, Callable[1, 1] &block", then)]),
    Function::typed("lest", &[Signature::new("Any arg, Callable[0, 0] &block", lest)]),
    Function::typed(
        "unwrap",
        &[
            Signature::new("Sensitive arg, Callable &block?", unwrap),
            Signature::new("Any arg, Callable &block?", unwrap),
        ],
    ),
    Function::typed(
        "call",
        &[
            Signature::new("String function_name, Any *arguments, Callable &block?", call_named),
            Signature::new("Deferred deferred", call_deferred),
        ],
    ),
    Function::untyped("import", -1, |call| call.fault_here(issues::function_failed(DISCONTINUED))),
];

const DISCONTINUED: &str = "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation";

fn next(call: &mut Call<'_>) -> Eval<Value> {
    Err(call.next(call.value(0).clone()))
}

fn return_(call: &mut Call<'_>) -> Eval<Value> {
    Err(call.return_(call.value(0).clone()))
}

fn with(call: &mut Call<'_>) -> Eval<Value> {
    call.call_block(call.arguments())
}

fn then(call: &mut Call<'_>) -> Eval<Value> {
    match call.value(0) {
        Value::Undef => Ok(Value::Undef),
        value => call.call_block(std::slice::from_ref(value)),
    }
}

fn lest(call: &mut Call<'_>) -> Eval<Value> {
    match call.value(0) {
        Value::Undef => call.call_block(&[]),
        value => Ok(value.clone()),
    }
}

fn unwrap(call: &mut Call<'_>) -> Eval<Value> {
    let value = match call.value(0) {
        Value::Sensitive(inner) => (**inner).clone(),
        other => other.clone(),
    };
    if call.has_block() { call.call_block(&[value]) } else { Ok(value) }
}

fn call_named(call: &mut Call<'_>) -> Eval<Value> {
    let qualified = call.string(0);
    if qualified.is_empty() {
        return fault(
            "undefined method `empty?' for nil:NilClass\n\n    if parts[0].empty?\n               ^^^^^^^",
        );
    }
    let name = qualified.trim_start_matches("::").to_lowercase();
    if !call.is_function(&name) {
        return fault(format!("Unknown function '{qualified}'"));
    }
    ended(call.call_function_with_block(&name, &call.arguments()[1..]))
}

/// The result of a function that `call` was given: `next` and `return` end it and nothing else.
fn ended(result: Eval<Value>) -> Eval<Value> {
    result.or_else(|stop| match *stop {
        Stop::Next(value, _) | Stop::Return(value, _) => Ok(value),
        other => Err(Box::new(other)),
    })
}

fn call_deferred(call: &mut Call<'_>) -> Eval<Value> {
    resolve(call, call.value(0))
}

/// Resolves all deferred values in a value.
fn resolve(call: &mut Call<'_>, value: &Value) -> Eval<Value> {
    match value {
        Value::Array(values) => {
            let resolved: Eval<Vec<Value>> = values.iter().map(|v| resolve(call, v)).collect();
            Ok(Value::array(resolved?))
        }
        Value::Hash(hash) => {
            let mut resolved = Hash::with_capacity(hash.len());
            for (key, value) in hash.iter() {
                resolved.insert(key.clone(), resolve(call, value)?);
            }
            Ok(Value::hash(resolved))
        }
        Value::Sensitive(inner) => Ok(Value::Sensitive(resolve(call, inner)?.into())),
        Value::Rare(rare) => match &**rare {
            Rare::Object(object) if object.type_.name.as_deref() == Some("Deferred") => {
                resolve_deferred(call, object)
            }
            _ => Ok(value.clone()),
        },
        _ => Ok(value.clone()),
    }
}

fn resolve_deferred(call: &mut Call<'_>, deferred: &Object) -> Eval<Value> {
    let name = deferred.get("name").and_then(Value::as_str).unwrap_or_default();
    let mut arguments = Vec::new();
    if let Some(Value::Array(values)) = deferred.get("arguments") {
        for value in values {
            arguments.push(resolve(call, value)?);
        }
    }
    match name.strip_prefix('$') {
        Some(variable) => {
            let Some(value) = call.top_variable(variable) else {
                return fault(format!("Undefined variable '{variable}'; "));
            };
            arguments.insert(0, value);
            call.call_function("dig", &arguments)
        }
        None if !call.is_function(name) => fault(format!("Unknown function '{name}'")),
        None => ended(call.call_function(name, &arguments)),
    }
}
