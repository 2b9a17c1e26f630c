//! The registry: services, pools and lists of a deployment.

use crate::fail::FailCode;
use crate::message::Pair;
use crate::services::ServiceAnswer;
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
}

/// Implementation of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceKind {
    /// Edits of headers by Kukla itself.
    Builtin(Edits),
    /// Fixed answers for tests: one per application to a message; the last is repeated.
    Canned(Vec<ServiceAnswer>),
    /// A network service: the host calls it.
    Host,
}

/// Edits of the current message's headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Names of fields to remove.
    pub remove: Vec<String>,
    /// Fields to set.
    pub set: Vec<(String, String)>,
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
    /// Applies the edits to the current message.
    pub fn apply(&self, transaction: &mut Transaction<'_>) -> Result<(), FailCode> {
        if self.fails {
            return Err(FailCode::Service);
        }
        let has_response = transaction.message.response.is_some();
        let side = if has_response { Side::Response } else { Side::Request };
        let mut fields = transaction.headers(side).to_vec();
        let is = |field: &Pair<'_>, name: &str| field.name.eq_ignore_ascii_case(name.as_bytes());
        fields.retain(|field| !self.remove.iter().any(|name| is(field, name)));
        for (name, value) in &self.set {
            fields.retain(|field| !is(field, name));
            let (name, value) = (name.as_bytes(), value.as_bytes());
            let copy = |text: &[u8]| transaction.make(&[text]);
            fields.push(Pair { name: copy(name)?, value: copy(value)? });
        }
        transaction.set_headers(side, &fields)
    }
}
