//! Functions that refuse invalid values. Most are deprecated, and Puppet's strict mode refuses those.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{RubyInteger as _, float, integer};

use super::legacy::deprecate;
use super::predicates::is;
use super::ruby_like::{class, flatten, is_match, regex};
use crate::fault::fault;

/// A deprecated function: its name, and the type to use instead.
macro_rules! old {
    ($name:literal, $type:literal) => {
        Function::typed(
            $name,
            &[Signature::new("Any *args", |call| {
                deprecate(call, $name, concat!(
                    "This method is deprecated, please use the stdlib validate_legacy function,\n                    with ",
                    $type,
                    ". There is further documentation for validate_legacy function in the README."
                ))?;
                run(call, $name)
            })],
        )
    };
}

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    old!("validate_absolute_path", "Stdlib::Compat::Absolute_Path"),
    old!("validate_array", "Stdlib::Compat::Array"),
    old!("validate_bool", "Stdlib::Compat::Bool"),
    old!("validate_hash", "Stdlib::Compat::Hash"),
    old!("validate_integer", "Stdlib::Compat::Integer"),
    old!("validate_ip_address", "Stdlib::Compat::Ip_Address"),
    old!("validate_ipv4_address", "Stdlib::Compat::Ipv4_Address"),
    old!("validate_ipv6_address", "Stdlib::Compat::Ipv6_address"),
    old!("validate_numeric", "Stdlib::Compat::Numeric"),
    old!("validate_re", "Pattern[]"),
    old!("validate_slength", "String[]"),
    old!("validate_string", "Stdlib::Compat::String"),
    Function::statement("validate_domain_name", -1, |call| run(call, "validate_domain_name")),
    Function::statement("validate_email_address", -1, |call| run(call, "validate_email_address")),
];

/// The result of a check: the message if a value is refused.
pub(super) type CheckResult = Result<(), String>;

fn run(call: &mut Call<'_>, name: &str) -> Eval<Value> {
    match validate(call, name, call.arguments())? {
        Ok(()) => Ok(Value::Undef),
        Err(message) => fault(message),
    }
}

/// Runs a check by its name. A fault differs from a refusal.
pub(super) fn validate(call: &mut Call<'_>, name: &str, arguments: &[Value]) -> Eval<CheckResult> {
    match name {
        "validate_integer" => return Ok(numbers(arguments, &INTEGER)),
        "validate_numeric" => return Ok(numbers(arguments, &NUMERIC)),
        "validate_re" => return validate_re(call, arguments),
        "validate_slength" => return Ok(validate_slength(arguments)),
        _ => (),
    }
    if !SINGLE_VALUE_CHECKS.contains(&name) {
        return fault(format!(
            "undefined method `function_{name}' for Scope(Class[main]):Puppet::Parser::Scope"
        ));
    }
    if arguments.is_empty() {
        return Ok(Err(format!("{name}(): wrong number of arguments (0; must be > 0)")));
    }
    for value in arguments {
        let verdict = validate_one(call, name, value)?;
        if verdict.is_err() {
            return Ok(verdict);
        }
    }
    Ok(Ok(()))
}

/// Checks of single values, called for each argument.
const SINGLE_VALUE_CHECKS: &[&str] = &[
    "validate_absolute_path",
    "validate_array",
    "validate_bool",
    "validate_domain_name",
    "validate_email_address",
    "validate_hash",
    "validate_ip_address",
    "validate_ipv4_address",
    "validate_ipv6_address",
    "validate_string",
];

fn validate_one(call: &mut Call<'_>, name: &str, value: &Value) -> Eval<CheckResult> {
    if name == "validate_absolute_path" {
        let paths = match value {
            Value::Array(paths) => paths.to_vec(),
            path => vec![path.clone()],
        };
        for path in paths {
            if !is(call, "is_absolute_path", &path)? {
                let inspected = ruby::resource_inspect(&path);
                return Ok(Err(format!("{inspected} is not an absolute path.")));
            }
        }
        return Ok(Ok(()));
    }
    let inspected = ruby::resource_inspect(value);
    let looks = format!("It looks to be a {}", class(value));
    let needs_text = matches!(
        name,
        "validate_domain_name"
            | "validate_email_address"
            | "validate_ip_address"
            | "validate_ipv4_address"
            | "validate_ipv6_address"
    );
    if needs_text && value.as_str().is_none() {
        return Ok(Err(format!("{inspected} is not a string.")));
    }
    let predicate = name.replacen("validate", "is", 1);
    let (is_valid, what) = match name {
        "validate_string" => {
            (matches!(value, Value::String(_) | Value::Undef), format!("is not a string.  {looks}"))
        }
        "validate_array" => (is(call, &predicate, value)?, format!("is not an Array.  {looks}")),
        "validate_bool" => (is(call, &predicate, value)?, format!("is not a boolean.  {looks}")),
        "validate_hash" => (is(call, &predicate, value)?, format!("is not a Hash.  {looks}")),
        "validate_domain_name" => {
            (is(call, &predicate, value)?, "is not a syntactically correct domain name".to_owned())
        }
        "validate_email_address" => {
            (is(call, &predicate, value)?, "is not a valid email address".to_owned())
        }
        "validate_ipv4_address" => {
            (is(call, &predicate, value)?, "is not a valid IPv4 address.".to_owned())
        }
        "validate_ipv6_address" => {
            (is(call, &predicate, value)?, "is not a valid IPv6 address.".to_owned())
        }
        _ => (is(call, &predicate, value)?, "is not a valid IP address.".to_owned()),
    };
    Ok(if is_valid { Ok(()) } else { Err(format!("{inspected} {what}")) })
}

fn validate_re(call: &mut Call<'_>, arguments: &[Value]) -> Eval<CheckResult> {
    let (input, patterns, message) = match arguments {
        [input, patterns] => (input, patterns, None),
        [input, patterns, message] => (input, patterns, Some(message)),
        _ => {
            let n = arguments.len();
            return Ok(Err(format!(
                "validate_re(): wrong number of arguments ({n}; must be 2 or 3)"
            )));
        }
    };
    let Value::String(text) = input else {
        return Ok(Err(format!(
            "validate_re(): input needs to be a String, not a {}",
            class(input)
        )));
    };
    for pattern in flatten(std::slice::from_ref(patterns)) {
        let regex = regex(call, &pattern)?;
        if is_match(&regex, text)? {
            return Ok(Ok(()));
        }
    }
    let shown = || {
        let (input, patterns) = (ruby::resource_inspect(input), ruby::resource_inspect(patterns));
        format!("validate_re(): {input} does not match {patterns}")
    };
    Ok(Err(message.filter(|message| message.is_truthy()).map_or_else(shown, ruby::resource_to_s)))
}

fn validate_slength(arguments: &[Value]) -> CheckResult {
    let (input, max, min) = match arguments {
        [input, max] => (input, max, None),
        [input, max, min] => (input, max, Some(min).filter(|min| min.is_truthy())),
        _ => {
            let n = arguments.len();
            return Err(format!(
                "validate_slength(): Wrong number of arguments ({n}; must be 2 or 3)"
            ));
        }
    };
    let shown = |value: &Value| format!("{}:{}", ruby::resource_to_s(value), class(value));
    let longest = super::ruby_like::integer(max).filter(|max| *max > 0).ok_or_else(|| {
        let shown = shown(max);
        format!(
            "validate_slength(): Expected second argument to be a positive Numeric, got {shown}"
        )
    })?;
    let shortest = match min {
        None => 0,
        Some(min) => super::ruby_like::integer(min).filter(|min| *min >= 0).ok_or_else(|| {
            let shown = shown(min);
            format!("validate_slength(): Expected third argument to be unset or a positive Numeric, got {shown}")
        })?,
    };
    if longest < shortest {
        return Err("validate_slength(): Expected second argument to be equal to or larger than third argument".to_owned());
    }
    let check = |text: &str| {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if (shortest..=longest).contains(&length) {
            return Ok(());
        }
        let length = match input {
            Value::Array(texts) => texts.len(),
            _ => text.chars().count(),
        };
        Err(format!(
            "validate_slength(): Expected length of {} to be between {shortest} and {longest}, was {length}",
            ruby::resource_inspect(input)
        ))
    };
    match input {
        Value::String(text) => check(text),
        Value::Array(values) => values.iter().enumerate().try_for_each(|(n, value)| match value {
            Value::String(text) => check(text),
            other => Err(format!(
                "validate_slength(): Expected element at array position {n} to be a String, got {}",
                class(other)
            )),
        }),
        other => Err(format!(
            "validate_slength(): Expected first argument to be a String or Array, got {}",
            class(other)
        )),
    }
}

/// The differences of `validate_integer` and `validate_numeric`.
struct NumberCheck {
    name: &'static str,
    kind: &'static str,
    /// The name in the message about hashes, where stdlib has the wrong one.
    name_for_hashes: &'static str,
    parse: fn(&str) -> Option<f64>,
    show: fn(f64) -> String,
}

const INTEGER: NumberCheck = NumberCheck {
    name: "validate_integer",
    kind: "an Integer",
    name_for_hashes: "validate_integer",
    parse: |text| Some(integer::parse(text, 0).ok()?.to_f64()),
    show: |number| format!("{number:.0}"),
};

const NUMERIC: NumberCheck = NumberCheck {
    name: "validate_numeric",
    kind: "a Numeric",
    name_for_hashes: "validate_integer",
    parse: |text| float::parse(text).ok(),
    show: float::to_s,
};

fn numbers(arguments: &[Value], kind: &NumberCheck) -> CheckResult {
    let NumberCheck { name, kind: what, name_for_hashes, parse, show } = kind;
    let (input, bounds) = match arguments {
        [input, bounds @ ..] if bounds.len() < 3 => (input, bounds),
        _ => {
            let n = arguments.len();
            return Err(format!("{name}(): Wrong number of arguments; must be 1, 2 or 3, got {n}"));
        }
    };
    let max = bound(bounds.first(), bounds.len() > 1, *parse).map_err(|shown| {
        format!("{name}(): Expected second argument to be unset or {what}, got {shown}:String")
    })?;
    let min = bound(bounds.get(1), false, *parse).map_err(|_| {
        let min = bounds.get(1).unwrap_or(&Value::Undef);
        let shown = ruby::resource_to_s(min);
        format!(
            "{name}(): Expected third argument to be unset or {what}, got {shown}:{}",
            class(min)
        )
    })?;
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(format!(
            "{name}(): Expected second argument to be larger than third argument, got {} < {}",
            show(max),
            show(min)
        ));
    }
    // A parsed number replaces its text in messages, unless it came in an array.
    let check = |number: f64, shown: &str| match (min, max) {
        (_, Some(max)) if number > max => Err(format!(
            "{name}(): Expected {shown} to be smaller or equal to {}, got {shown}.",
            show(max)
        )),
        (Some(min), _) if number < min => Err(format!(
            "{name}(): Expected {shown} to be greater or equal to {}, got {shown}.",
            show(min)
        )),
        _ => Ok(()),
    };
    match input {
        Value::Array(values) => {
            let shown = ruby::resource_inspect(input);
            values.iter().enumerate().try_for_each(|(n, value)| {
                match (value, parse(&ruby::resource_to_s(value))) {
                    (Value::Hash(_), _) | (_, None) => Err(format!(
                        "{name}(): Expected element at array position {n} to be {what}, got {}",
                        class(value)
                    )),
                    (_, Some(number)) => check(number, &shown),
                }
            })
        }
        Value::Hash(_) => Err(format!(
            "{name_for_hashes}(): Expected first argument to be {what} or Array, got Hash"
        )),
        other => match parse(&ruby::resource_to_s(other)) {
            Some(number) => check(number, &show(number)),
            None => Err(format!(
                "{name}(): Expected first argument to be {what} or Array, got {}",
                class(other)
            )),
        },
    }
}

/// Parses a limit; `''` is none where it is optional. An error is the text that is no number.
fn bound(
    value: Option<&Value>,
    may_be_empty: bool,
    parse: fn(&str) -> Option<f64>,
) -> Result<Option<f64>, String> {
    let Some(value) = value else { return Ok(None) };
    let text = ruby::resource_to_s(value);
    if may_be_empty && text.is_empty() {
        return Ok(None);
    }
    parse(&text).map(Some).ok_or(text)
}
