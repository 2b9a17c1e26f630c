//! Functions that stdlib writes in the Puppet language.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::Value;

/// The functions of this file.
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
            "Variant[String, Sensitive[String], Deferred]",
            deferrable_epp,
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

/// A template that is rendered now, or by the agent if a value of it is not known before.
fn deferrable_epp(call: &mut Call<'_>) -> Eval<Value> {
    let deferred = call.parse_type("Deferred")?;
    if !contains(call.value(1), &|value| deferred.is_instance(value)) {
        return call.call_function("epp", call.arguments());
    }
    let path = call.call_function("find_template", &[call.value(0).clone()])?;
    let content = call.call_function("file", &[path])?;
    let arguments = Value::array([content, call.value(1).clone()]);
    call.instance(&deferred, &[Value::from("inline_epp"), arguments])
}

fn contains(value: &Value, is_it: &dyn Fn(&Value) -> bool) -> bool {
    match value {
        Value::Hash(hash) => hash.values().any(|value| contains(value, is_it)),
        other => is_it(other),
    }
}
