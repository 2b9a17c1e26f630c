//! The file bucket: content that agents put aside before they change a file.
//!
//! ```text
//! bucketdir/a/d/3/3/3/1/5/2/ad333152…/contents   the bytes
//!                                    /paths      one path per line
//! ```
//! Invariant: `contents` has the checksum of its directory; it appears by a rename, after it was written to the disk.

mod store;

use std::path::PathBuf;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::{HeaderMap, Method, StatusCode};
use kukla_world::{Disk, Program, RunError, World as _, clock};

use super::exchange::{Answer, OCTETS, RouteError};
use super::negotiation::require_octets;
use super::query::Query;
use store::Slot;

/// The most time that `diff` may take.
const DIFF_TIME: Duration = Duration::from_secs(10);

/// The largest content that the server takes.
const MOST_BYTES: usize = 256 << 20;

/// The bucket of a server.
#[derive(Clone, Debug)]
pub struct Bucket {
    directory: PathBuf,
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
        Self { directory, algorithm: algorithm.to_owned() }
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
        match self.found(&self.key(key)?) {
            Some(_) => Ok(Answer::empty(StatusCode::OK)),
            None => Err(missing(key)),
        }
    }

    fn get(&self, key: &str, query: &Query) -> Result<Answer, RouteError> {
        if query.get("list_all").is_some() {
            return Err(failed("Listing remote file buckets is not allowed"));
        }
        let slot = self.found(&self.key(key)?).ok_or_else(|| missing(key))?;
        if let Some(other) = query.get("diff_with") {
            return self.diff(&slot, other);
        }
        let (file, length) = slot.open().map_err(|error| failed(error.to_string()))?;
        Ok(Answer::file(file, length))
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
        let stored = Slot::new(&self.directory, &sum).store(body, path.as_deref());
        stored.map_err(|error| failed(format!("Could not back up the file: {error}")))?;
        Ok(Answer::new(StatusCode::OK, OCTETS, ""))
    }

    /// Returns the slot of a key if it has content that was stored for the path.
    fn found(&self, key: &BucketKey) -> Option<Slot> {
        let slot = Slot::new(&self.directory, &key.sum);
        let has_path = || key.path.as_deref().is_none_or(|path| slot.has_path(path));
        (slot.exists() && has_path()).then_some(slot)
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

    fn diff(&self, slot: &Slot, other: &str) -> Result<Answer, RouteError> {
        let other_slot = Some(other).filter(|sum| self.is_sum(sum));
        let other_slot = other_slot.map(|sum| Slot::new(&self.directory, sum));
        let other_slot = other_slot
            .filter(Slot::exists)
            .ok_or_else(|| failed(format!("could not find diff_with {other}")))?;
        let path = |slot: &Slot| slot.contents().to_string_lossy().into_owned();
        let program = Program {
            path: "diff".into(),
            arguments: vec!["-u".to_owned(), path(slot), path(&other_slot)],
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

fn missing(key: &str) -> RouteError {
    RouteError::NotFound(format!("Could not find file_bucket_file {key}"))
}

fn failed(words: impl Into<String>) -> RouteError {
    RouteError::Failed(words.into())
}
