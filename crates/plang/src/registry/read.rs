//! The registry as a TOML file.

use std::fmt;

use toml::{Table, Value};

use super::{Edits, ParameterType, Registry, Service, ServiceKind};

/// Why a registry can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError(String);

impl fmt::Display for RegistryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for RegistryError {}

type Read<T> = Result<T, RegistryError>;

impl Registry {
    /// Reads `services.toml`.
    pub fn parse(text: &str) -> Read<Self> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| bad(error.message()))?;
        let mut registry = Self::default();
        for (key, value) in &table {
            match (key.as_str(), value) {
                ("service", Value::Array(services)) => {
                    registry.services = services.iter().map(service).collect::<Read<_>>()?;
                }
                ("pools", value) => registry.pools = Some(strings(key, value)?),
                ("list", Value::Table(lists)) => {
                    let list = |(name, value): (&String, &Value)| {
                        Ok((name.clone(), strings(name, value)?))
                    };
                    registry.lists = lists.iter().map(list).collect::<Read<_>>()?;
                }
                _ => return Err(bad(&format!("`{key}` is not known here"))),
            }
        }
        for (index, service) in registry.services.iter().enumerate() {
            if registry.services[..index].iter().any(|earlier| earlier.uri == service.uri) {
                return Err(bad(&format!("the service `{}` is listed twice", service.uri)));
            }
        }
        Ok(registry)
    }
}

fn service(value: &Value) -> Read<Service> {
    let Value::Table(table) = value else { return Err(bad("a service is a table")) };
    let mut service = Service::default();
    let mut edits = Edits::default();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("uri", Value::String(uri)) => service.uri.clone_from(uri),
            ("kind", Value::String(kind)) => service.kind = kind_of(kind)?,
            ("parameters", Value::Table(table)) => {
                service.parameters = table.iter().map(parameter).collect::<Read<_>>()?;
            }
            ("credentials", Value::Boolean(sees)) => service.sees_credentials = *sees,
            ("remove", value) => edits.remove = strings(key, value)?,
            ("set", Value::Table(table)) => {
                let pair =
                    |(name, value): (&String, &Value)| Ok((name.clone(), string(name, value)?));
                edits.set = table.iter().map(pair).collect::<Read<_>>()?;
            }
            ("fails", Value::Boolean(fails)) => edits.fails = *fails,
            _ => return Err(bad(&format!("`{key}` is not known in a service"))),
        }
    }
    if service.uri.is_empty() {
        return Err(bad("a service has no `uri`"));
    }
    match &mut service.kind {
        ServiceKind::Builtin(own) => *own = edits,
        ServiceKind::Host if edits == Edits::default() => (),
        ServiceKind::Host => {
            return Err(bad(&format!("`{}` is no builtin, but has edits", service.uri)));
        }
    }
    Ok(service)
}

fn kind_of(word: &str) -> Read<ServiceKind> {
    match word {
        "builtin" => Ok(ServiceKind::default()),
        "host" => Ok(ServiceKind::Host),
        _ => Err(bad(&format!("`{word}` is no kind of service: builtin, host"))),
    }
}

fn parameter((name, value): (&String, &Value)) -> Read<(String, ParameterType)> {
    let type_ = match string(name, value)?.as_str() {
        "string" => ParameterType::Text,
        "number" => ParameterType::Number,
        "boolean" => ParameterType::Boolean,
        "ip" => ParameterType::Ip,
        word => {
            let words = "string, number, boolean, ip";
            return Err(bad(&format!("`{word}` is no type of a parameter: {words}")));
        }
    };
    Ok((name.clone(), type_))
}

fn strings(key: &str, value: &Value) -> Read<Vec<String>> {
    match value {
        Value::Array(values) => values.iter().map(|value| string(key, value)).collect(),
        _ => Err(bad(&format!("`{key}` is a list of strings"))),
    }
}

fn string(key: &str, value: &Value) -> Read<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        _ => Err(bad(&format!("`{key}` is a string"))),
    }
}

fn bad(words: &str) -> RegistryError {
    RegistryError(words.to_owned())
}
