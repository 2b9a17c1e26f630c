//! Parser of the registry's TOML file.

use std::fmt;

use toml::{Table, Value};

use super::{Edits, ParameterType, Registry, Service, ServiceKind};
use crate::services::ServiceAnswer;

/// Reason why a registry can't be used.
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
    /// Parses `services.toml`.
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
    let mut answers = None;
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
            ("answers", Value::Array(values)) => {
                answers = Some(values.iter().map(answer).collect::<Read<Vec<_>>>()?);
            }
            _ => return Err(bad(&format!("`{key}` is not known in a service"))),
        }
    }
    if service.uri.is_empty() {
        return Err(bad("a service has no `uri`"));
    }
    finish(&mut service, edits, answers)?;
    Ok(service)
}

/// Sets the kind of service, and checks that only its keys are present.
fn finish(service: &mut Service, edits: Edits, answers: Option<Vec<ServiceAnswer>>) -> Read<()> {
    let uri = &service.uri;
    let has_edits = edits != Edits::default();
    match (&mut service.kind, answers) {
        (ServiceKind::Builtin(own), None) => *own = edits,
        _ if has_edits => return Err(bad(&format!("`{uri}` is no builtin, but has edits"))),
        (ServiceKind::Canned(own), Some(answers)) if !answers.is_empty() => *own = answers,
        (ServiceKind::Canned(_), _) => return Err(bad(&format!("`{uri}` has no `answers`"))),
        (_, Some(_)) => return Err(bad(&format!("`{uri}` is not canned, but has `answers`"))),
        (ServiceKind::Host, None) => (),
    }
    Ok(())
}

/// `"unchanged"`, `"fails"`, or `{ status = 200, headers = { … } }`
fn answer(value: &Value) -> Read<ServiceAnswer> {
    let table = match value {
        Value::String(word) if word == "unchanged" => return Ok(ServiceAnswer::Unchanged),
        Value::String(word) if word == "fails" => return Ok(ServiceAnswer::Failed),
        Value::Table(table) => table,
        _ => return Err(bad("an answer is `unchanged`, `fails` or a table")),
    };
    let (mut all, mut status) = (Vec::new(), None);
    for (key, value) in table {
        match (key.as_str(), value) {
            ("headers", Value::Table(headers)) => {
                for (name, value) in headers {
                    all.push((name.clone().into_bytes(), string(name, value)?.into_bytes()));
                }
            }
            ("status", Value::Integer(number)) => {
                let code = u16::try_from(*number).ok().filter(|code| (100..600).contains(code));
                status = Some(code.ok_or_else(|| bad("`status` is a number from 100 to 599"))?);
            }
            _ => return Err(bad(&format!("`{key}` is not known in an answer"))),
        }
    }
    Ok(ServiceAnswer::Adapted { headers: all, status })
}

fn kind_of(word: &str) -> Read<ServiceKind> {
    match word {
        "builtin" => Ok(ServiceKind::default()),
        "canned" => Ok(ServiceKind::Canned(Vec::new())),
        "host" => Ok(ServiceKind::Host),
        _ => Err(bad(&format!("`{word}` is no kind of service: builtin, canned, host"))),
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
