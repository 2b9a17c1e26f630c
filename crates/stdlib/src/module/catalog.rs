//! Functions that need a catalog, and others that are not there yet: they fail.

use kukla_compiler::{Call, Eval, Function, Signature, fault};
use kukla_pcore::Value;

use crate::catalog::unavailable;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::statement("assert_private", -1, |call| unavailable(call)),
    Function::statement("private", -1, |call| unavailable(call)),
    Function::statement("ensure_resource", -1, |call| unavailable(call)),
    Function::statement("ensure_resources", -1, |call| unavailable(call)),
    Function::untyped("defined_with_params", -1, |call| unavailable(call)),
    Function::untyped("getparam", -1, |call| unavailable(call)),
    Function::statement("pry", -1, |_| {
        fault("pry(): Requires the 'pry' rubygem to use, but it was not found")
    }),
    Function::typed(
        "ensure_packages",
        &[Signature::returning(
            "Variant[String[1], Array[String[1]], Hash[String[1], Any]] packages, Hash default_attributes?",
            "Undef",
            |call| unavailable(call),
        )],
    ),
    Function::typed(
        "stdlib::ensure_packages",
        &[
            Signature::returning(
                "Variant[String[1], Array[String[1]]] packages, Hash default_attributes?",
                "Undef",
                |call| unavailable(call),
            ),
            Signature::returning(
                "Hash[String[1], Any] packages, Hash default_attributes?",
                "Undef",
                |call| unavailable(call),
            ),
        ],
    ),
    Function::typed(
        "stdlib::str2resource",
        &[Signature::returning("String res_string", "Any", |call| unavailable(call))],
    ),
];

/// Something that is not there yet.
pub(super) fn missing(call: &mut Call<'_>) -> Eval<Value> {
    fault(format!("{}() is not there yet", call.name()))
}
