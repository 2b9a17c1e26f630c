//! The route `query`, by which tools ask the store.

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, StatusCode};
use kukla_base::cancel::Cancel;
use kukla_store::query::{Limits, QueryError, Request, Unanswered};
use kukla_store::time;

use super::{Gradual, records};
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::records::Records;
use crate::agents::remote::pass;
use crate::agents::server::AgentServer;

/// The largest answer.
const MOST_BYTES: usize = 1 << 30;

/// Answers a query.
pub(in crate::agents) fn query(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if let Some(passed) = pass(server, request, &["pdb", "query", "v4"]) {
        return passed;
    }
    let records = records(server)?;
    let limits = Limits { answer_bytes: MOST_BYTES, ..limits(records) };
    let mut gradual = Gradual::new(server, request);
    let answered = read(request, &limits)
        .map_err(Unanswered::from)
        .and_then(|asked| records.store.stream(&asked, &limits, &mut gradual));
    match answered {
        Ok(()) => gradual.finish(),
        Err(Unanswered::Gone(_)) => Err(gradual.broken("the client takes no more")),
        Err(Unanswered::Query(error)) => {
            if let QueryError::Store(error) = &error {
                server.say("store-failed", &[("error", &error.to_string())]);
            }
            match gradual.has_begun() {
                false => Ok(refusal(&error)),
                true => Err(gradual.broken(&error.to_string())),
            }
        }
    }
}

fn read(request: &AgentRequest, limits: &Limits) -> Result<Request, QueryError> {
    let segments: Vec<&str> = request.path.iter().map(String::as_str).collect();
    if request.method == Method::GET {
        let parameters: Vec<(String, String)> = request.query.pairs().cloned().collect();
        return Request::get(&segments, &parameters, limits);
    }
    let body = std::str::from_utf8(&request.body);
    Request::post(&segments, body.unwrap_or_default(), limits)
}

fn refusal(error: &QueryError) -> Answer {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let (content_type, body) = error.body();
    let mut answer = Answer::text(status, body);
    answer.headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

/// Returns the bounds of a query: nodes that are to be removed soon are not shown even as inactive ones.
pub(in crate::agents) fn limits(records: &Records) -> Limits {
    let age = i64::try_from(records.retention.node_purge_ttl.as_millis()).unwrap_or(i64::MAX);
    let inactive_since = if age == 0 { 0 } else { time::now().saturating_sub(age) };
    Limits { inactive_since, ..Limits::default() }
}
