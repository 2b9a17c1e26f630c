//! Functions that stdlib writes in the Puppet language.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Type, Value};

use super::hashes::nested_values;

/// The functions of this file, as in stdlib 8.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "stdlib::ensure",
        &[Signature::returning(
            "Variant[Boolean, Enum['present', 'absent']] ensure, Enum['directory', 'link', 'mounted', 'service', 'file', 'package'] resource",
            "String",
            ensure,
        )],
    ),
    Function::typed(
        "stdlib::deferrable_epp",
        &[Signature::returning(
            "String template, Hash variables",
            "Variant[String, Deferred]",
            |call| {
                deferrable_epp(call, |call| match call.hash(1) {
                    Some(variables) => variables.values().cloned().collect(),
                    None => Vec::new(),
                })
            },
        )],
    ),
];

/// The functions of this file, as in stdlib 9.
pub(super) const NINE: &[Function] = &[
    Function::typed(
        "stdlib::ensure",
        &[Signature::returning(
            "Variant[Boolean, Enum['present', 'absent']] ensure, Optional[Enum['directory', 'link', 'mounted', 'service', 'file', 'package']] resource?",
            "String",
            ensure,
        )],
    ),
    Function::typed(
        "stdlib::deferrable_epp",
        &[Signature::returning(
            "String template, Hash variables",
            "Variant[String, Sensitive[String], Deferred]",
            |call| deferrable_epp(call, |call| call.hash(1).map(nested_values).unwrap_or_default()),
        )],
    ),
];

fn ensure(call: &mut Call<'_>) -> Eval<Value> {
    let is_present = match call.value(0) {
        Value::Boolean(value) => *value,
        other => other.as_str() == Some("present"),
    };
    Ok(Value::from(match (call.string(1), is_present) {
        ("package", true) => "installed",
        ("service", true) => "running",
        ("service", false) => "stopped",
        ("", true) => "present",
        (kind, true) => kind,
        (_, false) => "absent",
    }))
}

/// Renders a template now, or on the agent if a value is deferred.
fn deferrable_epp(call: &mut Call<'_>, values: fn(&Call<'_>) -> Vec<Value>) -> Eval<Value> {
    let deferred: Type = call.parse_type("Deferred")?;
    if !values(call).iter().any(|value| deferred.is_instance(value)) {
        return call.call_function("epp", call.arguments());
    }
    let path = call.call_function("find_template", &[call.value(0).clone()])?;
    let content = call.call_function("file", &[path])?;
    let arguments = Value::array([content, call.value(1).clone()]);
    call.instance(&deferred, &[Value::from("inline_epp"), arguments])
}
