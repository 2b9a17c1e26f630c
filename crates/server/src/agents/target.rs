//! The target of a request: its path, decoded once, and its query.

use hyper::{StatusCode, Uri};

use super::exchange::{Answer, RouteError};
use super::query::{Query, decoded};

/// The largest path with a query, which is Jetty's.
const MOST_BYTES: usize = 8192;

/// A target that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The decoded path without empty segments, by which policy and routes decide alike; a slash at its end stays.
    pub(super) path: String,
    /// The query as it was sent.
    pub(super) raw_query: String,
}

impl Target {
    /// Reads the target, and refuses paths that servers read in different ways.
    pub(super) fn read(uri: &Uri) -> Result<Self, RouteError> {
        let (raw, raw_query) = (uri.path(), uri.query().unwrap_or_default());
        if raw.len() + raw_query.len() > MOST_BYTES {
            return Err(RouteError::text(StatusCode::URI_TOO_LONG, "URI Too Long"));
        }
        let bad = |words: &str| RouteError::text(StatusCode::BAD_REQUEST, words);
        let path = decoded(raw).map_err(|_| bad("Bad Request"))?;
        if path.contains('\0') || !path.starts_with('/') {
            return Err(bad("Bad Request"));
        }
        if path.split('/').any(|segment| segment == ".." || segment == ".") {
            return Err(bad(&format!("Invalid relative path (.. or .) in: {path}")));
        }
        Ok(Self { path: folded(&path), raw_query: raw_query.to_owned() })
    }

    /// Reads the query.
    pub(super) fn query(&self) -> Result<Query, RouteError> {
        let error = |error: super::query::QueryError| {
            RouteError::text(StatusCode::BAD_REQUEST, error.to_string())
        };
        let query = Query::parse(&self.raw_query).map_err(error)?;
        query.refuse_repeated()?;
        Ok(query)
    }
}

/// Returns a path with one slash between segments.
fn folded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    // Two slashes at the beginning stay: such a path is of no route.
    for (n, character) in path.char_indices() {
        if character != '/' || n < 2 || !out.ends_with('/') {
            out.push(character);
        }
    }
    out
}

/// Returns the answer to a path that no route has.
pub(super) fn not_found(path: &str) -> Answer {
    let url = serde_json::Value::from(path);
    let body = format!("{{\n\"message\":\"Not Found\",\n\"url\":{url},\n\"status\":\"404\"\n}}");
    Answer::new(StatusCode::NOT_FOUND, "application/json", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uri: &'static str) -> Result<String, u16> {
        let uri = Uri::from_static(uri);
        Target::read(&uri).map(|target| target.path).map_err(|error| error.status().as_u16())
    }

    #[test]
    fn paths_are_decoded_once_and_never_climb() {
        assert_eq!(read("/puppet/v3//x%2Fy"), Ok("/puppet/v3/x/y".to_owned()));
        assert_eq!(read("/a/%2541"), Ok("/a/%41".to_owned()));
        assert_eq!(read("//puppet"), Ok("//puppet".to_owned()));
        for uri in ["/a/../b", "/a/%2e%2e/b", "/a/..%2fb", "/a/.", "/a%00", "/a%zz", "/a%ff"] {
            assert_eq!(read(uri), Err(400), "{uri}");
        }
    }
}
