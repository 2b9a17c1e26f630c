//! Parser of the registry's TOML file.

use std::fmt;

use toml::{Table, Value};

use super::{Edits, Network, OnFailure, ParameterType, Protocol, Registry, Service, ServiceKind};
use crate::modules::http::{is_field_name, is_field_value};
use crate::services::{NewBody, ServiceAnswer};

/// Reason why a registry can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError(String);

impl fmt::Display for RegistryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for RegistryError {}

/// The most that a service's call can be repeated.
const MOST_RETRIES: u32 = 10;

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
    let mut address = Address::default();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("uri", Value::String(uri)) => service.uri.clone_from(uri),
            ("kind", Value::String(kind)) => service.kind = kind_of(kind)?,
            ("parameters", Value::Table(table)) => {
                service.parameters = table.iter().map(parameter).collect::<Read<_>>()?;
            }
            ("credentials", Value::Boolean(sees)) => service.sees_credentials = *sees,
            ("remove", value) => edits.remove = strings(key, value)?,
            ("set", Value::Table(table)) => edits.set = texts(table)?,
            ("replace", Value::Table(table)) => edits.replace = texts(table)?,
            ("language", value) => edits.language = Some(string(key, value)?),
            ("redirect", value) => edits.redirect = Some(string(key, value)?),
            ("fails", Value::Boolean(fails)) => edits.fails = *fails,
            ("url", value) => address.url = Some(string(key, value)?),
            ("ca", value) => address.authorities = Some(string(key, value)?),
            ("cert", value) => address.certificate = Some(string(key, value)?),
            ("key", value) => address.key = Some(string(key, value)?),
            ("next_service", value) => address.next = Some(string(key, value)?),
            ("on_failure", Value::String(word)) => service.on_failure = on_failure(word)?,
            ("connect_ms", value) => service.limits.connect_time = number(key, value)?,
            ("timeout_ms", value) => service.limits.time = number(key, value)?,
            ("retries", value) => service.limits.retries = retries(key, value)?,
            ("max_body", value) => service.limits.body = number(key, value)?,
            ("max_connections", value) => service.limits.connections = small(key, value)?.max(1),
            ("preview", value) => service.limits.preview = Some(small(key, value)?),
            ("answers", Value::Array(values)) => {
                answers = Some(values.iter().map(answer).collect::<Read<Vec<_>>>()?);
            }
            _ => return Err(bad(&format!("`{key}` is not known in a service"))),
        }
    }
    if service.uri.is_empty() {
        return Err(bad("a service has no `uri`"));
    }
    finish(&mut service, edits, answers, address)?;
    Ok(service)
}

/// Reads a number of repetitions: many would let one message call a service for ever.
fn retries(key: &str, value: &Value) -> Read<u32> {
    let number = small(key, value)?;
    let number = u32::try_from(number).ok().filter(|number| *number <= MOST_RETRIES);
    number.ok_or_else(|| bad(&format!("`{key}` is at most {MOST_RETRIES}")))
}

/// Keys of a network service.
#[derive(Debug, Default, PartialEq)]
struct Address {
    url: Option<String>,
    authorities: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
    next: Option<String>,
}

/// Sets the kind of service, and checks that only its keys are present.
fn finish(
    service: &mut Service,
    edits: Edits,
    answers: Option<Vec<ServiceAnswer>>,
    address: Address,
) -> Read<()> {
    let uri = &service.uri;
    let (has_edits, has_address) = (edits != Edits::default(), address != Address::default());
    if has_edits && !matches!(service.kind, ServiceKind::Builtin(_)) {
        return Err(bad(&format!("`{uri}` is no builtin, but has edits")));
    }
    if has_address && !matches!(service.kind, ServiceKind::Network(_)) {
        return Err(bad(&format!("`{uri}` is no network service, but has an address")));
    }
    if answers.is_some() && !matches!(service.kind, ServiceKind::Canned(_)) {
        return Err(bad(&format!("`{uri}` is not canned, but has `answers`")));
    }
    match &mut service.kind {
        ServiceKind::Builtin(own) => {
            check_edits(uri, &edits)?;
            *own = edits;
        }
        ServiceKind::Canned(own) => {
            let answers = answers.filter(|answers| !answers.is_empty());
            *own = answers.ok_or_else(|| bad(&format!("`{uri}` has no `answers`")))?;
        }
        ServiceKind::Host => (),
        ServiceKind::Network(own) => {
            let url = address.url.ok_or_else(|| bad(&format!("`{uri}` has no `url`")))?;
            let scheme = own.url.clone();
            if !url.strip_prefix(&scheme).is_some_and(|rest| rest.starts_with("://")) {
                return Err(bad(&format!(
                    "the `url` of `{uri}` does not start with `{scheme}://`"
                )));
            }
            let identity = match (address.certificate, address.key) {
                (Some(certificate), Some(key)) => Some((certificate, key)),
                (None, None) => None,
                _ => return Err(bad(&format!("`{uri}` has only one of `cert` and `key`"))),
            };
            let has_files = identity.is_some() || address.authorities.is_some();
            if has_files && !matches!(scheme.as_str(), "icaps" | "https") {
                return Err(bad(&format!("`{uri}` has certificates, but its kind is `{scheme}`")));
            }
            *own = Network {
                url,
                authorities: address.authorities,
                identity,
                next: address.next,
                ..own.clone()
            };
        }
    }
    Ok(())
}

fn check_edits(uri: &str, edits: &Edits) -> Read<()> {
    let language = edits.language.iter().map(|value| ("Content-Language", value));
    let redirect = edits.redirect.iter().map(|value| ("Location", value));
    let set = edits.set.iter().map(|(name, value)| (name.as_str(), value));
    set.chain(language).chain(redirect).try_for_each(|(name, value)| check_field(name, value))?;
    if edits.replace.iter().any(|(old, _)| old.is_empty()) {
        return Err(bad(&format!("`{uri}` replaces an empty text")));
    }
    let n_kinds = usize::from(edits.redirect.is_some()) + usize::from(!edits.replace.is_empty());
    if n_kinds > 1 {
        return Err(bad(&format!("`{uri}` can't both redirect and replace")));
    }
    Ok(())
}

fn check_field(name: &str, value: &str) -> Read<()> {
    match is_field_name(name.as_bytes()) && is_field_value(value.as_bytes()) {
        true => Ok(()),
        false => Err(bad(&format!("`{name}` can't be a header field of a message"))),
    }
}

fn on_failure(word: &str) -> Read<OnFailure> {
    match word {
        "fail" => Ok(OnFailure::Fail),
        "unchanged" => Ok(OnFailure::Unchanged),
        _ => Err(bad(&format!("`on_failure` is fail or unchanged, not `{word}`"))),
    }
}

/// `"unchanged"`, `"fails"`, or `{ status = 200, headers = { … }, body = "…" }`
fn answer(value: &Value) -> Read<ServiceAnswer> {
    let table = match value {
        Value::String(word) if word == "unchanged" => return Ok(ServiceAnswer::Unchanged),
        Value::String(word) if word == "fails" => return Ok(ServiceAnswer::Failed),
        Value::Table(table) => table,
        _ => return Err(bad("an answer is `unchanged`, `fails` or a table")),
    };
    let (mut all, mut status, mut body) = (Vec::new(), None, None);
    for (key, value) in table {
        match (key.as_str(), value) {
            ("headers", Value::Table(headers)) => {
                for (name, value) in headers {
                    check_field(name, &string(name, value)?)?;
                    all.push((name.clone().into_bytes(), string(name, value)?.into_bytes()));
                }
            }
            ("body", Value::String(text)) => body = Some(NewBody::Whole(text.clone().into_bytes())),
            ("status", Value::Integer(number)) => {
                let code = u16::try_from(*number).ok().filter(|code| (100..600).contains(code));
                status = Some(code.ok_or_else(|| bad("`status` is a number from 100 to 599"))?);
            }
            _ => return Err(bad(&format!("`{key}` is not known in an answer"))),
        }
    }
    Ok(ServiceAnswer::Adapted { headers: all, status, body })
}

fn kind_of(word: &str) -> Read<ServiceKind> {
    match word {
        "builtin" => Ok(ServiceKind::default()),
        "canned" => Ok(ServiceKind::Canned(Vec::new())),
        "host" => Ok(ServiceKind::Host),
        "icap" | "icaps" => Ok(network(Protocol::Icap, word)),
        "http" | "https" => Ok(network(Protocol::Http, word)),
        _ => {
            let kinds = "builtin, canned, host, icap, icaps, http, https";
            Err(bad(&format!("`{word}` is no kind of service: {kinds}")))
        }
    }
}

/// Creates a network service whose URL must have this scheme.
fn network(protocol: Protocol, scheme: &str) -> ServiceKind {
    ServiceKind::Network(Network {
        protocol,
        url: scheme.to_owned(),
        authorities: None,
        identity: None,
        next: None,
    })
}

fn texts(table: &Table) -> Read<Vec<(String, String)>> {
    table.iter().map(|(name, value)| Ok((name.clone(), string(name, value)?))).collect()
}

fn number(key: &str, value: &Value) -> Read<u64> {
    let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| bad(&format!("`{key}` is a number that is not negative")))
}

fn small(key: &str, value: &Value) -> Read<usize> {
    usize::try_from(number(key, value)?).map_err(|_| bad(&format!("`{key}` is too large")))
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
