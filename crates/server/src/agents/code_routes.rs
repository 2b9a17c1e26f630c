//! The routes of information about code. Their errors are plain texts.

use hyper::StatusCode;
use kukla_base::cancel::Cancel;

use super::exchange::{AgentRequest, Answer, RouteError};
use super::nodes::{is_environment_name, not_alphanumeric};
use super::server::AgentServer;

/// Answers `environments`.
pub(super) fn environments(
    server: &AgentServer,
    _: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    Ok(server.files.code.environments(&server.site))
}

/// Answers `environment_classes`.
pub(super) fn classes(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    server.files.code.classes(&server.site, environment(request)?, &request.headers)
}

/// Answers `environment_modules`.
pub(super) fn modules(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    let name = request.query.get("environment").map(|_| environment(request)).transpose()?;
    server.files.code.modules(&server.site, name)
}

/// Answers `environment_transports`.
pub(super) fn transports(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    server.files.code.transports(&server.site, environment(request)?, &request.headers)
}

/// Answers `tasks` and `tasks/MODULE/TASK`.
pub(super) fn tasks(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    let code = &server.files.code;
    match request.path.as_slice() {
        [] if !request.ends_in_slash => code.tasks(&server.site, environment(request)?),
        [module, task] => code.task(&server.site, environment(request)?, module, task),
        _ => Err(RouteError::text(StatusCode::NOT_FOUND, "Not Found")),
    }
}

fn environment(request: &AgentRequest) -> Result<&str, RouteError> {
    let bad = |words: String| RouteError::text(StatusCode::BAD_REQUEST, words);
    match request.query.get("environment") {
        Some(name) if is_environment_name(name) => Ok(name),
        Some(name) => Err(bad(not_alphanumeric(name))),
        None => Err(bad("An environment parameter must be specified".to_owned())),
    }
}
