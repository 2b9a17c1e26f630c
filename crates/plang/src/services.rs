//! Application of services, shared by both back ends.

use crate::fail::FailCode;
use crate::message::Pair;
use crate::program::{NodeId, Program};
use crate::registry::{ParameterType, ServiceKind};
use crate::transaction::{Body, Parameter, State, Transaction};
use crate::value::{Side, Value};

/// A service call that the host must make.
#[derive(Clone, Debug)]
pub struct ServiceCall<'a> {
    /// The service, by its index in the registry.
    pub service: u16,
    /// Its URI.
    pub uri: &'a str,
    /// Its parameters.
    pub parameters: Vec<Parameter<'a>>,
    /// Parts of the message to pass to it.
    pub parts: Vec<Value<'a>>,
    /// The message as it is now.
    pub state: State<'a>,
    /// The node of the call.
    pub node: NodeId,
}

/// Answer of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceAnswer {
    /// The message stays as it is.
    Unchanged,
    /// The message has other header fields, maybe another body, and a response another status.
    Adapted {
        /// All header fields of the current message.
        headers: Vec<(Vec<u8>, Vec<u8>)>,
        /// The status of a response.
        status: Option<u16>,
        /// The new body; `None`: it stays as it is.
        body: Option<NewBody>,
    },
    /// It answers the request in place of the server, which ends the program.
    Answered {
        /// The status of the response.
        status: u16,
        /// Header fields of the response.
        headers: Vec<(Vec<u8>, Vec<u8>)>,
        /// The body of the response.
        body: NewBody,
    },
    /// It failed.
    Failed,
}

/// A body that a service made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewBody {
    /// All of it.
    Whole(Vec<u8>),
    /// The host keeps it.
    Held {
        /// The number by which the host knows it.
        number: u32,
        /// Its first bytes, as many as the program reads.
        preview: Vec<u8>,
        /// Its size.
        size: u64,
    },
}

/// Caller of services; a test or a tool has canned answers.
pub trait Services {
    /// Calls a service.
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer;
}

/// A caller for which every service fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoServices;

impl Services for NoServices {
    fn call(&mut self, _: &ServiceCall<'_>) -> ServiceAnswer {
        ServiceAnswer::Failed
    }
}

/// Result of applying a service before the host is asked.
#[derive(Debug)]
pub enum Application<'a> {
    /// The application is complete.
    Done,
    /// The service answered the request, which ends the program.
    Answered,
    /// The host must call it.
    Call(Box<ServiceCall<'a>>),
}

/// `Services.findOne(uri)`
pub fn find<'a>(program: &Program, uri: &[u8]) -> Result<Value<'a>, FailCode> {
    let service = program.registry.as_ref().and_then(|registry| registry.find(uri));
    service.map(|(index, _)| Value::Service(index)).ok_or(FailCode::NoService)
}

/// `service.name(value)`
pub fn set_parameter<'a>(
    program: &'a Program,
    transaction: &mut Transaction<'a>,
    service: Value<'a>,
    name: &'a str,
    value: Value<'a>,
) -> Result<(), FailCode> {
    let Value::Service(service) = service else { return Err(FailCode::NoService) };
    let registry = program.registry.as_ref().ok_or(FailCode::NoService)?;
    let definition = registry.services.get(usize::from(service)).ok_or(FailCode::NoService)?;
    let type_ = definition.parameter(name).ok_or(FailCode::NoParameter)?;
    let fits = match type_ {
        ParameterType::Text => matches!(value, Value::Text(_)),
        ParameterType::Number => matches!(value, Value::Number(_)),
        ParameterType::Boolean => matches!(value, Value::Boolean(_)),
        ParameterType::Ip => matches!(value, Value::Ip(_)),
    };
    if !fits {
        return Err(FailCode::NoParameter);
    }
    let before = transaction.state().parameters;
    let parameter = transaction.arena.alloc(Parameter { service, name, value, before });
    transaction.change(|state| state.parameters = Some(parameter));
    Ok(())
}

/// Applies a service, `Services.applyOne(service, part…)`, as far as that is possible without the host.
///
/// `earlier` are the services that were applied before a restart; they are not applied again.
pub fn apply<'a>(
    program: &'a Program,
    transaction: &mut Transaction<'a>,
    service: Value<'a>,
    parts: Vec<Value<'a>>,
    (node, earlier): (NodeId, &[u16]),
) -> Result<Application<'a>, FailCode> {
    let Value::Service(index) = service else { return Err(FailCode::NoService) };
    if earlier.contains(&index) {
        return Ok(Application::Done);
    }
    if transaction.applied.len() >= transaction.limits.services {
        return Err(FailCode::Limit);
    }
    let registry = program.registry.as_ref().ok_or(FailCode::NoService)?;
    let service = registry.services.get(usize::from(index)).ok_or(FailCode::NoService)?;
    let call = |transaction: &Transaction<'a>| {
        let state = transaction.state();
        let parameters = state.parameters_of(index);
        Box::new(ServiceCall { service: index, uri: &service.uri, parameters, parts, state, node })
    };
    match &service.kind {
        ServiceKind::Builtin(edits) if edits.needs_body() => {
            transaction.applied.push(index);
            let state = transaction.state();
            let fields = if is_response(transaction) { state.response } else { state.request };
            match state.body {
                // The host has shown all of it.
                Body { preview: Some(body), size: Some(size), .. } if body.len() as u64 == size => {
                    let answer = edits.answer(fields, body, service.limits.body);
                    accept(transaction, &answer)
                }
                _ => Ok(Application::Call(call(transaction))),
            }
        }
        ServiceKind::Builtin(edits) => {
            transaction.applied.push(index);
            let is_answered = match edits.apply(transaction) {
                Ok(is_answered) => is_answered,
                Err(code) => {
                    transaction.applied.pop();
                    return Err(code);
                }
            };
            if !is_answered {
                transaction.note_adapted();
            }
            Ok(if is_answered { Application::Answered } else { Application::Done })
        }
        ServiceKind::Canned(answers) => {
            let n_before = transaction.applied.iter().filter(|applied| **applied == index).count();
            transaction.applied.push(index);
            let answer = answers.get(n_before).or(answers.last()).unwrap_or(&ServiceAnswer::Failed);
            accept(transaction, answer)
        }
        ServiceKind::Host | ServiceKind::Network(_) => {
            transaction.applied.push(index);
            Ok(Application::Call(call(transaction)))
        }
    }
}

/// Applies the answer of a service to the message; returns whether the program goes on.
pub fn accept<'a>(
    transaction: &mut Transaction<'a>,
    answer: &ServiceAnswer,
) -> Result<Application<'a>, FailCode> {
    let has_response = is_response(transaction);
    let side = if has_response { Side::Response } else { Side::Request };
    match answer {
        ServiceAnswer::Unchanged => Ok(Application::Done),
        ServiceAnswer::Failed => Err(FailCode::Service),
        ServiceAnswer::Adapted { headers, status, body } => {
            let fields = copy(transaction, headers)?;
            let body = body.as_ref().map(|body| transaction.make_body(body)).transpose()?;
            transaction.set_headers(side, &fields)?;
            transaction.change(|state| {
                if let (Some(status), true) = (status, has_response) {
                    state.status = *status;
                }
                state.body = body.unwrap_or(state.body);
            });
            transaction.note_adapted();
            Ok(Application::Done)
        }
        // Only a request can be answered.
        ServiceAnswer::Answered { .. } if has_response => Err(FailCode::Service),
        ServiceAnswer::Answered { status, headers, body } => {
            let fields = copy(transaction, headers)?;
            let body = transaction.make_body(body)?;
            transaction.set_headers(Side::Response, &fields)?;
            transaction.change(|state| (state.status, state.body) = (*status, body));
            transaction.note_adapted();
            Ok(Application::Answered)
        }
    }
}

fn is_response(transaction: &Transaction<'_>) -> bool {
    transaction.message.response.is_some()
}

fn copy<'a>(
    transaction: &Transaction<'a>,
    headers: &[(Vec<u8>, Vec<u8>)],
) -> Result<Vec<Pair<'a>>, FailCode> {
    let pair = |(name, value): &(Vec<u8>, Vec<u8>)| {
        Ok(Pair { name: transaction.make(&[name])?, value: transaction.make(&[value])? })
    };
    headers.iter().map(pair).collect()
}
