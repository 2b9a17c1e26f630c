//! The routes of the certificate authority.

use std::path::Path;
use std::time::{Duration, SystemTime};

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, IF_MODIFIED_SINCE};
use hyper::{Method, StatusCode};
use kukla_base::cancel::Cancel;
use kukla_ca::{Authority, CaError, CertificateState, CertificateStatus};
use serde_json::{Value, json};

use super::exchange::{AgentRequest, Answer, JSON, RouteError};
use super::server::AgentServer;

/// The type of texts and PEM.
const PLAIN: &str = "text/plain";
/// The type of JSON where Puppet Server names no charset.
const PLAIN_JSON: &str = "application/json";
const NO_JSON: &str = "Request body is not JSON.";
/// Seconds after which a client may submit its request again if too many wait; agents ask for their certificate that often.
const RETRY: u64 = 120;

type Answered = Result<Answer, RouteError>;

impl AgentServer {
    fn authority(&self) -> Result<&Authority, RouteError> {
        let missing = || RouteError::text(StatusCode::NOT_FOUND, "Not Found");
        self.authority.as_deref().ok_or_else(missing)
    }

    /// Returns the answer of another CA if requests are handed on.
    fn handed_on(&self, kind: &str, request: &AgentRequest) -> Option<Answered> {
        let other = self.other_authority.as_ref()?;
        Some(other.answer(kind, request))
    }
}

/// Returns the answer of another CA, or the server's own copy of what was asked for while that CA is away.
fn or_copy(answer: Answered, copy: Option<&Path>) -> Answered {
    let answer = answer?;
    let is_away = answer.status == StatusCode::SERVICE_UNAVAILABLE;
    match copy.filter(|_| is_away).and_then(|path| std::fs::read(path).ok()) {
        Some(bytes) => Ok(Answer::new(StatusCode::OK, PLAIN, bytes)),
        None => Ok(answer),
    }
}

/// Answers with a certificate; that of `ca` is the bundle.
pub(super) fn certificate(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    if let Some(answer) = server.handed_on("certificate", request) {
        let is_bundle = request.path.as_slice() == ["ca"];
        let own = server.tls.as_ref().map(|tls| tls.files().authorities.as_path());
        return or_copy(answer, own.filter(|_| is_bundle));
    }
    let name = name_of(request)?;
    let found = server.authority()?.certificate(name).map_err(failed)?;
    pem(found, || format!("Could not find certificate {name}"))
}

/// Answers with a request, or accepts one.
pub(super) fn request(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    if let Some(answer) = server.handed_on("certificate_request", request) {
        return answer;
    }
    let (authority, name) = (server.authority()?, name_of(request)?);
    match request.method {
        Method::PUT => submit(server, authority, name, &request.body),
        Method::DELETE => match authority.delete_request(name).map_err(failed)? {
            true => Ok(Answer::empty(StatusCode::NO_CONTENT)),
            false => Err(not_found()),
        },
        _ => {
            let found = authority.request(name).map_err(failed)?;
            pem(found, || format!("Could not find certificate_request {name}"))
        }
    }
}

fn submit(server: &AgentServer, authority: &Authority, name: &str, body: &[u8]) -> Answered {
    let say = |what: &str, words: &str| {
        server.say("certificate-request", &[("name", name), (what, words)]);
    };
    let submission = authority.submit(name, body).map_err(|error| match error {
        CaError::TooManyRequests(_) => {
            say("note", &error.to_string());
            RouteError::Busy(RETRY)
        }
        error => refused(error),
    })?;
    for note in &submission.notes {
        say("note", note);
    }
    say("state", if submission.is_signed { "signed" } else { "waits" });
    Ok(Answer::new(StatusCode::OK, PLAIN, ""))
}

/// Returns the one name behind the prefix of the route.
fn name_of(request: &AgentRequest) -> Result<&str, RouteError> {
    match request.path.as_slice() {
        [name] => Ok(name),
        _ => Err(RouteError::text(StatusCode::NOT_FOUND, "Not Found")),
    }
}

fn pem(found: Option<Vec<u8>>, missing: impl FnOnce() -> String) -> Answered {
    match found {
        Some(bytes) => Ok(Answer::new(StatusCode::OK, PLAIN, bytes)),
        None => Ok(Answer::new(StatusCode::NOT_FOUND, PLAIN, missing())),
    }
}

/// Answers with the revocation lists, unless the client has them.
pub(super) fn crl(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    if let Some(answer) = server.handed_on("certificate_revocation_list", request) {
        let own = server.tls.as_ref().and_then(|tls| tls.files().revocations.as_deref());
        return or_copy(answer, own);
    }
    let crl = server.authority()?.crl().map_err(failed)?;
    let since = request.headers.get(IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
    let since = since.and_then(|text| httpdate::parse_http_date(text).ok());
    match since.is_some_and(|since| seconds(crl.modified) <= seconds(since)) {
        true => Ok(Answer::new(StatusCode::NOT_MODIFIED, PLAIN, "")),
        false => Ok(Answer::new(StatusCode::OK, PLAIN, crl.bytes)),
    }
}

/// Returns whole seconds: dates of HTTP have no parts of them.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Replaces revocation lists of the other authorities of the chain.
pub(super) fn update_crls(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    server.authority()?.update_crls(&request.body).map_err(refused)?;
    Ok(Answer::text(StatusCode::OK, "Successfully updated CRLs."))
}

/// Answers with the state of a name, changes it, or removes the name. The body is looked at before the types, as in
/// Puppet Server.
pub(super) fn status(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let (authority, name) = (server.authority()?, name_of(request)?);
    if request.method == Method::PUT {
        let change = Change::read(name, &request.body)?;
        expect_json(&request.headers)?;
        accepted_type(&request.headers)?;
        return change.make(server, authority, name);
    }
    let media_type = accepted_type(&request.headers)?;
    if request.method == Method::DELETE {
        return match authority.delete(name).map_err(failed)? {
            true => Ok(Answer::empty(StatusCode::NO_CONTENT)),
            false => Err(not_found()),
        };
    }
    let (status, text) = match authority.status(name).map_err(failed)? {
        Some(status) => (StatusCode::OK, status.to_json().to_string()),
        None => (StatusCode::NOT_FOUND, "Resource not found.".to_owned()),
    };
    Ok(Answer::new(status, media_type, text))
}

/// Returns the type of an answer that the client takes; it may name it as Puppet does, or not at all.
fn accepted_type(headers: &HeaderMap) -> Result<&'static str, RouteError> {
    let Some(accept) = headers.get(ACCEPT) else { return Ok(JSON) };
    let accept = accept.to_str().unwrap_or_default();
    let mut words = accept.split(',').map(|word| word.split(';').next().unwrap_or_default().trim());
    let found = words.find_map(|word| match word {
        "application/json" | "application/*" | "*/*" | "" => Some(JSON),
        "text/pson" | "text/*" => Some("text/pson; charset=utf-8"),
        "pson" => Some("pson; charset=utf-8"),
        _ => None,
    });
    let words = "No acceptable resource available.";
    found.ok_or_else(|| RouteError::text(StatusCode::NOT_ACCEPTABLE, words))
}

/// Refuses a body of another type than JSON; one without a type passes.
fn expect_json(headers: &HeaderMap) -> Result<(), RouteError> {
    let Some(content_type) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let content_type = content_type.to_str().unwrap_or_default();
    let mime = content_type.split(';').next().unwrap_or_default().trim();
    match ["application/json", "text/pson", "pson"].contains(&mime) {
        true => Ok(()),
        false => {
            let words = "Unsupported media type.";
            Err(RouteError::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, words))
        }
    }
}

fn not_found() -> RouteError {
    RouteError::text(StatusCode::NOT_FOUND, "Resource not found.")
}

/// A change of a state that a client asks for.
struct Change {
    is_signed: bool,
    lifetime: Option<Duration>,
}

impl Change {
    fn read(name: &str, body: &[u8]) -> Result<Self, RouteError> {
        let bad = |words: &str| RouteError::text(StatusCode::BAD_REQUEST, words);
        let fields = parsed(body).ok_or_else(|| bad(NO_JSON))?;
        let Some(state) = fields.get("desired_state").and_then(Value::as_str) else {
            return Err(bad("Missing required parameter \"desired_state\""));
        };
        if !["signed", "revoked"].contains(&state) {
            return Err(bad(&format!(
                "State {state} invalid; Must specify desired state of 'signed' or 'revoked' for host {name}."
            )));
        }
        let lifetime = match fields.get("cert_ttl") {
            None | Some(Value::Null) => None,
            Some(Value::Number(number)) if number.as_u64().is_some_and(|seconds| seconds > 0) => {
                number.as_u64().map(Duration::from_secs)
            }
            Some(other) => {
                let other = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
                return Err(bad(&format!(
                    "cert_ttl specified for host {name} must be an integer, not \"{other}\""
                )));
            }
        };
        Ok(Self { is_signed: state == "signed", lifetime })
    }

    fn make(&self, server: &AgentServer, authority: &Authority, name: &str) -> Answered {
        let (changed, state) = match self.is_signed {
            true => (authority.sign(name, self.lifetime), "signed"),
            false => (authority.revoke(&[name.to_owned()]), "revoked"),
        };
        changed.map_err(conflict)?;
        server.say("certificate", &[("name", name), ("state", state)]);
        Ok(Answer::new(StatusCode::NO_CONTENT, PLAIN, ""))
    }
}

/// Answers with the states of all names; Puppet Server wants any key behind the path.
pub(super) fn statuses(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let authority = server.authority()?;
    if request.path.is_empty() {
        return Err(RouteError::text(StatusCode::BAD_REQUEST, "Missing URL Segment"));
    }
    if request.method != Method::GET {
        return Err(RouteError::text(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed."));
    }
    let media_type = accepted_type(&request.headers)?;
    let state = request.query.get("state").and_then(CertificateState::parse);
    let statuses = authority.statuses(state).map_err(failed)?;
    let body = statuses.iter().map(CertificateStatus::to_json).collect::<Value>();
    Ok(Answer::new(StatusCode::OK, media_type, body.to_string()))
}

/// Revokes and removes certificates.
pub(super) fn clean(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let bad = |words: &'static str| Answer::new(StatusCode::BAD_REQUEST, PLAIN, words);
    let Some(fields) = parsed(&request.body) else { return Ok(bad(NO_JSON)) };
    if fields.get("async") == Some(&Value::Bool(true)) {
        return Ok(bad("Async mode is not currently supported."));
    }
    let Some(names) = fields.get("certnames").and_then(texts) else {
        return Ok(bad(
            "Missing required key: 'certnames'. Please supply the list of certs you want to clean.",
        ));
    };
    let cleaned = server.authority()?.clean(&names).map_err(conflict)?;
    let words = match cleaned.missing.as_slice() {
        [] => "Successfully cleaned all certs.".to_owned(),
        missing => {
            let missing: Vec<String> = missing.iter().map(|name| format!("{name:?}")).collect();
            let missing = missing.join(" ");
            format!("The following certs do not exist and cannot be revoked: [{missing}]")
        }
    };
    Ok(Answer::new(StatusCode::OK, PLAIN, words))
}

/// Signs requests by name, or all of them.
pub(super) fn sign(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let authority = server.authority()?;
    let signed = match request.path.as_slice() {
        [] => {
            let submitted = serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
            let submitted = submitted.get("certnames").cloned().unwrap_or_default();
            let Some(names) = texts(&submitted) else {
                let error = "certnames must be a list of texts";
                let body =
                    json!({ "kind": "schema-violation", "submitted": submitted, "error": error });
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                return Ok(Answer::new(status, PLAIN_JSON, body.to_string()));
            };
            authority.sign_many(&names)
        }
        [all] if all == "all" => authority.sign_all(),
        _ => return Err(not_found()),
    };
    let body = signed.map_err(failed)?.to_json();
    Ok(Answer::new(StatusCode::OK, PLAIN_JSON, body.to_string()))
}

/// Answers when certificates and revocation lists of the authorities end.
pub(super) fn expirations(server: &AgentServer, _: &AgentRequest, _: &Cancel) -> Answered {
    let ends = server.authority()?.expirations().map_err(failed)?;
    Ok(Answer::new(StatusCode::OK, PLAIN_JSON, ends.to_json().to_string()))
}

/// Answers with a new certificate for the client's key.
pub(super) fn renew(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let authority = server.authority()?;
    let Some(own) = &request.client.certificate else {
        return Err(refused(CaError::RenewalInvalid));
    };
    match authority.renew(own) {
        Ok(bytes) => Ok(Answer::new(StatusCode::OK, PLAIN, bytes)),
        Err(error @ CaError::RenewalDisabled) => {
            Err(RouteError::text(StatusCode::NOT_FOUND, error.to_string()))
        }
        Err(error @ CaError::RenewalForeign) => {
            Err(RouteError::text(StatusCode::FORBIDDEN, error.to_string()))
        }
        Err(error) => Err(refused(error)),
    }
}

/// Returns a body that is JSON; for Puppet Server `null` and `false` are none.
fn parsed(body: &[u8]) -> Option<Value> {
    let value = serde_json::from_slice(body).ok()?;
    (!matches!(value, Value::Null | Value::Bool(false))).then_some(value)
}

/// Returns the texts of a list; none if it is no list, or one of them is no text.
fn texts(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands errors over")]
fn failed(error: CaError) -> RouteError {
    RouteError::text(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// Returns the error of a request that a client is to blame for.
fn refused(error: CaError) -> RouteError {
    match error.is_refusal() {
        true => RouteError::text(StatusCode::BAD_REQUEST, error.to_string()),
        false => failed(error),
    }
}

/// Returns the error of a change that the state of a name does not allow.
fn conflict(error: CaError) -> RouteError {
    match &error {
        CaError::UnknownSubject(_) => RouteError::text(StatusCode::NOT_FOUND, error.to_string()),
        CaError::Lifetime => RouteError::text(StatusCode::BAD_REQUEST, error.to_string()),
        _ if error.is_refusal() => RouteError::text(StatusCode::CONFLICT, error.to_string()),
        _ => failed(error),
    }
}
