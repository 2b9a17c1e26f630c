//! The page: what the fleet is doing and why, for people, where puppetboard shows nothing of it.
//!
//! Start reading at the handlers of `fleet`, which has the map, and at `frame`, which has what all views share. A view
//! is a model that is read from the store, and two ways to show it: HTML by `maud`, which escapes whatever is written
//! in it, and JSON for clients that accept that.
//!
//! Invariant: nothing is changed by any of these routes, and no Sensitive value is shown.

mod changes;
mod data;
mod facts;
mod fleet;
mod frame;
mod node;
mod paging;
mod times;
mod uses;
mod values;

pub(super) use changes::changes;
pub(super) use facts::facts;
pub(super) use fleet::fleet;
pub(super) use frame::style;
pub(super) use node::node;
pub(super) use uses::uses;
pub(super) use values::values;

use hyper::StatusCode;
use hyper::header::{HeaderName, LOCATION};

use super::exchange::{Answer, RouteError};
use super::pdb;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Returns whether a path is one of those that the listener for the page has.
pub(super) fn is_path(path: &str) -> bool {
    path == "/kukla" || path.starts_with("/kukla/")
}

/// Sends a browser that asks for nothing to the first view.
pub(super) fn start() -> Answer {
    Answer::empty(StatusCode::SEE_OTHER).with(LOCATION, "/kukla")
}

/// Refuses requests on the listener for the page that other sites make a browser send: it asks for no certificate.
/// A link on another site may lead here.
pub(super) fn refuse_others<B>(request: &hyper::Request<B>) -> Result<(), RouteError> {
    pdb::refuse_pages(request)?;
    let is = |name: &HeaderName, wanted: &str| {
        request.headers().get(name).is_some_and(|value| value.as_bytes() == wanted.as_bytes())
    };
    let is_foreign = is(&FETCH_SITE, "cross-site") || is(&FETCH_SITE, "same-site");
    match is_foreign && !is(&FETCH_MODE, "navigate") {
        false => Ok(()),
        true => Err(RouteError::text(StatusCode::FORBIDDEN, "this page is for itself alone")),
    }
}
