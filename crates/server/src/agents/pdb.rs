//! PuppetDB's API, so that its tools and other servers find the store where they look for it.

mod archive;
mod command;
mod meta;
mod query;

pub(super) use archive::archive;
pub(super) use command::command;
pub(super) use meta::{metric, metrics, server_time, status, version};
pub(super) use query::{limits, query};

use hyper::StatusCode;
use hyper::header::{HOST, HeaderName};

use super::exchange::RouteError;
use super::records::Records;
use super::server::AgentServer;

/// The version of PuppetDB whose API this is.
const VERSION: &str = "7.12.1";

const ORIGIN: HeaderName = HeaderName::from_static("origin");

/// Returns the store of Kukla's own; a server without one has no such routes.
pub(super) fn records(server: &AgentServer) -> Result<&Records, RouteError> {
    server.records.as_ref().ok_or_else(|| server.not_own())
}

/// Returns whether a path is one of those that the listener for tools has.
pub(super) fn is_path(path: &str) -> bool {
    ["/pdb/", "/metrics/v2/", "/status/v1/"].iter().any(|prefix| path.starts_with(prefix))
}

/// Refuses requests on the listener for tools that a page in a browser of this machine may have made: that listener
/// asks for no certificate.
pub(super) fn refuse_pages<B>(request: &hyper::Request<B>) -> Result<(), RouteError> {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let authority = host.parse::<hyper::http::uri::Authority>().ok();
    let name = authority.as_ref().map_or("", |authority| authority.host());
    let is_address = name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
    let is_local = host.is_empty() || is_address || name.eq_ignore_ascii_case("localhost");
    match is_local && !request.headers().contains_key(ORIGIN) {
        true => Ok(()),
        false => Err(RouteError::text(
            StatusCode::FORBIDDEN,
            "this address is for tools on this machine, by the name `localhost` or by its number",
        )),
    }
}
