//! Functions that read files.

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::{Value, data, ruby};
use kukla_rubytext::{Data, RubyError, json};

use super::encodings::parse_yaml;
use super::ruby_like::{raised, refuse, wrong_number_plain};
use crate::fault::fault;
use crate::files::read_text;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("loadjson", -2, |call| load(call, json::parse)),
    Function::untyped("loadyaml", -2, |call| load(call, parse_yaml)),
    Function::untyped("get_module_path", -1, get_module_path),
    Function::untyped("load_module_metadata", -1, load_module_metadata),
    Function::untyped("time", -1, |call| match call.arguments().len() {
        0 | 1 => match call.value(0) {
            Value::Array(list) if !list.is_empty() => {
                fault(ruby::no_conversion(call.value(0), "String"))
            }
            Value::Hash(hash) if !hash.is_empty() => {
                fault(ruby::no_conversion(call.value(0), "String"))
            }
            Value::Boolean(true) | Value::Integer(_) | Value::Float(_) => {
                fault(ruby::no_method("empty?", call.value(0)))
            }
            _ => seconds(call),
        },
        _ => wrong_number_plain(call, "0 or 1"),
    }),
];

pub(super) fn seconds(call: &Call<'_>) -> Eval<Value> {
    let seconds = call.inputs().now().div_euclid(1_000_000_000);
    Ok(Value::Integer(i64::try_from(seconds).unwrap_or(i64::MAX)))
}

/// Returns the parsed content of a file, or the default.
pub(super) fn load(call: &mut Call<'_>, parse: fn(&str) -> Result<Data, RubyError>) -> Eval<Value> {
    let default = call.arguments().get(1).cloned().unwrap_or_default();
    let result = load_file(call, parse);
    match result {
        Ok(value) if value.is_truthy() => Ok(value),
        Ok(_) => Ok(default),
        Err(_) if default.is_truthy() => Ok(default),
        Err(stop) => Err(stop),
    }
}

fn load_file(call: &mut Call<'_>, parse: fn(&str) -> Result<Data, RubyError>) -> Eval<Value> {
    let Value::String(path) = call.value(0) else {
        return fault(ruby::no_method("start_with?", call.value(0)));
    };
    if path.starts_with("http://") || path.starts_with("https://") {
        return refuse(call, "reading from other machines is not there yet");
    }
    if !call.inputs().exists(path) {
        call.say(Level::Warning, format!("Can't load '{path}' File does not exist!"));
        return Ok(Value::Undef);
    }
    let text = read_text(call, path)?;
    parse(&text).and_then(data::value).map_err(raised)
}

fn get_module_path(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [name] => module_path(call, name).map(Value::from),
        _ => refuse(call, "Wrong number of arguments, expects one"),
    }
}

fn module_path(call: &Call<'_>, name: &Value) -> Eval<String> {
    let name = ruby::resource_to_s(name);
    match call.inputs().module_directory(&name) {
        Some(path) => Ok(path),
        None => {
            let environment = call.variable("environment").unwrap_or_default();
            let environment = ruby::to_s(&environment);
            fault(format!("Could not find module {name} in environment {environment}"))
        }
    }
}

fn load_module_metadata(call: &mut Call<'_>) -> Eval<Value> {
    let (name, may_be_absent) = match call.arguments() {
        [name] => (name, false),
        [name, may_be_absent] => (name, may_be_absent.is_truthy()),
        _ => return refuse(call, "Wrong number of arguments, expects one or two"),
    };
    let path = format!("{}/metadata.json", module_path(call, name)?);
    match (call.inputs().exists(&path), may_be_absent) {
        (true, _) => {
            let text = read_text(call, &path)?;
            json::parse(&text).and_then(data::value).map_err(raised)
        }
        (false, true) => Ok(Value::hash(kukla_pcore::Hash::new())),
        (false, false) => {
            let name = ruby::resource_to_s(name);
            refuse(call, &format!("No metadata.json file for module {name}"))
        }
    }
}
