//! The file bucket: content that agents put aside before they change a file.
//!
//! ```text
//! bucketdir/a/d/3/3/3/1/5/2/ad333152…/contents   the bytes
//!                                    /paths      one path per line
//! ```
//! With a store that servers share, the content is there (`shelf`).
//!
//! Invariant: `contents` has the checksum of its directory; it appears by a rename, after it was written to the disk.

mod shelf;
mod store;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::{HeaderMap, Method, StatusCode};
use kukla_store::Store;
use kukla_world::{Disk, Program, RunError, World as _, clock};

use super::exchange::{Answer, OCTETS, RouteError};
use super::negotiation::require_octets;
use super::query::Query;
use shelf::{Readable, Shelf, ShelfError};
use store::Slot;

/// The most time that `diff` may take.
const DIFF_TIME: Duration = Duration::from_secs(10);

/// The largest content that the server takes.
const MOST_BYTES: usize = 256 << 20;

/// The bucket of a server.
#[derive(Clone, Debug)]
pub struct Bucket {
    shelf: Shelf,
    algorithm: String,
}

/// The key of a request: algorithm, checksum and the path of the file on the agent.
struct BucketKey {
    sum: String,
    path: Option<String>,
}

impl Bucket {
    /// Makes the bucket of the settings `bucketdir` and `digest_algorithm`.
    pub fn new(directory: PathBuf, algorithm: &str) -> Self {
        Self { shelf: Shelf::Files(directory), algorithm: algorithm.to_owned() }
    }

    /// Makes a bucket in the store; `directory` is for files that are there for a moment only.
    pub fn in_store(store: Arc<Store>, directory: PathBuf, algorithm: &str) -> Self {
        let algorithm = algorithm.to_owned();
        let shelf = Shelf::Store { store, algorithm: algorithm.clone(), scratch: directory };
        Self { shelf, algorithm }
    }

    /// Answers `file_bucket_file`; the key is decoded: `sha256/SUM/etc/motd`.
    pub fn answer(
        &self,
        method: &Method,
        key: &str,
        query: &Query,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Answer, RouteError> {
        match *method {
            Method::HEAD => self.head(key),
            Method::GET | Method::POST => self.get(key, query),
            Method::PUT => self.put(key, headers, body),
            _ => {
                let words = format!("No support for http method {method}");
                Err(RouteError::text(StatusCode::METHOD_NOT_ALLOWED, words))
            }
        }
    }

    fn head(&self, key: &str) -> Result<Answer, RouteError> {
        match self.is_found(&self.key(key)?)? {
            true => Ok(Answer::empty(StatusCode::OK)),
            false => Err(missing(key)),
        }
    }

    fn get(&self, key: &str, query: &Query) -> Result<Answer, RouteError> {
        if query.get("list_all").is_some() {
            return Err(failed("Listing remote file buckets is not allowed"));
        }
        let own = self.key(key)?;
        if !self.is_found(&own)? {
            return Err(missing(key));
        }
        if let Some(other) = query.get("diff_with") {
            return self.diff(&own.sum, other);
        }
        self.shelf.answer(&own.sum).map_err(unusable)?.ok_or_else(|| missing(key))
    }

    fn put(&self, key: &str, headers: &HeaderMap, body: &Bytes) -> Result<Answer, RouteError> {
        require_octets(headers)?;
        let BucketKey { sum, path } = self.key(key)?;
        if body.len() > MOST_BYTES {
            let words = format!("the content has more than {MOST_BYTES} bytes");
            return Err(RouteError::text(StatusCode::PAYLOAD_TOO_LARGE, words));
        }
        if path.as_deref().is_some_and(|path| path.contains(['\n', '\r', '\0'])) {
            return Err(RouteError::BadRequest("the path has a line break".to_owned()));
        }
        if self.sum_of(body) != sum {
            let words = format!("the content does not have the {} checksum {sum}", self.algorithm);
            return Err(RouteError::BadRequest(words));
        }
        let stored = self.shelf.put(&sum, body, path.as_deref());
        stored.map_err(|error| failed(format!("Could not back up the file: {error}")))?;
        Ok(Answer::new(StatusCode::OK, OCTETS, ""))
    }

    /// Returns whether there is content of a key that was stored for its path.
    fn is_found(&self, key: &BucketKey) -> Result<bool, RouteError> {
        self.shelf.has(&key.sum, key.path.as_deref()).map_err(unusable)
    }

    fn key(&self, text: &str) -> Result<BucketKey, RouteError> {
        let mut parts = text.splitn(3, '/');
        let algorithm = parts.next().unwrap_or_default();
        if algorithm != self.algorithm {
            return Err(failed(format!("Unsupported checksum type {algorithm:?}")));
        }
        let sum = parts.next();
        match sum.filter(|sum| self.is_sum(sum)) {
            Some(sum) => Ok(BucketKey {
                sum: sum.to_owned(),
                path: parts.next().filter(|path| !path.is_empty()).map(str::to_owned),
            }),
            None => {
                let shown = sum.map_or_else(|| "nil".to_owned(), |sum| format!("{sum:?}"));
                Err(failed(format!("Invalid checksum {shown}")))
            }
        }
    }

    fn is_sum(&self, text: &str) -> bool {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        text.len() == self.sum_of(b"").len() && text.bytes().all(is_digit)
    }

    fn sum_of(&self, bytes: &[u8]) -> String {
        use kukla_rubytext::digest;
        match self.algorithm.as_str() {
            "md5" => digest::md5(bytes),
            "sha224" => digest::sha224(bytes),
            "sha384" => digest::sha384(bytes),
            "sha512" => digest::sha512(bytes),
            _ => digest::sha256(bytes),
        }
    }

    fn diff(&self, sum: &str, other: &str) -> Result<Answer, RouteError> {
        let lost = |sum: &str| failed(format!("could not find diff_with {sum}"));
        let readable = |sum: &str| match self.is_sum(sum) {
            true => self.shelf.readable(sum).map_err(unusable),
            false => Ok(None),
        };
        let other = readable(other)?.ok_or_else(|| lost(other))?;
        let own = readable(sum)?.ok_or_else(|| lost(sum))?;
        let path = |file: &Readable| file.path.to_string_lossy().into_owned();
        let program = Program {
            path: "diff".into(),
            arguments: vec!["-u".to_owned(), path(&own), path(&other)],
            directory: None,
            environment: Vec::new(),
            input: Vec::new(),
            merges_errors: false,
            deadline: clock::deadline(DIFF_TIME),
        };
        match Disk.run(&program) {
            // `diff` ends with status 1 where files differ.
            Ok(output) | Err(RunError::Failed { status: Some(1), output, .. }) => {
                Ok(Answer::new(StatusCode::OK, OCTETS, output))
            }
            Err(error) => Err(failed(format!("`diff` failed: {error}"))),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands errors over")]
fn unusable(error: ShelfError) -> RouteError {
    failed(error.to_string())
}

fn missing(key: &str) -> RouteError {
    RouteError::NotFound(format!("Could not find file_bucket_file {key}"))
}

fn failed(words: impl Into<String>) -> RouteError {
    RouteError::Failed(words.into())
}
