//! The routes `status`, and the admin API.

use hyper::header::ALLOW;
use hyper::{Method, StatusCode};

use super::exchange::{AgentRequest, Answer, RouteError, TEXT};
use super::server::AgentServer;

/// Services as Puppet Server names them; tools look for `ca`, `server` and `master`.
const SERVICES: &[&str] =
    &["puppet-profiler", "jruby-metrics", "ca", "master", "server", "status-service"];

impl AgentServer {
    fn services(&self) -> impl Iterator<Item = &'static str> {
        let has_ca = self.has_authority();
        SERVICES.iter().copied().filter(move |name| *name != "ca" || has_ca)
    }
}

/// Answers whether a service, or all of them, run.
pub(super) fn simple(server: &AgentServer, request: &AgentRequest) -> Result<Answer, RouteError> {
    match request.path.as_slice() {
        [] => Ok(state(server)),
        [name] if server.services().any(|known| known == name) => Ok(state(server)),
        names => {
            let words = format!("not found: {}", names.join("/"));
            Err(RouteError::text(StatusCode::NOT_FOUND, words))
        }
    }
}

fn state(server: &AgentServer) -> Answer {
    match server.is_stopping() {
        false => Answer::text(StatusCode::OK, "running"),
        true => Answer::text(StatusCode::SERVICE_UNAVAILABLE, "stopping"),
    }
}

/// Answers with the states of services.
pub(super) fn services(server: &AgentServer, request: &AgentRequest) -> Result<Answer, RouteError> {
    let level = request.query.get("level").unwrap_or("info");
    if !["critical", "info", "debug"].contains(&level) {
        let body = serde_json::json!({
            "kind": "data-invalid", "msg": format!("Invalid level: :{level}"),
        });
        return Ok(Answer { status: StatusCode::BAD_REQUEST, ..Answer::json(body.to_string()) });
    }
    let service = |name: Option<&str>| {
        let mut service = serde_json::json!({
            "service_version": server.version, "service_status_version": 1,
            "detail_level": level, "state": "running", "status": {}, "active_alerts": [],
        });
        if let Some(name) = name {
            service["service_name"] = name.into();
        }
        service
    };
    match request.path.as_slice() {
        [] => {
            let all = server.services().map(|name| (name.to_owned(), service(None)));
            let all: serde_json::Map<String, serde_json::Value> = all.collect();
            Ok(Answer::json(serde_json::Value::from(all).to_string()))
        }
        [name] if server.services().any(|known| known == name) => {
            Ok(Answer::json(service(Some(name)).to_string()))
        }
        names => {
            let name = names.join("/");
            let body = serde_json::json!({
                "kind": "service-not-found",
                "msg": format!("No status information found for service {name}"),
            });
            Ok(Answer { status: StatusCode::NOT_FOUND, ..Answer::json(body.to_string()) })
        }
    }
}

/// Forgets environments, so that the next request reads them anew.
pub(super) fn admin(server: &AgentServer, request: &AgentRequest) -> Result<Answer, RouteError> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    match (&request.method, path.as_slice()) {
        (&Method::DELETE, ["environment-cache"]) => {
            server.site.flush(request.query.get("environment"));
            Ok(Answer::empty(StatusCode::NO_CONTENT))
        }
        (&Method::DELETE, ["jruby-pool"]) => {
            server.site.flush(None);
            Ok(Answer::empty(StatusCode::NO_CONTENT))
        }
        (_, ["environment-cache" | "jruby-pool"]) => {
            let answer = Answer::new(StatusCode::METHOD_NOT_ALLOWED, TEXT, "Method not allowed.");
            Ok(answer.with(ALLOW, "DELETE"))
        }
        _ => Ok(Answer::new(StatusCode::NOT_FOUND, "text/html; charset=utf-8", "Not Found")),
    }
}
