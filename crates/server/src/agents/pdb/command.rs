//! The route `cmd`, by which other servers send commands.

use std::borrow::Cow;
use std::io::Read as _;
use std::time::Duration;

use flate2::read::GzDecoder;
use hyper::StatusCode;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use kukla_base::cancel::Cancel;
use kukla_site::uuid;
use kukla_store::{Submission, SubmitError};
use kukla_world::Disk;
use serde_json::{Value, json};

use super::records;
use crate::agents::exchange::{AgentRequest, Answer, RouteError};
use crate::agents::server::AgentServer;

/// The largest payload, whatever it was compressed to.
const MOST_PAYLOAD: u64 = 128 << 20;
/// The longest time that a client may wait for its command to be stored.
const MOST_SECONDS: f64 = 120.0;

/// A command as a request has it.
struct Wire<'a> {
    name: Cow<'a, str>,
    version: i64,
    payload: Cow<'a, [u8]>,
}

/// Accepts a command: it is on the disk when the answer is sent.
pub(in crate::agents) fn command(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if server.remote.is_none() {
        records(server)?;
    }
    let content_type = request.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    // A page in a browser could send anything else without asking.
    if !content_type.is_some_and(|text| text.starts_with("application/json")) {
        let words = "content type application/json is expected";
        return Err(RouteError::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    let body = inflated(request)?;
    let wire = wire(request, &body)?;
    let submission = Submission {
        name: &wire.name,
        version: wire.version,
        payload: &wire.payload,
        keeps_exports: false,
    };
    let accepted = match &server.remote {
        Some(remote) => remote.outbox.accept(submission),
        None => {
            let queue = &records(server)?.queue;
            let n_bytes = wire.payload.len();
            if !queue.has_room(n_bytes) {
                server.workers.waiting(|| queue.wait_for_room(n_bytes));
            }
            queue.accept(submission, true)
        }
    };
    let number = accepted.map_err(|error| match error {
        SubmitError::Command(error) => bad(&error.to_string()),
        error @ SubmitError::Journal { .. } => {
            server.say("store-failed", &[("error", &error.to_string())]);
            let words = "The command can't be kept; the server's log says why";
            RouteError::text(StatusCode::INTERNAL_SERVER_ERROR, words)
        }
        SubmitError::Full => RouteError::Busy(30),
    })?;
    let uuid = uuid::random(&Disk).map_err(|error| RouteError::Failed(error.to_string()))?;
    let Some(limit) = seconds(request)? else {
        return Ok(Answer::json(json!({ "uuid": uuid }).to_string()));
    };
    let is_stored = server.workers.waiting(|| match (&server.remote, &server.records) {
        (Some(remote), _) => remote.outbox.wait_for(number, limit),
        (None, Some(records)) => records.queue.wait_for(number, limit),
        (None, None) => false,
    });
    let body = json!({ "timed_out": !is_stored, "uuid": uuid, "processed": is_stored });
    let status = if is_stored { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    Ok(Answer { status, ..Answer::json(body.to_string()) })
}

fn bad(words: &str) -> RouteError {
    let body = json!({ "error": words }).to_string();
    RouteError::Untyped(StatusCode::BAD_REQUEST, body)
}

/// Returns the body, which may be compressed.
fn inflated(request: &AgentRequest) -> Result<Cow<'_, [u8]>, RouteError> {
    let is_gzip = request
        .headers
        .get(CONTENT_ENCODING)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"gzip"));
    if !is_gzip {
        return Ok(Cow::Borrowed(&request.body));
    }
    let mut body = Vec::new();
    let mut decoder = GzDecoder::new(&*request.body).take(MOST_PAYLOAD + 1);
    decoder.read_to_end(&mut body).map_err(|_| bad("the body is not what gzip has written"))?;
    match body.len() as u64 <= MOST_PAYLOAD {
        true => Ok(Cow::Owned(body)),
        false => Err(RouteError::text(StatusCode::PAYLOAD_TOO_LARGE, "the command is too large")),
    }
}

/// Reads a command: its name and version are parameters, or members of the body beside the payload.
fn wire<'a>(request: &'a AgentRequest, body: &'a [u8]) -> Result<Wire<'a>, RouteError> {
    let number = |text: &str| text.parse().map_err(|_| bad("the parameter `version` is no number"));
    if let Some(name) = request.query.get("command") {
        let version = request
            .query
            .get("version")
            .ok_or_else(|| bad("the parameter `version` is missing"))?;
        let wire = Wire { name: name.into(), version: number(version)?, payload: body.into() };
        return Ok(wire);
    }
    let wrapped: Value = serde_json::from_slice(body).map_err(|error| bad(&error.to_string()))?;
    let name = wrapped.get("command").and_then(Value::as_str);
    let version = wrapped.get("version").and_then(Value::as_i64);
    let (Some(name), Some(version), Some(payload)) = (name, version, wrapped.get("payload")) else {
        return Err(bad("the parameters `command`, `version` and `certname` are missing"));
    };
    let payload = payload.to_string().into_bytes();
    Ok(Wire { name: name.to_owned().into(), version, payload: payload.into() })
}

/// Returns how long the client waits for its command to be stored.
fn seconds(request: &AgentRequest) -> Result<Option<Duration>, RouteError> {
    let Some(text) = request.query.get("secondsToWaitForCompletion") else { return Ok(None) };
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    let seconds = seconds.ok_or_else(|| bad("`secondsToWaitForCompletion` is no number"))?;
    Ok(Some(Duration::from_secs_f64(seconds.min(MOST_SECONDS))))
}
