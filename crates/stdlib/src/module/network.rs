//! Functions on IP addresses.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::ip::{self, Address};

use super::ruby_like::{array, class, flatten, raised, refuse, unique, wrong_number_plain};
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("enclose_ipv6", -1, enclose_ipv6),
    Function::typed(
        "stdlib::ip_in_range",
        &[Signature::returning(
            "String ipaddress, Variant[String, Array] range",
            "Boolean",
            ip_in_range,
        )],
    ),
];

fn enclose_ipv6(call: &mut Call<'_>) -> Eval<Value> {
    let [value] = call.arguments() else { return wrong_number_plain(call, "1") };
    if !matches!(value, Value::String(_) | Value::Array(_)) {
        let class = class(value);
        return refuse(
            call,
            &format!("Wrong argument type given {class} expected String or Array"),
        );
    }
    let mut enclosed = Vec::new();
    for value in flatten(std::slice::from_ref(value)) {
        match &value {
            Value::Undef => (),
            Value::String(text) if text == "*" => enclosed.push(value),
            other => match other.as_str().and_then(|text| ip::enclose(text).ok()) {
                Some(text) => enclosed.push(Value::from(text)),
                None => {
                    let text = ruby::resource_to_s(other);
                    let words = format!("Wrong argument given {text} is not an ip address.");
                    return refuse(call, &words);
                }
            },
        }
    }
    Ok(unique(enclosed))
}

fn ip_in_range(call: &mut Call<'_>) -> Eval<Value> {
    let address = Address::parse(call.string(0)).map_err(raised)?;
    let mut ranges = Vec::new();
    for range in array(call.value(1)) {
        match &range {
            Value::String(range) => ranges.push(Address::parse_range(range).map_err(raised)?),
            // The message of `IPAddr.new` for a value that is no string.
            _ => return fault("address family must be specified"),
        }
    }
    Ok(Value::Boolean(ranges.iter().any(|range| range.includes(&address))))
}
