//! Callbacks from Ruby code to the compilation.

use kukla_foreign::{Host, HostError, LogSource, SiteDefinition};
use kukla_pcore::{Hash, Value};

use crate::message::{request, rich, text};
use crate::pool::Pool;

/// Serves a callback of the Ruby process.
pub(crate) fn act(
    pool: &Pool,
    what: &str,
    parts: &[Value],
    host: &mut dyn Host,
) -> Result<Value, HostError> {
    let name = text(parts, 0);
    match what {
        "var" => match host.variable(&name)? {
            Some(value) => Ok(Value::array([value])),
            None => Ok(Value::array([])),
        },
        "setting" => match host.variable(&format!("settings::{name}")) {
            Ok(Some(value)) => Ok(Value::array([value])),
            _ => Ok(Value::array([])),
        },
        "vars" => Ok(pairs(host.variables())),
        "ivars" => Ok(instance_variables(parts, host)),
        "setvar" => {
            let value = rich(parts.get(1).cloned().unwrap_or_default(), host)?;
            host.set_variable(&name, value).map(|()| Value::Undef)
        }
        "call" => call(pool, &name, parts, host),
        "call_old" => {
            let args = list(parts.get(1), host)?;
            host.call_old_function(&name, args)
        }
        "kind" => Ok(host.resource_kind(&name).map_or(Value::Undef, Value::string)),
        "yield" => {
            let args = list(parts.first(), host)?;
            host.call_block(args)
        }
        "has_function" => Ok(Value::Boolean(host.has_function(&name))),
        "stack" => Ok(Value::array(host.stack().into_iter().map(|(file, line)| {
            Value::array([Value::string(file), Value::Integer(i64::from(line))])
        }))),
        "tags" => Ok(texts(host.tags())),
        "classes" => Ok(texts(host.classes())),
        "log" => {
            host.log(&name, &text(parts, 1));
            Ok(Value::Undef)
        }
        "log_from_scope" => {
            host.log_from(LogSource::Scope, &name, &text(parts, 1));
            Ok(Value::Undef)
        }
        "log_from" => {
            host.log_from(LogSource::Named(&text(parts, 2)), &name, &text(parts, 1));
            Ok(Value::Undef)
        }
        "find_file" => Ok(optional(host.find_file(&name, &text(parts, 1)))),
        "source" => Ok(optional(host.call_site().definition.as_ref().map(source))),
        "resource" => Ok(host.resource(&name, &text(parts, 1)).unwrap_or_default()),
        "own_resource" => Ok(host.own_resource().unwrap_or_default()),
        "resources" => Ok(Value::array(host.resources())),
        "defaults" => Ok(host.defaults(&name)),
        _ => Err(HostError::parse_error(format!("a Ruby worker can't ask for `{what}`"))),
    }
}

/// Serves `call_function`; a block of Ruby code is called in the process that waits.
fn call(pool: &Pool, name: &str, parts: &[Value], host: &mut dyn Host) -> Result<Value, HostError> {
    let args = list(parts.get(1), host)?;
    if !matches!(parts.get(2), Some(Value::Boolean(true))) {
        return host.call_function(name, args, None);
    }
    let mut block = |host: &mut dyn Host, args: Vec<Value>| {
        let result = pool.ask(&request("yield", [Value::array(args)]), host);
        let lost = |error: kukla_foreign::RubyError| HostError {
            class: error.class,
            message: error.message,
            id: error.host_id,
        };
        let parts = result.map_err(lost)?;
        rich(parts.first().cloned().unwrap_or_default(), host)
    };
    host.call_function(name, args, Some(&mut block))
}

/// Returns the variables of a list that are set.
fn instance_variables(parts: &[Value], host: &mut dyn Host) -> Value {
    let Some(Value::Array(names)) = parts.first() else { return Value::Undef };
    let names = names.iter().filter_map(Value::as_str);
    let found = names.filter_map(|name| Some((name.to_owned(), host.instance_variable(name)?)));
    pairs(found.collect())
}

fn pairs(pairs: Vec<(String, Value)>) -> Value {
    let mut hash = Hash::with_capacity(pairs.len());
    for (name, value) in pairs {
        hash.insert(Value::string(name), value);
    }
    Value::hash(hash)
}

fn texts(texts: Vec<String>) -> Value {
    Value::array(texts.into_iter().map(Value::string))
}

/// Returns a class or define as `Kukla::Source` reads it: Puppet's name of the kind, and its own.
fn source(definition: &SiteDefinition) -> String {
    let kind = if definition.is_class { "hostclass" } else { "definition" };
    format!("{kind} {}", definition.name)
}

fn optional(text: Option<String>) -> Value {
    text.map_or(Value::Undef, Value::string)
}

fn list(value: Option<&Value>, host: &mut dyn Host) -> Result<Vec<Value>, HostError> {
    match rich(value.cloned().unwrap_or_default(), host)? {
        Value::Array(items) => Ok(items.into_iter().collect()),
        _ => Ok(Vec::new()),
    }
}
