//! Functions that query facts.

use std::cmp::Ordering;

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{case, versioncmp};

use super::ruby_like::{integer, wrong_number};
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed("fact", &[Signature::new("String fact_name", fact)]),
    Function::untyped("has_interface_with", -1, |call| has_interface_with(call, call.arguments())),
    Function::untyped("has_ip_address", -1, |call| has_address(call, "ipaddress")),
    Function::untyped("has_ip_network", -1, |call| has_address(call, "network")),
    Function::typed(
        "stdlib::has_interface_with",
        &[
            Signature::returning("String[1] interface", "Boolean", |call| {
                let interfaces = dig(call, &["networking", "interfaces"])?;
                let name = call.string(0);
                Ok(Value::Boolean(as_hash(&interfaces)?.get_str(name).is_some()))
            }),
            Signature::returning(
                "Enum['macaddress','netmask','ipaddress','network','ip','mac'] kind, String[1] value",
                "Boolean",
                has_structured,
            ),
        ],
    ),
    Function::typed(
        "os_version_gte",
        &[Signature::returning("String[1] os, String[1] version", "Boolean", |call| {
            let (name, release) =
                (dig(call, &["operatingsystem"])?, dig(call, &["operatingsystemmajrelease"])?);
            is_at_least(call, &name, &release)
        })],
    ),
    Function::typed(
        "stdlib::os_version_gte",
        &[Signature::returning("String[1] os, String[1] version", "Boolean", |call| {
            let name = dig(call, &["os", "name"])?;
            let release = match name.as_str() == Some(call.string(0)) {
                true => dig(call, &["os", "release", "major"])?,
                false => Value::Undef,
            };
            is_at_least(call, &name, &release)
        })],
    ),
];

fn is_at_least(call: &Call<'_>, name: &Value, release: &Value) -> Eval<Value> {
    if name.as_str() != Some(call.string(0)) {
        return Ok(Value::Boolean(false));
    }
    let Value::String(release) = release else { return fault(ruby::no_method("scan", release)) };
    let order = versioncmp::versioncmp(release, call.string(1), false);
    Ok(Value::Boolean(order != Ordering::Less))
}

/// Returns `$facts[a][b]`, as Ruby's `dig` does.
pub(super) fn dig(call: &Call<'_>, path: &[&str]) -> Eval<Value> {
    let mut value = call.variable("facts").unwrap_or_default();
    for key in path {
        value = as_hash(&value)?.get_str(key).cloned().unwrap_or_default();
    }
    Ok(value)
}

fn as_hash(value: &Value) -> Eval<&kukla_pcore::Hash> {
    match value {
        Value::Hash(hash) => Ok(hash),
        other => fault(ruby::no_method("[]", other)),
    }
}

/// Implements `fact('os.name')`, `fact('a."b.c".0')`.
fn fact(call: &mut Call<'_>) -> Eval<Value> {
    let name = call.string(0);
    let mut value = call.variable("facts").unwrap_or_default();
    let mut walked: Vec<String> = Vec::new();
    for key in path(name) {
        let complaint = match &value {
            Value::Undef => return Ok(Value::Undef),
            Value::Hash(hash) => {
                value = hash.get_str(&key).cloned().unwrap_or_default();
                None
            }
            Value::Array(values) => match integer(&Value::from(key.as_str())) {
                Some(index) => {
                    value = at(values, index);
                    None
                }
                None => Some(format!("is an array; cannot index to '{key}'")),
            },
            _ => Some(format!("is not a collection; cannot walk to '{key}'")),
        };
        if let Some(complaint) = complaint {
            let before = dotted(&walked);
            call.say(
                Level::Warning,
                format!("fact request for {name} returning nil: '{before}' {complaint}"),
            );
            value = Value::Undef;
        }
        walked.push(key);
    }
    Ok(value)
}

fn at(values: &[Value], index: i64) -> Value {
    let size = i64::try_from(values.len()).unwrap_or(i64::MAX);
    let index = if index < 0 { index.saturating_add(size) } else { index };
    usize::try_from(index).ok().and_then(|index| values.get(index)).cloned().unwrap_or_default()
}

/// Splits a path at dots; quoted keys may contain dots.
fn path(name: &str) -> Vec<String> {
    let (mut keys, mut rest) = (Vec::new(), name);
    while let Some(first) = rest.chars().next() {
        match first {
            '"' => match rest[1..].split_once('"').filter(|(quoted, _)| !quoted.is_empty()) {
                Some((quoted, after)) => {
                    keys.push(quoted.to_owned());
                    rest = after;
                }
                None => rest = &rest[1..],
            },
            '.' => rest = &rest[1..],
            _ => {
                let end = rest.find(['.', '"']).unwrap_or(rest.len());
                keys.push(rest[..end].to_owned());
                rest = &rest[end..];
            }
        }
    }
    keys
}

fn dotted(path: &[String]) -> String {
    let quoted = path.iter().map(|key| match key.contains('.') {
        true => format!("\"{key}\""),
        false => key.clone(),
    });
    quoted.collect::<Vec<_>>().join(".")
}

fn has_address(call: &mut Call<'_>, kind: &str) -> Eval<Value> {
    match call.arguments() {
        [address] => has_interface_with(call, &[Value::from(kind), address.clone()]),
        _ => wrong_number(call, "1"),
    }
}

/// Queries the legacy facts: `$interfaces`, `$ipaddress_eth0`.
fn has_interface_with(call: &Call<'_>, arguments: &[Value]) -> Eval<Value> {
    if arguments.is_empty() || arguments.len() > 2 {
        let n = arguments.len();
        return crate::fault::wrong_arguments(format!(
            "has_interface_with(): Wrong number of arguments given ({n} for 1 or 2)"
        ));
    }
    let Some(interfaces) = call.variable("interfaces") else {
        return fault("Undefined variable 'interfaces'; ");
    };
    let interfaces = match &interfaces {
        Value::Undef => return Ok(Value::Boolean(false)),
        Value::String(names) => names.clone(),
        other => return fault(ruby::no_method("split", other)),
    };
    let mut names = interfaces.split(',').filter(|name| !name.is_empty());
    let [kind, value] = arguments else {
        let interface = arguments.first().and_then(Value::as_str);
        return Ok(Value::Boolean(names.any(|name| Some(name) == interface)));
    };
    let kind = ruby::resource_to_s(kind);
    let is_value = |name: &str| call.variable(name).unwrap_or_default() == *value;
    let has_value =
        is_value(&kind) || names.any(|name| is_value(&format!("{kind}_{}", case::downcase(name))));
    Ok(Value::Boolean(has_value))
}

/// Queries `$facts['networking']`.
fn has_structured(call: &mut Call<'_>) -> Eval<Value> {
    let interfaces = dig(call, &["networking", "interfaces"])?;
    let kind = match call.string(0) {
        "ipaddress" => "ip",
        "macaddress" => "mac",
        other => other,
    };
    for interface in as_hash(&interfaces)?.values() {
        if as_hash(interface)?.get_str(kind).and_then(Value::as_str) == Some(call.string(1)) {
            return Ok(Value::Boolean(true));
        }
    }
    Ok(Value::Boolean(false))
}
