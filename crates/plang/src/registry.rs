//! The registry: services, pools and lists of a deployment.

use crate::fail::FailCode;
use crate::message::Pair;
use crate::services::{NewBody, ServiceAnswer};
use crate::transaction::Transaction;
use crate::types::Plain;
use crate::value::Side;

mod read;
pub use read::RegistryError;

/// Services, pools and lists of a deployment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registry {
    /// The services, in the order of the file.
    pub services: Vec<Service>,
    /// Pools of servers; None: any name is accepted.
    pub pools: Option<Vec<String>>,
    /// Lists of texts by name.
    pub lists: Vec<(String, Vec<String>)>,
}

/// A service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// Its identifier, which need not be a network address.
    pub uri: String,
    /// Its implementation.
    pub kind: ServiceKind,
    /// Parameters and their types.
    pub parameters: Vec<(String, ParameterType)>,
    /// Whether it receives credentials (`Authorization`, `Cookie`, …).
    pub sees_credentials: bool,
    /// The effect of a failure.
    pub on_failure: OnFailure,
    /// Limits of a call.
    pub limits: CallLimits,
}

/// The effect of a failed call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// `Services.applyOne` fails.
    #[default]
    Fail,
    /// The message stays as it is, as if the service had said so.
    Unchanged,
}

/// Limits of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// Milliseconds for a connection.
    pub connect_time: u64,
    /// Milliseconds for the whole call.
    pub time: u64,
    /// The largest body, both of a message and of an answer.
    pub body: u64,
    /// The largest number of connections.
    pub connections: usize,
    /// The largest preview; `None`: as the service wants.
    pub preview: Option<usize>,
    /// How often a call that failed is repeated before the program sees the failure.
    pub retries: u32,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            connect_time: 2_000,
            time: 10_000,
            body: 64 << 20,
            connections: 100,
            preview: None,
            retries: 0,
        }
    }
}

/// The address of a network service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// The protocol.
    pub protocol: Protocol,
    /// The URL.
    pub url: String,
    /// The file with the certificates of trusted authorities; `None`: those of the system.
    pub authorities: Option<String>,
    /// The files with the own certificate and its key, for a service that wants to know its clients.
    pub identity: Option<(String, String)>,
    /// The name by which an ICAP client that asks about the message knows the service and can call it itself.
    pub next: Option<String>,
}

/// The protocol of a network service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 3507, with or without TLS.
    Icap,
    /// The message as `message/http`, with or without TLS.
    Http,
}

/// Implementation of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceKind {
    /// Edits of headers by Kukla itself.
    Builtin(Edits),
    /// Fixed answers for tests: one per application to a message; the last is repeated.
    Canned(Vec<ServiceAnswer>),
    /// A service that the host knows.
    Host,
    /// A network service: the host calls it.
    Network(Network),
}

/// Edits of the current message's headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Names of fields to remove.
    pub remove: Vec<String>,
    /// Fields to set.
    pub set: Vec<(String, String)>,
    /// Texts to replace in the body, in their order.
    pub replace: Vec<(String, String)>,
    /// The language of the body: `Content-Language`.
    pub language: Option<String>,
    /// The address to which a request is redirected.
    pub redirect: Option<String>,
    /// Whether the service fails instead.
    pub fails: bool,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// `string`
    Text,
    /// `number`
    Number,
    /// `boolean`
    Boolean,
    /// `ip`
    Ip,
}

impl Default for ServiceKind {
    fn default() -> Self {
        Self::Builtin(Edits::default())
    }
}

impl Registry {
    /// Returns the service with that URI, and its index.
    pub fn find(&self, uri: &[u8]) -> Option<(u16, &Service)> {
        let index = self.services.iter().position(|service| service.uri.as_bytes() == uri)?;
        Some((u16::try_from(index).ok()?, &self.services[index]))
    }

    /// Sets the one answer that a service gives from now on.
    pub fn set_canned_answer(&mut self, uri: &str, answer: ServiceAnswer) {
        let kind = ServiceKind::Canned(vec![answer]);
        match self.services.iter_mut().find(|service| service.uri == uri) {
            Some(service) => service.kind = kind,
            None => {
                self.services.push(Service { uri: uri.to_owned(), kind, ..Service::default() });
            }
        }
    }

    /// Returns the texts of a list.
    pub fn list(&self, name: &str) -> Option<&[String]> {
        self.lists.iter().find(|(key, _)| key == name).map(|(_, texts)| texts.as_slice())
    }
}

impl Service {
    /// Returns the type of a parameter.
    pub fn parameter(&self, name: &str) -> Option<ParameterType> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, type_)| *type_)
    }
}

impl ParameterType {
    /// Returns the type of its values.
    pub fn plain(self) -> Plain {
        match self {
            Self::Text => Plain::Text,
            Self::Number => Plain::Number,
            Self::Boolean => Plain::Boolean,
            Self::Ip => Plain::Object(&crate::modules::net::IP),
        }
    }
}

impl Edits {
    /// Whether it changes the body, so that the host must apply it.
    pub fn needs_body(&self) -> bool {
        !self.replace.is_empty() && !self.fails
    }

    /// Applies the edits to the current message; returns whether it is answered.
    pub fn apply(&self, transaction: &mut Transaction<'_>) -> Result<bool, FailCode> {
        if self.fails {
            return Err(FailCode::Service);
        }
        if let Some(location) = &self.redirect {
            let headers = vec![(b"Location".to_vec(), location.clone().into_bytes())];
            let body = NewBody::Whole(Vec::new());
            let answer = ServiceAnswer::Answered { status: 302, headers, body };
            return crate::services::accept(transaction, &answer).map(|_| true);
        }
        let has_response = transaction.message.response.is_some();
        let side = if has_response { Side::Response } else { Side::Request };
        let mut fields = Vec::new();
        for (name, value) in self.edited(transaction.headers(side)) {
            fields.push(Pair {
                name: transaction.make(&[&name])?,
                value: transaction.make(&[&value])?,
            });
        }
        transaction.set_headers(side, &fields)?;
        Ok(false)
    }

    /// Returns the edited header fields.
    pub fn edited(&self, fields: &[Pair<'_>]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let language = self.language.iter().map(|language| ("Content-Language", language.as_str()));
        let set =
            self.set.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(language);
        let mut all: Vec<(Vec<u8>, Vec<u8>)> =
            fields.iter().map(|field| (field.name.to_vec(), field.value.to_vec())).collect();
        all.retain(|(own, _)| {
            !self.remove.iter().any(|name| own.eq_ignore_ascii_case(name.as_bytes()))
        });
        for (name, value) in set {
            all.retain(|(own, _)| !own.eq_ignore_ascii_case(name.as_bytes()));
            all.push((name.as_bytes().to_vec(), value.as_bytes().to_vec()));
        }
        all
    }

    /// Returns the edited body; `None`: it is larger than the limit.
    pub fn substituted(&self, body: &[u8], limit: u64) -> Option<Vec<u8>> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut body = body.to_vec();
        for (old, new) in &self.replace {
            let mut out = Vec::with_capacity(body.len());
            let mut rest = &body[..];
            while let Some(at) = memchr::memmem::find(rest, old.as_bytes()) {
                out.extend_from_slice(&rest[..at]);
                out.extend_from_slice(new.as_bytes());
                rest = &rest[at + old.len()..];
                if out.len() > limit {
                    return None;
                }
            }
            out.extend_from_slice(rest);
            body = out;
        }
        (body.len() <= limit).then_some(body)
    }

    /// Returns the answer to a call for a message whose whole body is known.
    pub fn answer(&self, fields: &[Pair<'_>], body: &[u8], limit: u64) -> ServiceAnswer {
        let headers = self.edited(fields);
        let is_same = headers.len() == fields.len()
            && headers.iter().zip(fields).all(|((name, value), field)| {
                (name.as_slice(), value.as_slice()) == (field.name, field.value)
            });
        match self.substituted(body, limit) {
            None => ServiceAnswer::Failed,
            Some(new) if is_same && new == body => ServiceAnswer::Unchanged,
            Some(new) => {
                ServiceAnswer::Adapted { headers, status: None, body: Some(NewBody::Whole(new)) }
            }
        }
    }
}
