//! The routes of files, the file bucket, reports and code information.

use std::sync::Arc;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_site::OpenEnvironment;

use super::exchange::{AgentRequest, Answer, RouteError};
use super::files::{FileEnvironment, FileError, FileRequest, FileServer};
use super::negotiation::{Format, accepted};
use super::nodes::{existing_environment, is_environment_name, name_of, not_alphanumeric};
use super::server::AgentServer;

type Answered = Result<Answer, RouteError>;

/// Answers `file_metadata`.
pub(super) fn metadata(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let environment = opened(server, request)?;
    accepted(&request.headers, Format::DATA)?;
    file(server, request, &environment, FileServer::metadata)
}

/// Answers `file_metadatas`.
pub(super) fn metadatas(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let environment = opened(server, request)?;
    accepted(&request.headers, Format::DATA)?;
    file(server, request, &environment, FileServer::metadatas)
}

/// Answers `file_content`.
pub(super) fn content(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let environment = opened(server, request)?;
    file(server, request, &environment, FileServer::content)
}

fn file(
    server: &AgentServer,
    request: &AgentRequest,
    environment: &OpenEnvironment,
    answer: impl FnOnce(&FileServer, &FileRequest<'_>) -> Result<Answer, FileError>,
) -> Answered {
    let key = request.path.join("/");
    let directories = FileEnvironment {
        modulepath: &environment.snapshot.environment().modulepath,
        codedir: &server.codedir,
    };
    let request = FileRequest {
        key: &key,
        query: &request.query,
        environment: directories,
        client: request.client.certname.as_deref().unwrap_or_default(),
    };
    Ok(answer(&server.files, &request)?)
}

fn opened(
    server: &AgentServer,
    request: &AgentRequest,
) -> Result<Arc<OpenEnvironment>, RouteError> {
    let name = existing_environment(server, request)?;
    server.site.environment(&name).map_err(|error| RouteError::Failed(error.to_string()))
}

/// Answers `file_bucket_file`.
pub(super) fn bucket(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    existing_environment(server, request)?;
    let AgentRequest { method, path, query, headers, body, .. } = request;
    server.bucket.answer(method, &path.join("/"), query, headers, body)
}

/// Takes a report.
pub(super) fn report(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    existing_environment(server, request)?;
    server.reports.answer(name_of(request)?, &request.headers, &request.body)
}

/// Answers `environments`.
pub(super) fn environments(server: &AgentServer, _: &AgentRequest, _: &Cancel) -> Answered {
    Ok(server.code.environments(&server.site))
}

/// Answers `environment_classes`.
pub(super) fn classes(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    server.code.classes(&server.site, named(request)?, &request.headers)
}

/// Answers `environment_modules`.
pub(super) fn modules(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let name = request.query.get("environment").map(|_| named(request)).transpose()?;
    server.code.modules(&server.site, name)
}

/// Answers `tasks`, or one of them.
pub(super) fn tasks(server: &AgentServer, request: &AgentRequest, _: &Cancel) -> Answered {
    let name = named(request)?;
    match request.path.as_slice() {
        [] => server.code.tasks(&server.site, name),
        [module, task] => server.code.task(&server.site, name, module, task),
        _ => Err(RouteError::text(StatusCode::NOT_FOUND, "Not Found")),
    }
}

/// Returns the name of the environment; these routes answer errors as texts.
fn named(request: &AgentRequest) -> Result<&str, RouteError> {
    let bad = |words: String| RouteError::text(StatusCode::BAD_REQUEST, words);
    match request.query.get("environment") {
        None => Err(bad("An environment parameter must be specified".to_owned())),
        Some(name) if is_environment_name(name) => Ok(name),
        Some(name) => Err(bad(not_alphanumeric(name))),
    }
}
