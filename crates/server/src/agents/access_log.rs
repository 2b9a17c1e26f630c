//! The access log: one line for each request, in the form that Puppet Server's has.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::header::{CONTENT_LENGTH, HeaderName, REFERER, USER_AGENT};
use hyper::{Request, Version};
use kukla_rubytext::time::civil::Civil;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// The most characters of a field that a client chooses.
const LONGEST: usize = 1000;

/// An access log that can't be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {error}", .path.display())]
pub struct AccessLogError {
    path: PathBuf,
    error: io::Error,
}

/// The access log.
#[derive(Debug)]
pub(super) struct AccessLog {
    path: PathBuf,
    file: Mutex<File>,
}

/// The part of an entry that is known before the answer.
#[derive(Debug)]
pub(super) struct AccessEntry {
    line: String,
    referer: String,
    agent: String,
    length: String,
    at: SystemTime,
}

impl AccessEntry {
    /// Takes from a request what the log says of it.
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        let field = |name: HeaderName| {
            let value = request.headers().get(name).map(|value| quoted(value.as_bytes()));
            value.unwrap_or_else(|| "-".to_owned())
        };
        let version = match request.version() {
            Version::HTTP_2 => "HTTP/2.0",
            Version::HTTP_10 => "HTTP/1.0",
            _ => "HTTP/1.1",
        };
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        Self {
            line: format!("{} {} {version}", request.method(), quoted(target.as_bytes())),
            referer: field(REFERER),
            agent: field(USER_AGENT),
            length: field(CONTENT_LENGTH),
            at: SystemTime::now(),
        }
    }
}

impl AccessLog {
    /// Opens the file, which is made if need be.
    pub(super) fn open(path: PathBuf) -> Result<Self, AccessLogError> {
        match append(&path) {
            Ok(file) => Ok(Self { path, file: Mutex::new(file) }),
            Err(error) => Err(AccessLogError { path, error }),
        }
    }

    /// Opens the file anew if it was moved away.
    pub(super) fn follow(&self) {
        let place = |metadata: io::Result<std::fs::Metadata>| {
            metadata.map(|metadata| (metadata.dev(), metadata.ino())).ok()
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if place(std::fs::metadata(&self.path)) != place(file.metadata())
            && let Ok(new) = append(&self.path)
        {
            *file = new;
        }
    }

    /// Writes an entry.
    pub(super) fn write(
        &self,
        entry: &AccessEntry,
        address: IpAddr,
        certname: Option<&str>,
        status: u16,
        n_bytes: u64,
        took: Duration,
    ) {
        let AccessEntry { line, referer, agent, length, at } = entry;
        let (name, time) = (quoted(certname.unwrap_or("-").as_bytes()), common_time(*at));
        let milliseconds = took.as_millis();
        let line = format!(
            "{address} - {name} [{time}] \"{line}\" {status} {n_bytes} \"{referer}\" \"{agent}\" \
             {milliseconds} {length} -\n"
        );
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not stop answers.
        let _ = file.write_all(line.as_bytes());
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o640).open(path)
}

/// Returns text of a client that can't end a field or a line.
fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let safe = text.chars().take(LONGEST).flat_map(|c| match c {
        '"' | '\\' => vec!['\\', c],
        c if c.is_control() => vec!['?'],
        c => vec![c],
    });
    safe.collect()
}

fn civil(time: SystemTime) -> Civil {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Civil::new(i64::try_from(since.as_secs()).unwrap_or(0), since.subsec_nanos())
}

/// Formats a time as `18/Nov/2026:10:00:00 +0000`.
fn common_time(time: SystemTime) -> String {
    let Civil { year, month, day, hour, minute, second, .. } = civil(time);
    let month = MONTHS.get(month as usize - 1).copied().unwrap_or("-");
    format!("{day:02}/{month}/{year:04}:{hour:02}:{minute:02}:{second:02} +0000")
}

/// Formats a time as `2026-11-18T10:00:00.123Z`.
pub(super) fn timestamp(time: SystemTime) -> String {
    let Civil { year, month, day, hour, minute, second, nanosecond } = civil(time);
    let milliseconds = nanosecond / 1_000_000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_texts_have_their_forms() {
        let time = UNIX_EPOCH + Duration::from_millis(1_794_996_000_123);
        assert_eq!(timestamp(time), "2026-11-18T10:00:00.123Z");
        assert_eq!(common_time(time), "18/Nov/2026:10:00:00 +0000");
        assert_eq!(quoted(b"a\"b\nc\\"), "a\\\"b?c\\\\");
    }
}
