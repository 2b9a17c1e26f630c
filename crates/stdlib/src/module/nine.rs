//! Functions of stdlib 8 that have moved in stdlib 9, and warn about it.

use kukla_base::{Edition, Editions};
use kukla_compiler::{Call, Eval, Function, Signature, Strict};
use kukla_pcore::types::{self, mismatch::describe_mismatch};
use kukla_pcore::{Type, Value};
use kukla_rubytext::yaml::{self, LoadOptions};
use kukla_rubytext::{Data, RubyError};

use super::legacy::{deprecate, misfit, with_place};
use crate::fault::fault;

/// A function that is now `stdlib::name`.
macro_rules! moved {
    ($name:literal) => {
        Function::typed(
            $name,
            &[Signature::new("Any *args", |call| {
                moved(call, $name);
                call.call_function(concat!("stdlib::", $name), call.arguments())
            })],
        )
    };
}

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    moved!("batch_escape"),
    moved!("ensure_packages"),
    moved!("fqdn_rand_string"),
    moved!("fqdn_rotate"),
    moved!("has_interface_with"),
    moved!("has_ip_address"),
    moved!("has_ip_network"),
    Function::typed(
        "merge",
        &[Signature::new("Any *args, Variant[Callable[2,2], Callable[3,3]] &block?", |call| {
            moved(call, "merge");
            call.call_function_with_block("stdlib::merge", call.arguments())
        })],
    ),
    moved!("os_version_gte"),
    moved!("parsehocon"),
    moved!("powershell_escape"),
    moved!("seeded_rand"),
    moved!("seeded_rand_string"),
    moved!("shell_escape"),
    moved!("to_json"),
    moved!("to_json_pretty"),
    moved!("to_python"),
    moved!("to_ruby"),
    moved!("to_toml"),
    moved!("to_yaml"),
    moved!("type_of"),
    moved!("validate_domain_name"),
    moved!("validate_email_address"),
    Function::typed(
        "deprecation",
        &[Signature::new("String key, String message, Boolean use_strict_setting?", |call| {
            let (key, message) = (call.string(0), call.string(1));
            match (call.value(2), call.strict()) {
                (Value::Boolean(false), _) | (_, Strict::Warning) => {
                    call.warn_once(key, &with_place(call, message));
                }
                _ => deprecate(call, key, message)?,
            }
            Ok(Value::Undef)
        })],
    ),
    // Where Puppet is strict, only the default is returned.
    Function::typed(
        "parsepson",
        &[Signature::new("String[1] pson_string, Any default?", |call| {
            let message = "This method is deprecated. From Puppet 8, PSON is no longer natively supported. Please use JSON.parse().";
            match (deprecate(call, "parsepson", message), call.arguments().get(1)) {
                (Ok(()), _) if is_before_eight() => super::encodings::parse_pson(call),
                (Ok(()), _) => Ok(Value::Undef),
                (Err(_), Some(default)) => Ok(default.clone()),
                (Err(stop), None) => Err(stop),
            }
        })],
    ),
    Function::untyped("loadyaml", -2, |call| super::files::load(call, yaml_with_aliases)),
    Function::untyped("uriescape", -1, |call| match is_before_eight() {
        true => super::strings::uri_escape(call),
        false => fault(NO_URI_ESCAPE),
    }),
    Function::untyped("pw_hash", 3, super::crypt::pw_hash_nine),
    Function::untyped("reject", -1, super::removal::grep_v),
    Function::typed(
        "time",
        &[Signature::new("Any *args", |call| call.call_function("stdlib::time", call.arguments()))],
    ),
    Function::typed(
        "stdlib::time",
        &[Signature::returning("Optional[String] _timezone?", "Integer", |call| {
            let message = "The stdlib `time` function is deprecated. Please direcly use native Puppet functionality instead. eg. `Integer(Timestamp().strftime(\'%s\'))`";
            let arguments = [Value::from("time"), Value::from(message), Value::Boolean(false)];
            call.call_function("deprecation", &arguments)?;
            super::files::seconds(call)
        })],
    ),
    // The parameters are checked below, as in stdlib 8.
    Function::typed("validate_legacy", &[Signature::new("Any *args", validate_legacy)]),
];

const NO_URI_ESCAPE: &str = "Puppet: This function is not available in Puppet 8. URI.escape no longer exists as of Ruby 3+.";

/// Whether Puppet has a version before 8: some functions ask for it.
fn is_before_eight() -> bool {
    Editions::current().puppet < Edition::Eight
}

fn yaml_with_aliases(text: &str) -> Result<Data, RubyError> {
    yaml::load(text, LoadOptions { aliases: true, ..LoadOptions::default() })
}

/// Warns about a moved function, even where Puppet is strict.
fn moved(call: &mut Call<'_>, name: &str) {
    let message = format!("This function is deprecated, please use stdlib::{name} instead.");
    call.warn_once(name, &with_place(call, &message));
}

fn validate_legacy(call: &mut Call<'_>) -> Eval<Value> {
    let (type_, value): (Type, &Value) = match call.arguments() {
        [Value::Type(type_), Value::String(_), value, ..] => ((**type_).clone(), value),
        [Value::String(text), Value::String(_), value, ..] => (call.parse_type(text)?, value),
        _ => return misfit(call),
    };
    deprecate(
        call,
        "validate_legacy",
        "This method is deprecated, please use Puppet data types to validate parameters",
    )?;
    if type_.is_instance(value) {
        return Ok(Value::Undef);
    }
    let subject = format!("validate_legacy({type_}, ...)");
    fault(describe_mismatch(&subject, &type_, &types::infer_set(value)))
}
