//! Checks of stdlib 9 that consist of their signatures, with types of the module itself.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::Value;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "stdlib::validate_domain_name",
        &[Signature::new("Variant[Stdlib::Fqdn, Stdlib::Dns::Zone] *values", at_least_one)],
    ),
    Function::typed(
        "stdlib::validate_email_address",
        &[Signature::new("Stdlib::Email *values", at_least_one)],
    ),
    Function::typed(
        "stdlib::has_ip_address",
        &[Signature::returning(
            "Stdlib::IP::Address::V4::Nosubnet ip_address",
            "Boolean",
            |call| has_interface_with(call, "ipaddress"),
        )],
    ),
    Function::typed(
        "stdlib::has_ip_network",
        &[Signature::returning(
            "Stdlib::IP::Address::V4::Nosubnet ip_network",
            "Boolean",
            |call| has_interface_with(call, "network"),
        )],
    ),
];

fn at_least_one(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [] => crate::fault::wrong_arguments(format!(
            "{}(): Wrong number of arguments need at least one",
            call.name()
        )),
        _ => Ok(Value::Undef),
    }
}

fn has_interface_with(call: &mut Call<'_>, kind: &str) -> Eval<Value> {
    let arguments = [Value::from(kind), call.value(0).clone()];
    call.call_function("stdlib::has_interface_with", &arguments)
}
