//! Functions that test the type of a value. Most are deprecated, and Puppet's strict mode refuses those.

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::regex::Options;
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{float, integer, ip::Address};

use super::legacy::deprecate;
use super::paths::is_absolute;
use super::ruby_like::{is_match, wrong_number, wrong_number_plain};

/// A deprecated predicate: its name, the name in its warning, and the type to use instead.
macro_rules! old {
    ($name:literal, $key:literal, $type:literal) => {
        Function::typed(
            $name,
            &[Signature::new("Any *args", |call| {
                deprecate(call, $key, concat!(
                    "This method is deprecated, please use match expressions with Stdlib::Compat::",
                    $type,
                    " instead. They are described at https://docs.puppet.com/puppet/latest/reference/lang_data_type.html#match-expressions."
                ))?;
                answer(call, $name, call.arguments())
            })],
        )
    };
}
/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    old!("is_absolute_path", "is_absolute_path", "Absolute_Path"),
    old!("is_array", "is_array", "Array"),
    old!("is_bool", "is_bool", "Bool"),
    old!("is_float", "is_float", "Float"),
    old!("is_ip_address", "is_ip_address", "Ip_address"),
    old!("is_ipv4_address", "is_ipv4_address", "Ipv4"),
    // The wrong name is stdlib's bug.
    old!("is_ipv6_address", "is_ipv4_address", "Ipv6"),
    old!("is_numeric", "is_numeric", "Numeric"),
    old!("is_string", "is_string", "String"),
    Function::untyped("is_integer", -1, |call| answer(call, "is_integer", call.arguments())),
    Function::untyped("is_hash", -1, |call| answer(call, "is_hash", call.arguments())),
    Function::untyped("is_domain_name", -1, |call| {
        answer(call, "is_domain_name", call.arguments())
    }),
    Function::untyped("is_email_address", -1, |call| {
        answer(call, "is_email_address", call.arguments())
    }),
    Function::untyped("is_mac_address", -1, |call| {
        answer(call, "is_mac_address", call.arguments())
    }),
];

fn answer(call: &mut Call<'_>, name: &str, arguments: &[Value]) -> Eval<Value> {
    match arguments {
        [value] => is(call, name, value).map(Value::Boolean),
        [value, ..] if matches!(name, "is_array" | "is_string") => {
            is(call, name, value).map(Value::Boolean)
        }
        _ if matches!(name, "is_array" | "is_bool" | "is_hash" | "is_string") => {
            wrong_number(call, "1")
        }
        _ if name == "is_absolute_path" => {
            crate::fault::fault("undefined method `[]' for nil:NilClass")
        }
        _ => wrong_number_plain(call, "1"),
    }
}

/// Returns the answer for one value.
pub(super) fn is(call: &mut Call<'_>, name: &str, value: &Value) -> Eval<bool> {
    Ok(match name {
        "is_absolute_path" => return is_absolute_path(call, value),
        "is_array" => matches!(value, Value::Array(_)),
        "is_bool" => matches!(value, Value::Boolean(_)),
        "is_hash" => matches!(value, Value::Hash(_)),
        "is_float" => is_float(value),
        "is_integer" => is_integer(value),
        "is_numeric" => return is_numeric(call, value),
        "is_string" => is_string(value),
        "is_ip_address" => address(value).is_some(),
        "is_ipv4_address" => address(value).is_some_and(|address| !address.is_v6()),
        "is_ipv6_address" => address(value).is_some_and(|address| address.is_v6()),
        "is_domain_name" => value.as_str().is_some_and(is_domain_name),
        "is_email_address" => {
            return matches(call, value, r"\A([\w+\-].?)+@[a-z\d\-]+(\.[a-z]+)*\.[a-z]+\z");
        }
        "is_mac_address" if !matches!(value, Value::String(_) | Value::Undef | Value::Default) => {
            return crate::fault::fault(ruby::no_implicit_conversion(value));
        }
        "is_mac_address" => {
            return matches(
                call,
                value,
                r"(?i)^[a-f0-9]{1,2}(?:(:[a-f0-9]{1,2}){5}|(:[a-f0-9]{1,2}){19})$",
            );
        }
        _ => false,
    })
}

fn matches(call: &mut Call<'_>, value: &Value, source: &str) -> Eval<bool> {
    let Value::String(text) = value else { return Ok(false) };
    let regex = call.regex(source, Options::default())?;
    is_match(&regex, text)
}

fn address(value: &Value) -> Option<Address> {
    Address::parse(value.as_str()?).ok()
}

fn is_absolute_path(call: &mut Call<'_>, value: &Value) -> Eval<bool> {
    if let Value::String(path) = value {
        return Ok(is_absolute(path));
    }
    let (text, class) = (ruby::resource_to_s(value), super::ruby_like::class(value));
    for _ in ["posix", "windows"] {
        call.say(Level::Warning, format!(
            "Cannot check if {text} is an absolute path because it is a '{class}' and not a String'"
        ));
    }
    Ok(false)
}

fn is_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::String(text) => float::to_s(float::to_f(text)) == text.as_str(),
        _ => false,
    }
}

/// Returns true for an integer or a string that looks like one.
pub(super) fn is_integer(value: &Value) -> bool {
    let is_whole = |line: &str| {
        let digits = line.strip_prefix('-').unwrap_or(line);
        let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_plain && (digits == "0" || !digits.starts_with('0'))
    };
    match value {
        Value::Integer(_) => true,
        Value::String(text) => text.split('\n').any(is_whole),
        _ => false,
    }
}

fn is_numeric(call: &mut Call<'_>, value: &Value) -> Eval<bool> {
    match value {
        Value::Integer(_) | Value::Float(_) => Ok(true),
        other => matches(call, other, r"^-?(?:(?:[1-9]\d*)|0)(?:\.\d+)?(?:[eE]-?\d+)?$"),
    }
}

/// Returns true for a string that is no number.
fn is_string(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !is_number_text(text))
}

/// Returns true for a text that Ruby prints for an integer or a float.
pub(super) fn is_number_text(text: &str) -> bool {
    let is_whole = integer::to_i(text, 10).is_ok_and(|number| number.to_string() == text);
    is_whole || float::to_s(float::to_f(text)) == text
}

fn is_domain_name(text: &str) -> bool {
    if text == "." {
        return true;
    }
    let domain = text.strip_suffix('.').unwrap_or(text);
    if domain.is_empty() || domain.chars().count() > 255 {
        return false;
    }
    let is_top = |line: &str| {
        line.rsplit_once('.').is_some_and(|(_, top)| {
            !top.is_empty() && top.bytes().all(|byte| byte.is_ascii_alphabetic())
        })
    };
    if domain.contains('.') && !domain.split('\n').any(is_top) {
        return false;
    }
    domain.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let is_word = |line: &str| {
        !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    (1..=63).contains(&label.chars().count())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.split('\n').any(is_word)
}
