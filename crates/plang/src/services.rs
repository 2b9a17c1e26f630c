//! Application of services, shared by both back ends.

use crate::fail::FailCode;
use crate::message::Pair;
use crate::program::Program;
use crate::registry::{ParameterType, ServiceKind};
use crate::transaction::{Parameter, Transaction};
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
}

/// Answer of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceAnswer {
    /// The message stays as it is.
    Unchanged,
    /// The message has other header fields, and a response another status.
    Adapted {
        /// All header fields of the current message.
        headers: Vec<(Vec<u8>, Vec<u8>)>,
        /// The status of a response.
        status: Option<u16>,
    },
    /// It failed.
    Failed,
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
    /// The host must call it.
    Call(ServiceCall<'a>),
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
    earlier: &[u16],
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
    match &service.kind {
        ServiceKind::Builtin(edits) => {
            edits.apply(transaction)?;
            transaction.applied.push(index);
            Ok(Application::Done)
        }
        ServiceKind::Canned(answers) => {
            let n_before = transaction.applied.iter().filter(|applied| **applied == index).count();
            transaction.applied.push(index);
            let answer = answers.get(n_before).or(answers.last()).unwrap_or(&ServiceAnswer::Failed);
            accept(transaction, answer)?;
            Ok(Application::Done)
        }
        ServiceKind::Host => {
            transaction.applied.push(index);
            let parameters = transaction.state().parameters_of(index);
            Ok(Application::Call(ServiceCall {
                service: index,
                uri: &service.uri,
                parameters,
                parts,
            }))
        }
    }
}

/// Applies the answer of a service to the message.
pub fn accept(transaction: &mut Transaction<'_>, answer: &ServiceAnswer) -> Result<(), FailCode> {
    let (headers, status) = match answer {
        ServiceAnswer::Unchanged => return Ok(()),
        ServiceAnswer::Failed => return Err(FailCode::Service),
        ServiceAnswer::Adapted { headers, status } => (headers, status),
    };
    let has_response = transaction.message.response.is_some();
    let side = if has_response { Side::Response } else { Side::Request };
    let mut fields = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        fields.push(Pair { name: transaction.make(&[name])?, value: transaction.make(&[value])? });
    }
    transaction.set_headers(side, &fields)?;
    if let (Some(status), true) = (status, has_response) {
        transaction.change(|state| state.status = *status);
    }
    Ok(())
}
