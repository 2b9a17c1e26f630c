//! Services at work: what both back ends do alike.

use crate::fail::FailCode;
use crate::message::Pair;
use crate::program::Program;
use crate::registry::{ParameterType, ServiceKind};
use crate::transaction::{Parameter, Transaction};
use crate::value::{Side, Value};

/// A service that the host is to call.
#[derive(Clone, Debug)]
pub struct ServiceCall<'a> {
    /// The service, by its place in the registry.
    pub service: u16,
    /// Its URI.
    pub uri: &'a str,
    /// Its parameters.
    pub parameters: Vec<Parameter<'a>>,
    /// Parts of the message to show to it.
    pub parts: Vec<Value<'a>>,
}

/// What a service answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceAnswer {
    /// The message may stay as it is.
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

/// Calls services; a test or a tool has canned answers.
pub trait Services {
    /// Calls a service.
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer;
}

/// No service can be reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoServices;

impl Services for NoServices {
    fn call(&mut self, _: &ServiceCall<'_>) -> ServiceAnswer {
        ServiceAnswer::Failed
    }
}

/// What applying a service comes to before the host is asked.
#[derive(Debug)]
pub enum Application<'a> {
    /// It is done.
    Done,
    /// The host must call it.
    Call(ServiceCall<'a>),
}

/// `Services.findOne(uri)`
pub fn find<'a>(program: &Program, uri: &[u8]) -> Result<Value<'a>, FailCode> {
    let found = program.registry.as_ref().and_then(|registry| registry.find(uri));
    found.map(|(index, _)| Value::Service(index)).ok_or(FailCode::NoService)
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
    let known = registry.services.get(usize::from(service)).ok_or(FailCode::NoService)?;
    let type_ = known.parameter(name).ok_or(FailCode::NoParameter)?;
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

/// `Services.applyOne(service, part…)`: what can be done here is done.
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
    let known = registry.services.get(usize::from(index)).ok_or(FailCode::NoService)?;
    match &known.kind {
        ServiceKind::Builtin(edits) => {
            edits.apply(transaction)?;
            transaction.applied.push(index);
            Ok(Application::Done)
        }
        ServiceKind::Canned(answers) => {
            let n_before = transaction.applied.iter().filter(|known| **known == index).count();
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
                uri: &known.uri,
                parameters,
                parts,
            }))
        }
    }
}

/// Takes over what a service answered.
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
