//! `deprecation` and `validate_legacy`.

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function, Place, Signature, Strict};
use kukla_pcore::types::mismatch::{self, describe_mismatch, describe_signatures};
use kukla_pcore::types::{self, CallableType};
use kukla_pcore::{Type, Value};

use super::validation::validate;
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "deprecation",
        &[Signature::new("String key, String message", |call| {
            deprecate(call, call.string(0), call.string(1))?;
            Ok(Value::Undef)
        })],
    ),
    // The parameters are checked below: messages count one more, which Puppet adds itself.
    Function::typed("validate_legacy", &[Signature::new("Any *args", validate_legacy)]),
];

/// Formats a message with the place of the call and of the call around it, as stdlib does.
pub(super) fn with_place(call: &Call<'_>, message: &str) -> String {
    let shown = |place: &Place| format!("[\"{}\", {}]", place.file, place.line);
    let (here, outer) = (shown(&call.frame()), call.outer_place());
    format!("{message} at {here}:{}", outer.as_ref().map(shown).unwrap_or_default())
}

/// Reports a deprecation: an error where Puppet is strict.
pub(super) fn deprecate(call: &mut Call<'_>, key: &str, message: &str) -> Eval<()> {
    let message = with_place(call, message);
    match call.strict() {
        Strict::Off => Ok(()),
        Strict::Warning => {
            call.warn_once(key, &message);
            Ok(())
        }
        Strict::Error => fault(format!("deprecation. {key}. {message}")),
    }
}

fn validate_legacy(call: &mut Call<'_>) -> Eval<Value> {
    let (type_, name, value, rest) = match call.arguments() {
        [Value::Type(type_), Value::String(name), value, rest @ ..] => {
            ((**type_).clone(), name, value, rest)
        }
        [Value::String(text), Value::String(name), value, rest @ ..] => {
            (call.parse_type(text)?, name, value, rest)
        }
        _ => return misfit(call),
    };
    let mut arguments = vec![value.clone()];
    arguments.extend(rest.iter().cloned());
    if type_.is_instance(value) {
        if validate(call, name, &arguments)?.is_err() {
            let message = format!("Accepting previously invalid value for target type '{type_}'");
            call.say(Level::Notice, message);
        }
        return Ok(Value::Undef);
    }
    let subject = format!("validate_legacy({name})");
    let message = describe_mismatch(&subject, &type_, &types::infer_set(value));
    match validate(call, name, &arguments)? {
        Ok(()) => deprecate(call, "validate_legacy", &message).map(|()| Value::Undef),
        Err(_) => fault(message),
    }
}

/// Fails with Puppet's message for arguments that match no signature.
pub(super) fn misfit(call: &Call<'_>) -> Eval<Value> {
    let mut callables: Vec<CallableType> = Vec::new();
    for first in ["Type", "String"] {
        let text = format!("Callable[Any, {first}, String, Any, Any, 4, default]");
        if let Type::Callable(callable) = call.parse_type(&text)? {
            callables.push((*callable).clone());
        }
    }
    let names = [
        ["scope", "target_type", "function_name", "value", "args"],
        ["scope", "type_string", "function_name", "value", "args"],
    ];
    let signatures: Vec<mismatch::Signature<'_>> = callables
        .iter()
        .zip(&names)
        .map(|(type_, names)| mismatch::Signature { type_, names, block_name: "block" })
        .collect();
    let mut given = vec![Type::Any];
    given.extend(call.arguments().iter().map(types::infer_set));
    fault(describe_signatures(call.name(), &signatures, &given).unwrap_or_default())
}
