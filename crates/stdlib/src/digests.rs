//! Digests, and random numbers derived from them.

use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::{Type, Value, ruby};
use kukla_rubytext::digest::{md5, sha1, sha224, sha256, sha384, sha512};
use kukla_rubytext::{RubyInteger, float, integer, random::Random};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::untyped("md5", 1, |call| hexadecimal(call, md5)),
    Function::untyped("sha1", 1, |call| hexadecimal(call, sha1)),
    Function::untyped("sha256", 1, |call| hexadecimal(call, sha256)),
    Function::untyped("digest", 1, |call| hexadecimal(call, configured(call))),
    Function::untyped("fqdn_rand", -2, fqdn_rand),
];

/// Returns the digest that the setting `digest_algorithm` names.
fn configured(call: &Call<'_>) -> fn(&[u8]) -> String {
    match call.variable("settings::digest_algorithm").as_ref().and_then(Value::as_str) {
        Some("md5") => md5,
        Some("sha224") => sha224,
        Some("sha384") => sha384,
        Some("sha512") => sha512,
        _ => sha256,
    }
}

fn hexadecimal(call: &Call<'_>, digest: fn(&[u8]) -> String) -> Eval<Value> {
    match call.value(0) {
        Value::String(text) => Ok(Value::from(digest(text.as_bytes()))),
        other => fault(ruby::no_implicit_conversion(other)),
    }
}

/// Returns a number that depends only on the node's name, the limit and the seed.
fn fqdn_rand(call: &mut Call<'_>) -> Eval<Value> {
    let max = to_i(call.value(0))?;
    let fqdn = fqdn(call)?;
    let fqdn = match (call.arguments().get(2).is_some_and(Value::is_truthy), fqdn) {
        (true, Value::String(name)) => Value::from(kukla_rubytext::case::downcase(&name)),
        (true, other) => return fault(ruby::no_method("downcase", &other)),
        (false, name) => name,
    };
    let seed = call.arguments().get(1).cloned().unwrap_or_default();
    let text = ruby::join(&[fqdn, Value::Integer(max), seed], ":");
    let mut random = Random::from_hex(&md5(text.as_bytes()));
    match random.below(max) {
        Ok(number) => Ok(Value::Integer(number)),
        Err(error) => fault(error.message),
    }
}

/// Returns `$facts['networking']['fqdn']`.
pub(crate) fn fqdn(call: &Call<'_>) -> Eval<Value> {
    let mut value = call.variable("facts").unwrap_or_default();
    for key in ["networking", "fqdn"] {
        value = match &value {
            Value::Hash(hash) => hash.get_str(key).cloned().unwrap_or_default(),
            Value::Undef if key == "networking" => {
                return fault(ruby::no_method("dig", &Value::Undef));
            }
            Value::Undef => Value::Undef,
            other => {
                return fault(format!("{} does not have #dig method", ruby::class_name(other)));
            }
        };
    }
    Ok(value)
}

/// Converts as Ruby's `to_i` does.
pub(crate) fn to_i(value: &Value) -> Eval<i64> {
    let number = match value {
        Value::Integer(value) => return Ok(*value),
        Value::Float(value) => float::truncate(*value),
        Value::String(text) => integer::to_i(text, 10),
        other => return fault(format!("{}{}", ruby::no_method("to_i", other), hint(other))),
    };
    match number.as_ref().map(RubyInteger::to_i64) {
        Ok(Some(number)) => Ok(number),
        Ok(None) => fault("the number does not fit in an Integer"),
        Err(error) => fault(error.message.clone()),
    }
}

/// Returns the methods that Ruby suggests when there is no `to_i`.
fn hint(value: &Value) -> &'static str {
    match value {
        Value::Array(_) | Value::Hash(_) => {
            "\nDid you mean?  to_s\n               to_a\n               to_h"
        }
        Value::Type(type_) if matches!(**type_, Type::Resource(_) | Type::Class(Some(_))) => {
            "\nDid you mean?  to_a\n               to_h\n               to_s"
        }
        _ => "\nDid you mean?  to_s",
    }
}
