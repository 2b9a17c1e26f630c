//! A call of a service, and the fields that carry its parameters.

use std::fmt;

use kukla_plang::Program;
use kukla_plang::message::Pair;
use kukla_plang::modules::http::{REQUEST, RESPONSE};
use kukla_plang::program::Node;
use kukla_plang::services::ServiceCall;
use kukla_plang::transaction::BodyOrigin;
use kukla_plang::types::{Plain, Type};
use kukla_plang::value::{Side, Value};

use crate::body::BodyError;
use crate::icap::IcapError;
use crate::wire::{Fields, WireError};

/// A call of a service that no longer borrows from the run.
#[derive(Clone, Debug)]
pub struct OwnedCall {
    /// The index of the service in the registry.
    pub service: usize,
    /// Its URI.
    pub uri: String,
    /// Fields with parameters and parts of the message: `X-P-Param` and `X-P-Part`.
    pub fields: Vec<(String, Vec<u8>)>,
    /// Header fields of the request as they are now.
    pub request: Fields,
    /// The status and the header fields of the response as they are now.
    pub response: Option<(u16, Fields)>,
    /// The body as it is now.
    pub body: CallBody,
}

/// The body of a message for a service.
#[derive(Clone, Debug)]
pub enum CallBody {
    /// As received.
    Received,
    /// Made by a service before.
    Held(u32),
    /// These bytes.
    Whole(Vec<u8>),
}

/// Reason why a service did not adapt a message.
#[derive(Debug)]
pub enum CallError {
    /// Its connection or answer failed.
    Icap(IcapError),
    /// It can't be reached.
    Connect(std::io::Error),
    /// It did not answer in time.
    Time,
    /// It answered with another status than 200 and 204.
    Status(u16),
    /// Its answer can't be read, or is no message.
    Wire(WireError),
    /// Its answer is too large, or can't be kept.
    Answer(BodyError),
    /// It changed something that it may not change.
    Rewritten,
    /// It is of a kind that this host does not know.
    Unknown,
    /// The body of the message can't be read; the service has no part in that.
    Body(BodyError),
}

impl fmt::Display for CallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Icap(error) => error.fmt(out),
            Self::Connect(error) => write!(out, "no connection: {error}"),
            Self::Time => out.write_str("no answer in time"),
            Self::Status(status) => write!(out, "status {status}"),
            Self::Wire(error) => write!(out, "bad answer: {error}"),
            Self::Answer(error) => write!(out, "the answer: {error}"),
            Self::Rewritten => out.write_str("it changed the method or target of the request"),
            Self::Unknown => out.write_str("the host does not know this service"),
            Self::Body(error) => write!(out, "the message: {error}"),
        }
    }
}

impl std::error::Error for CallError {}

impl CallError {
    /// Whether another call may succeed: not if the message is the reason, or the answer is one that is not wanted.
    pub(super) fn may_pass(&self) -> bool {
        !matches!(
            self,
            Self::Body(_)
                | Self::Answer(_)
                | Self::Rewritten
                | Self::Unknown
                | Self::Status(..500)
                | Self::Icap(
                    IcapError::Body(_)
                        | IcapError::Answer(_)
                        | IcapError::Method
                        | IcapError::Status(..500)
                )
        )
    }

    /// Returns the reason why the message itself can't be read, for which no service can be blamed.
    pub(super) fn into_body_error(self) -> Result<Self, BodyError> {
        match self {
            Self::Body(error) | Self::Icap(IcapError::Body(error)) => Err(error),
            other => Ok(other),
        }
    }
}

impl OwnedCall {
    /// Copies a call out of a run.
    pub(super) fn new(call: &ServiceCall<'_>, program: &Program, has_response: bool) -> Self {
        let sees_credentials = program
            .registry
            .as_ref()
            .and_then(|registry| registry.services.get(usize::from(call.service)))
            .is_some_and(|service| service.sees_credentials);
        let state = &call.state;
        let own = |fields: &[Pair<'_>]| {
            fields.iter().map(|field| (field.name.to_vec(), field.value.to_vec())).collect()
        };
        let mut fields = Vec::new();
        for parameter in &call.parameters {
            let text = match parameter.value {
                Value::Text(text) => escaped(text),
                Value::Number(number) => number.to_string().into_bytes(),
                Value::Boolean(value) => value.to_string().into_bytes(),
                Value::Ip(ip) => ip.to_string().into_bytes(),
                _ => Vec::new(),
            };
            let value = [parameter.name.as_bytes(), b"=", &text].concat();
            fields.push(("X-P-Param".to_owned(), value));
        }
        let mut part = |value: Vec<u8>| fields.push(("X-P-Part".to_owned(), value));
        let types = part_types(program, call);
        for (index, value) in call.parts.iter().enumerate() {
            let sides: &[Side] = match (value, types.get(index)) {
                (Value::Headers(Side::Request), _) | (_, Some(Part::Request)) => &[Side::Request],
                (Value::Headers(Side::Response), _) | (_, Some(Part::Response)) => {
                    &[Side::Response]
                }
                _ => &[],
            };
            for side in sides {
                let (word, list) = match side {
                    Side::Request => (&b"request-header "[..], state.request),
                    Side::Response => (&b"response-header "[..], state.response),
                };
                let shown =
                    list.iter().filter(|f| sees_credentials || !super::is_credential(f.name));
                shown.for_each(|field| part([word, field.name, b": ", field.value].concat()));
            }
            match value {
                Value::Text(text) => part([&b"text "[..], &escaped(text)].concat()),
                Value::Header(field) => {
                    let value = escaped(field.value.unwrap_or_default());
                    part([b"header ", &escaped(field.name)[..], b": ", &value].concat());
                }
                _ => (),
            }
        }
        let body = match state.body.origin {
            BodyOrigin::Received => CallBody::Received,
            BodyOrigin::Held(number) => CallBody::Held(number),
            BodyOrigin::Whole => CallBody::Whole(state.body.preview.unwrap_or_default().to_vec()),
        };
        Self {
            service: usize::from(call.service),
            uri: call.uri.to_owned(),
            fields,
            request: own(state.request),
            response: has_response.then(|| (state.status, own(state.response))),
            body,
        }
    }

    /// Returns the header fields of the message that is adapted.
    pub(super) fn current(&self) -> &Fields {
        self.response.as_ref().map_or(&self.request, |(_, fields)| fields)
    }
}

/// A part that is a message; as a value it is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Request,
    Response,
    Other,
}

fn part_types(program: &Program, call: &ServiceCall<'_>) -> Vec<Part> {
    let Node::Apply { parts, .. } = &program[call.node] else { return Vec::new() };
    let part = |node| match program.type_of(node) {
        Type::Plain(Plain::Object(object)) if std::ptr::eq(object, &raw const REQUEST) => {
            Part::Request
        }
        Type::Plain(Plain::Object(object)) if std::ptr::eq(object, &raw const RESPONSE) => {
            Part::Response
        }
        _ => Part::Other,
    };
    parts.iter().map(|node| part(*node)).collect()
}

/// Escapes a text for the value of a field: visible ASCII but `%` stays as it is.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b' '..=b'~' if *byte != b'%' => out.push(*byte),
            _ => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    out
}
