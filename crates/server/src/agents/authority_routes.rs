//! The routes of the certificate authority.

use std::time::{Duration, SystemTime};

use hyper::header::IF_MODIFIED_SINCE;
use hyper::{Method, StatusCode};
use kukla_base::cancel::Cancel;
use kukla_ca::{Authority, CaError, CertificateState, CertificateStatus};
use serde_json::{Value, json};

use super::exchange::{AgentRequest, Answer, RouteError};
use super::server::AgentServer;

/// The type of texts and PEM.
const PLAIN: &str = "text/plain";

type Answered = Result<Answer, RouteError>;

impl AgentServer {
    fn authority(&self) -> Result<&Authority, RouteError> {
        let missing = || RouteError::text(StatusCode::NOT_FOUND, "Not Found");
        self.authority.as_deref().ok_or_else(missing)
    }
}

/// Answers with a certificate; that of `ca` is the bundle.
pub(super) fn certificate(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let name = request.path.join("/");
    let found = server.authority()?.certificate(&name).map_err(failed)?;
    pem(found, || format!("Could not find certificate {name}"))
}

/// Answers with a request, or accepts one.
pub(super) fn request(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let (authority, name) = (server.authority()?, request.path.join("/"));
    match request.method {
        Method::PUT => {
            let submission = authority.submit(&name, &request.body).map_err(refused)?;
            for note in &submission.notes {
                server.say("certificate-request", &[("name", &name), ("note", note)]);
            }
            let state = if submission.is_signed { "signed" } else { "waits" };
            server.say("certificate-request", &[("name", &name), ("state", state)]);
            Ok(Answer::new(StatusCode::OK, PLAIN, ""))
        }
        Method::DELETE => match authority.delete_request(&name).map_err(failed)? {
            true => Ok(Answer::empty(StatusCode::NO_CONTENT)),
            false => Err(not_found()),
        },
        _ => {
            let found = authority.request(&name).map_err(failed)?;
            pem(found, || format!("Could not find certificate_request {name}"))
        }
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
    let crl = server.authority()?.crl().map_err(failed)?;
    let since = request.headers.get(IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
    let since = since.and_then(|text| httpdate::parse_http_date(text).ok());
    match since.is_some_and(|since| seconds(crl.modified) <= seconds(since)) {
        true => Ok(Answer::empty(StatusCode::NOT_MODIFIED)),
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

/// Answers with the state of a name, changes it, or removes the name.
pub(super) fn status(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let (authority, name) = (server.authority()?, request.path.join("/"));
    match request.method {
        Method::PUT => change(server, authority, &name, &request.body),
        Method::DELETE => match authority.delete(&name).map_err(failed)? {
            true => Ok(Answer::empty(StatusCode::NO_CONTENT)),
            false => Err(not_found()),
        },
        _ => match authority.status(&name).map_err(failed)? {
            Some(status) => Ok(Answer::json(described(&status).to_string())),
            None => {
                let answer = Answer::json("Resource not found.");
                Ok(Answer { status: StatusCode::NOT_FOUND, ..answer })
            }
        },
    }
}

fn not_found() -> RouteError {
    RouteError::text(StatusCode::NOT_FOUND, "Resource not found.")
}

/// Signs or revokes, as the body says.
fn change(server: &AgentServer, authority: &Authority, name: &str, body: &[u8]) -> Answered {
    let bad = |words: &str| RouteError::text(StatusCode::BAD_REQUEST, words);
    let fields = object(body)?;
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
            return Err(bad(&format!(
                "cert_ttl specified for host {name} must be an integer, not \"{other}\""
            )));
        }
    };
    if authority.status(name).map_err(failed)?.is_none() {
        return Err(RouteError::text(StatusCode::NOT_FOUND, "Invalid certificate subject."));
    }
    match state {
        "signed" => authority.sign(name, lifetime),
        _ => authority.revoke(&[name.to_owned()]),
    }
    .map_err(conflict)?;
    server.say("certificate", &[("name", name), ("state", state)]);
    Ok(Answer::empty(StatusCode::NO_CONTENT))
}

/// Answers with the states of all names.
pub(super) fn statuses(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let state = request.query.get("state").and_then(CertificateState::parse);
    let statuses = server.authority()?.statuses(state).map_err(failed)?;
    Ok(Answer::json(statuses.iter().map(described).collect::<Value>().to_string()))
}

fn described(status: &CertificateStatus) -> Value {
    let fingerprints = &status.fingerprints;
    let extensions = status.authorization_extensions.iter();
    let extensions = extensions.map(|(name, value)| (name.clone(), Value::from(value.as_str())));
    let mut fields = json!({
        "name": status.name,
        "state": status.state.word(),
        "dns_alt_names": status.alt_names.dns_texts(),
        "subject_alt_names": status.alt_names.texts(),
        "authorization_extensions": extensions.collect::<serde_json::Map<_, _>>(),
        "fingerprint": fingerprints.sha256,
        "fingerprints": {
            "SHA1": fingerprints.sha1, "SHA256": fingerprints.sha256,
            "SHA512": fingerprints.sha512, "default": fingerprints.sha256,
        },
    });
    if let Some(validity) = &status.validity {
        fields["not_before"] = validity.not_before.as_str().into();
        fields["not_after"] = validity.not_after.as_str().into();
        let serial = validity.serial.to_string();
        fields["serial_number"] = serial.parse::<u64>().map_or_else(|_| serial.into(), Value::from);
    }
    fields
}

/// Revokes and removes certificates.
pub(super) fn clean(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let fields = object(&request.body)?;
    let Some(names) = names(&fields) else {
        let words =
            "Missing required key: 'certnames'. Please supply the list of certs you want to clean.";
        return Ok(Answer::new(StatusCode::BAD_REQUEST, PLAIN, words));
    };
    if fields.get("async") == Some(&Value::Bool(true)) {
        let words = "The 'async' option is not supported";
        return Ok(Answer::new(StatusCode::BAD_REQUEST, PLAIN, words));
    }
    let cleaned = server.authority()?.clean(&names).map_err(conflict)?;
    let words = match cleaned.missing.as_slice() {
        [] => "Successfully cleaned all certs.".to_owned(),
        missing => {
            let missing = Value::from(missing);
            format!("The following certs do not exist and cannot be revoked: {missing}")
        }
    };
    Ok(Answer::new(StatusCode::OK, PLAIN, words))
}

/// Signs requests by name, or all of them.
pub(super) fn sign(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let authority = server.authority()?;
    let signed = match request.path.as_slice() {
        [] => {
            let fields = object(&request.body)?;
            let Some(names) = names(&fields) else {
                let body = json!({
                    "kind": "schema-violation", "submitted": fields, "error": "certnames is missing",
                });
                let answer = Answer::json(body.to_string());
                return Ok(Answer { status: StatusCode::UNPROCESSABLE_ENTITY, ..answer });
            };
            authority.sign_many(&names)
        }
        [all] if all == "all" => authority.sign_all(),
        _ => return Err(not_found()),
    };
    let signed = signed.map_err(failed)?;
    let body = json!({
        "signed": signed.signed, "no-csr": signed.no_csr, "signing-errors": signed.signing_errors,
    });
    Ok(Answer::json(body.to_string()))
}

/// Answers when certificates and revocation lists of the authorities end.
pub(super) fn expirations(server: &AgentServer, _: &AgentRequest, _: &Cancel) -> Answered {
    let ends = server.authority()?.expirations().map_err(failed)?;
    let object = |pairs: Vec<(String, String)>| {
        let pairs = pairs.into_iter().map(|(name, end)| (name, Value::from(end)));
        pairs.collect::<serde_json::Map<_, _>>()
    };
    let body = json!({ "ca-certs": object(ends.ca_certs), "crls": object(ends.crls) });
    Ok(Answer::new(StatusCode::OK, "application/json", body.to_string()))
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

fn object(body: &[u8]) -> Result<serde_json::Map<String, Value>, RouteError> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(RouteError::text(StatusCode::BAD_REQUEST, "Request body is not JSON.")),
    }
}

fn names(fields: &serde_json::Map<String, Value>) -> Option<Vec<String>> {
    let names = fields.get("certnames")?.as_array()?;
    names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
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
