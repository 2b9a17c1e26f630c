//! Calls of services: the message goes out, and the answer comes back checked.

use std::time::Instant;

use kukla_plang::registry::OnFailure;
use kukla_plang::services::{NewBody, ServiceAnswer};

use super::call::{CallBody, CallError, OwnedCall};
use super::callout::CalloutAnswer;
use super::directory::{Directory, Ready, ReadyKind};
use super::exchange::Exchange;
use super::{builtin, is_credential, is_hop_by_hop};
use crate::body::{BodyError, Held, Keep};
use crate::engine::Engine;
use crate::icap::{IcapAnswer, IcapMethod, IcapRequest};
use crate::wire::{Fields, Head, Malformed, RequestLine, StatusLine};

/// A caller of services.
pub(super) struct Caller<'p> {
    pub(super) directory: &'p Directory,
    pub(super) keep: &'p Keep,
    /// Whether services with a name for the ICAP client are left to it.
    pub(super) plans: bool,
    /// The engine whose log gets a line about each call.
    pub(super) engine: Option<&'p Engine>,
}

impl Caller<'_> {
    /// Calls a service; what a failure means is a matter of the registry.
    pub(super) async fn answer(
        &self,
        exchange: &Exchange,
        call: &OwnedCall,
        body: Option<&mut Held<'_>>,
        made: &mut Vec<Held<'static>>,
        next: &mut Vec<String>,
    ) -> Result<ServiceAnswer, BodyError> {
        let Some(service) = self.directory.services.get(call.service) else {
            return Ok(ServiceAnswer::Failed);
        };
        if let (true, Some(name)) = (self.plans, &service.next) {
            next.push(name.clone());
            return Ok(ServiceAnswer::Unchanged);
        }
        if exchange.bypass.has(&service.uri) {
            return Ok(ServiceAnswer::Unchanged);
        }
        let mut body = body;
        let mut n_left = service.retries;
        let result = loop {
            let start = Instant::now();
            let result = match &call.body {
                CallBody::Received => self.call(service, exchange, call, body.as_deref_mut()).await,
                CallBody::Whole(bytes) => {
                    let mut whole = Held::from_bytes(bytes.clone().into(), self.keep);
                    self.call(service, exchange, call, Some(&mut whole)).await
                }
                CallBody::Held(number) => {
                    let held = made.get_mut(*number as usize);
                    self.call(service, exchange, call, held).await
                }
            };
            self.log_call(call, &result, start);
            match &result {
                Err(error) if n_left > 0 && error.may_pass() => n_left -= 1,
                _ => break result,
            }
        };
        match result {
            Ok(Made { answer, body }) => Ok(numbered(answer, body, made)),
            Err(error) => {
                error.into_body_error()?;
                Ok(match service.on_failure {
                    OnFailure::Fail => ServiceAnswer::Failed,
                    OnFailure::Unchanged => ServiceAnswer::Unchanged,
                })
            }
        }
    }

    fn log_call(&self, call: &OwnedCall, result: &Result<Made, CallError>, start: Instant) {
        let Some(engine) = self.engine else { return };
        let (word, error) = match result {
            Ok(Made { answer: ServiceAnswer::Unchanged, .. }) => ("unchanged", None),
            Ok(Made { answer: ServiceAnswer::Adapted { .. }, .. }) => ("adapted", None),
            Ok(Made { answer: ServiceAnswer::Answered { .. }, .. }) => ("answered", None),
            Ok(Made { answer: ServiceAnswer::Failed, .. }) => ("failed", None),
            Err(error) => ("failed", Some(error.to_string())),
        };
        if (word == "failed" && engine.may_report()) || engine.logs_all {
            let event = serde_json::json!({
                "event": "service", "service": call.uri, "result": word, "error": error,
                "commit": "whole", "milliseconds": u64::try_from(start.elapsed().as_millis()).ok(),
            });
            (engine.log)(&event.to_string());
        }
    }

    async fn call(
        &self,
        service: &Ready,
        exchange: &Exchange,
        call: &OwnedCall,
        body: Option<&mut Held<'_>>,
    ) -> Result<Made, CallError> {
        let body = body.filter(|body| body.size() != Some(0));
        let size = body.as_ref().map_or(Some(0), |body| body.size());
        if size.is_some_and(|size| size > service.limit) {
            return Err(CallError::Answer(BodyError::TooLarge));
        }
        let sees = service.sees_credentials;
        let request = request_head(
            exchange,
            &call.request,
            call.response.is_none().then_some(size).flatten(),
            sees,
        );
        let response = call.response.as_ref().map(|(status, fields)| {
            let mut out = format!("HTTP/1.1 {status} {}\r\n", reason(*status)).into_bytes();
            write_fields(&mut out, fields, size, sees);
            out
        });
        let mut fields = call.fields.clone();
        if let Some(client) = exchange.client {
            fields.push(("X-Client-IP".to_owned(), client.to_string().into_bytes()));
        }
        let (head, is_response, new_body) = match &service.kind {
            ReadyKind::Builtin(edits) => {
                let answer = builtin::apply(edits, call, body, service.limit).await?;
                return Ok(Made { answer, body: None });
            }
            ReadyKind::Other => return Err(CallError::Unknown),
            ReadyKind::Icap(client) => {
                let method =
                    if response.is_some() { IcapMethod::Respmod } else { IcapMethod::Reqmod };
                let message = IcapRequest { method, request, response, fields };
                match client.adapt(&message, body).await.map_err(CallError::Icap)? {
                    IcapAnswer::Unchanged => return Ok(Made::unchanged()),
                    IcapAnswer::Adapted { head, is_response, body } => (head, is_response, body),
                }
            }
            ReadyKind::Callout(callout) => {
                let target = exchange.target.clone();
                let line = [&exchange.method, &b" "[..], &target, b" HTTP/1.1"].concat();
                fields.push(("X-P-Request".to_owned(), line));
                let (head, is_response) =
                    (response.as_ref().unwrap_or(&request), response.is_some());
                match callout.call(head, is_response, &fields, body).await? {
                    CalloutAnswer::Unchanged => return Ok(Made::unchanged()),
                    CalloutAnswer::Adapted(head, body) => {
                        let is_response = head.line().starts_with(b"HTTP/");
                        (head, is_response, Some(body))
                    }
                }
            }
        };
        adapted(exchange, call, sees, &head, is_response, new_body)
    }
}

/// Returns the head of the request, as a service gets it.
fn request_head(
    exchange: &Exchange,
    fields: &Fields,
    size: Option<u64>,
    sees_credentials: bool,
) -> Vec<u8> {
    let mut out = [&exchange.method, &b" "[..], &exchange.target, b" HTTP/1.1\r\n"].concat();
    write_fields(&mut out, fields, size, sees_credentials);
    out
}

/// Writes the fields of a message that is sent to a service.
fn write_fields(out: &mut Vec<u8>, fields: &Fields, size: Option<u64>, sees_credentials: bool) {
    for (name, value) in fields {
        if !is_hop_by_hop(name) && (sees_credentials || !is_credential(name)) {
            out.extend_from_slice(&[name, &b": "[..], value, b"\r\n"].concat());
        }
    }
    if let Some(size) = size {
        out.extend_from_slice(format!("Content-Length: {size}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// An answer, and the body that belongs to it.
struct Made {
    answer: ServiceAnswer,
    body: Option<Held<'static>>,
}

impl Made {
    fn unchanged() -> Self {
        Self { answer: ServiceAnswer::Unchanged, body: None }
    }
}

/// Turns an adapted message into the answer of a service, and checks that it is consistent.
fn adapted(
    exchange: &Exchange,
    call: &OwnedCall,
    sees_credentials: bool,
    head: &Head,
    is_response: bool,
    body: Option<Held<'static>>,
) -> Result<Made, CallError> {
    let malformed = |reason: Malformed| CallError::Wire(reason.into());
    let size = body.as_ref().map_or(0, |body| body.size().unwrap_or(0));
    let declared = head.only("content-length").map_err(|_| malformed(Malformed::Length))?;
    let has_no_body = body.is_none() && is_response;
    if !has_no_body && declared.is_some_and(|declared| declared != size.to_string().as_bytes()) {
        return Err(malformed(Malformed::Length));
    }
    let is_dropped =
        |name: &[u8]| is_hop_by_hop(name) && !name.eq_ignore_ascii_case(b"content-length");
    let mut headers = head.to_fields();
    headers.retain(|(name, _)| !is_dropped(name));
    let status = match is_response {
        true => Some(StatusLine::parse(head).map_err(malformed)?.status),
        false => {
            let line = RequestLine::parse(head).map_err(malformed)?;
            if line.method != exchange.method || line.target != exchange.target {
                return Err(CallError::Rewritten);
            }
            None
        }
    };
    let new = NewBody::Held { number: 0, preview: Vec::new(), size };
    let is_answer = is_response && call.response.is_none();
    if status.is_some_and(|status| status < 200) || (!is_response && call.response.is_some()) {
        return Err(malformed(Malformed::StartLine));
    }
    // Fields that were withheld were not for the service to remove.
    let is_withheld = |name: &[u8]| {
        (!sees_credentials && is_credential(name)) || name.eq_ignore_ascii_case(b"upgrade")
    };
    if !is_answer {
        headers.extend(call.current().iter().filter(|(name, _)| is_withheld(name)).cloned());
    }
    let answer = match (is_answer, status) {
        (true, Some(status)) => ServiceAnswer::Answered { status, headers, body: new },
        _ => ServiceAnswer::Adapted { headers, status, body: Some(new) },
    };
    Ok(Made { answer, body })
}

/// Puts the new body among those that are kept, and its number into the answer.
fn numbered(
    mut answer: ServiceAnswer,
    body: Option<Held<'static>>,
    made: &mut Vec<Held<'static>>,
) -> ServiceAnswer {
    let place = match &mut answer {
        ServiceAnswer::Adapted { body: Some(new), .. }
        | ServiceAnswer::Answered { body: new, .. } => new,
        _ => return answer,
    };
    if let NewBody::Held { number, .. } = place {
        match body {
            None => *place = NewBody::Whole(Vec::new()),
            Some(body) => {
                *number = u32::try_from(made.len()).unwrap_or(u32::MAX);
                made.push(body);
            }
        }
    }
    answer
}

/// Returns the usual words for a status.
pub(crate) fn reason(status: u16) -> &'static str {
    hyper::StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Status")
}
