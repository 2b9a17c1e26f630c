//! PuppetDB's routes for tools, where PuppetDB is the store: questions are passed on.

use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use kukla_store::puppetdb::{Passed, Question};

use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::server::AgentServer;

const X_RECORDS: HeaderName = HeaderName::from_static("x-records");

/// Passes a request below a path on to PuppetDB; nothing if that is not the store.
pub(in crate::agents) fn pass(
    server: &AgentServer,
    request: &AgentRequest,
    below: &[&str],
) -> Option<Result<Answer, RouteError>> {
    let remote = server.remote.as_ref()?;
    let segments = request.path.iter().map(String::as_str);
    let path: Vec<&str> = below.iter().copied().chain(segments).collect();
    let parameters: Vec<(String, String)> = request.query.pairs().cloned().collect();
    let question = Question {
        is_post: request.method == Method::POST,
        path: &path,
        parameters: &parameters,
        body: &request.body,
    };
    let passed = server.workers.waiting(|| remote.puppetdb.pass(&question));
    Some(match passed {
        Ok(passed) => Ok(answer(passed)),
        Err(error) => Err(RouteError::text(StatusCode::BAD_GATEWAY, error.to_string())),
    })
}

fn answer(passed: Passed) -> Answer {
    let Passed { status, content_type, n_records, body } = passed;
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut answer = Answer::text(status, body);
    if let Ok(value) = HeaderValue::from_str(&content_type) {
        answer.headers.insert(CONTENT_TYPE, value);
    }
    match n_records {
        Some(number) => answer.with(X_RECORDS, &number),
        None => answer,
    }
}
