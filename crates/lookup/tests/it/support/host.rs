//! A host with variables, and the functions that the cases define in the Puppet language.

use std::rc::Rc;

use ecow::EcoString;
use kukla_lookup::{
    Context, Fault, Function, Host, LogLevel, Query, Search, Session, Variable, not_found,
};
use kukla_pcore::convert::{Convert, ConvertError, Present, new_instance};
use kukla_pcore::time::Timestamp;
use kukla_pcore::types::{self, NoNames};
use kukla_pcore::{Hash, Type, Value};
use serde_json::Value as Json;

use super::value;

pub(crate) struct TestHost {
    variables: Value,
    pub(crate) logs: Vec<(String, String)>,
}

impl TestHost {
    pub(crate) fn new(variables: Value) -> Self {
        Self { variables, logs: Vec::new() }
    }
}

impl Host for TestHost {
    fn variable(&mut self, name: &str) -> Variable {
        let Value::Hash(variables) = &self.variables else { return Variable::Unknown(None) };
        let top = name.strip_prefix("::").unwrap_or(name);
        match (variables.get_str(top), top.rsplit_once("::")) {
            (Some(value), _) => Variable::Value(value.clone()),
            (None, Some(("settings", "strict"))) => Variable::Value(Value::from("error")),
            (None, Some((class, _))) => {
                Variable::Unknown(Some(format!("class {class} could not be found")))
            }
            (None, None) => Variable::Unknown(None),
        }
    }

    fn function(&mut self, name: &str) -> Result<Option<Function>, Fault> {
        let returned = match name.strip_prefix("probe::") {
            Some("typed") => Some("Hash[String, Data]"),
            Some("wrong") => Some("Integer"),
            Some("hash" | "number" | "key" | "dig" | "uri") => None,
            _ => return Ok(None),
        };
        let returned = returned.map(|text| types::parse(text, &NoNames).expect("a type"));
        Ok(Some(Function { returns: vec![returned] }))
    }

    /// Implements the functions of `tests/oracle/lookup/backends.rb` and `locations.rb`.
    fn call(&mut self, name: &str, arguments: Vec<Value>, context: &Context) -> Search<Value> {
        let hash = |entries: &[(&str, Value)]| {
            Value::from(entries.iter().map(|(k, v)| (Value::from(*k), v.clone())).collect::<Hash>())
        };
        let one = || Value::array([Value::from(1)]);
        match (name, &arguments[..]) {
            ("probe::uri", [options]) => Ok(hash(&[("a", options.clone())])),
            ("probe::hash", [options]) => Ok(hash(&[
                ("a", "x".into()),
                ("options", options.clone()),
                ("i", "%{role}".into()),
                ("h", hash(&[("b", one())])),
                ("d", Value::Default),
                ("t", types::parse("Integer[1]", &NoNames).expect("a type").into()),
                ("l", Value::array([Value::from(1), Value::from(2)])),
            ])),
            ("probe::typed", _) => Ok(hash(&[("a", "typed".into()), ("i", "%{role}".into())])),
            ("probe::number", _) => Ok(Value::from(1)),
            ("probe::key", [key, options]) => match key.as_str() {
                Some("a") => Ok(Value::from("key a")),
                Some("o") => Ok(options.clone()),
                Some("i") => Ok(Value::from("%{role}")),
                Some("u") => Ok(Value::Undef),
                Some("h") => {
                    let inner = Value::array([Value::from(1), hash(&[("c", Value::from(2))])]);
                    Ok(hash(&[("b", inner)]))
                }
                _ => context.not_found(),
            },
            ("probe::dig", [Value::Array(segments), options]) => {
                match segments.first().and_then(Value::as_str) {
                    Some("a") => Ok(arguments[0].clone()),
                    Some("o") => Ok(options.clone()),
                    _ => context.not_found(),
                }
            }
            _ => panic!("unknown function {name}"),
        }
    }

    fn convert(&mut self, type_: &Type, arguments: &[Value]) -> Result<Value, ConvertError> {
        let present = || Present { now: Timestamp(0), utc_offset: 0 };
        new_instance(&Convert::new(&NoNames, &present), type_, arguments)
    }

    fn log(&mut self, level: LogLevel, message: &str) {
        if level == LogLevel::Warning {
            self.logs.push(("warning".to_owned(), message.to_owned()));
        }
    }
}

/// Calls `hiera` and its relatives, and `lookup` with a name alone.
pub(crate) fn call(
    session: &Rc<Session>,
    host: &mut TestHost,
    query: &Json,
) -> Result<Value, Fault> {
    let name = query["call"].as_str().expect("a name");
    let arguments = query["arguments"].as_array().expect("arguments");
    let names = [EcoString::from(arguments[0].as_str().expect("a key"))];
    let merge = match name {
        "hiera" => Value::from("first"),
        "hiera_array" => Value::from("unique"),
        "hiera_hash" => Value::from("hash"),
        _ => Value::Undef,
    };
    let paths = match arguments.get(2).map(value) {
        Some(Value::String(path)) => vec![path],
        Some(Value::Array(paths)) => {
            paths.iter().filter_map(Value::as_str).map(EcoString::from).collect()
        }
        _ => Vec::new(),
    };
    if name != "lookup" {
        host.log(LogLevel::Warning, &format!(
            "The function '{name}' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/7.23/deprecated_language.html\n   (file & line not available)"
        ));
    }
    let asked = Query {
        merge: Some(&merge),
        default: arguments.get(1).map(value),
        hiera: (name != "lookup").then(|| paths.into()),
        ..Query::new(&names)
    };
    match session.lookup(host, &asked, None)? {
        Some(found) => Ok(found.value),
        None => Err(not_found(&names)),
    }
}
