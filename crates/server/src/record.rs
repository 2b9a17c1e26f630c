//! Recorder of messages for `kukla p test` and `kukla p diff`; credentials are redacted.

mod redact;

use std::fmt::Write as _;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kukla_plang::message::{Message, Tls};
use kukla_plang::services::ServiceAnswer;
use serde_json::{Value, json};

/// Maximum number of recorded messages: a forgotten recorder must not fill the disk.
const MOST: u64 = 100_000;

/// A folder for messages.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    next_number: AtomicU64,
}

impl Recorder {
    /// Creates the folder if it is missing. Only the user who runs the server may read the records.
    pub fn new(folder: PathBuf) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let mut next_number = 0;
        for entry in std::fs::read_dir(&folder)? {
            next_number = next_number.max(number(&entry?.path()).map_or(0, |number| number + 1));
        }
        Ok(Self { folder, next_number: AtomicU64::new(next_number) })
    }

    /// Records a message with its verdict, and the answers of services.
    pub fn record(
        &self,
        message: &Message<'_>,
        verdict: &str,
        answers: &[ServiceAnswer],
    ) -> io::Result<()> {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        if number >= MOST {
            return Ok(());
        }
        let stem = self.folder.join(format!("{number:06}"));
        write_new(&stem.with_extension("http"), &text(message))?;
        write_new(&stem.with_extension("json"), &metadata(message, verdict, answers))
    }
}

/// Returns the number of a file that a recorder wrote.
fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// Creates a file that must not exist; does not follow a symbolic link.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// Returns the request, and a response that follows it, as text; bodies are not recorded.
fn text(message: &Message<'_>) -> String {
    let request = &message.request;
    let mut target = one_line(&redact::path(request.raw_path));
    if !request.query.is_empty() {
        let _ = write!(target, "?{}", one_line(&redact::query(request.query)));
    }
    let (method, version) = (one_line(request.method), one_line(request.version));
    let mut out = format!("{method} {target} {version}\n");
    for field in request.headers {
        let value = redact::field(field.name, field.value);
        let _ = writeln!(out, "{}: {}", one_line(field.name), one_line(&value));
    }
    out.push('\n');
    if let Some(response) = &message.response {
        let _ = writeln!(out, "HTTP/1.1 {}", response.status);
        for field in response.headers {
            let value = redact::field(field.name, field.value);
            let _ = writeln!(out, "{}: {}", one_line(field.name), one_line(&value));
        }
        out.push('\n');
    }
    out
}

fn one_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace(['\r', '\n'], " ")
}

fn metadata(message: &Message<'_>, verdict: &str, answers: &[ServiceAnswer]) -> String {
    let request = &message.request;
    let mut metadata = json!({
        "scheme": String::from_utf8_lossy(request.scheme),
        "time": message.clock.epoch,
        "expect": { "verdict": verdict },
    });
    if let Some(point) = message.point {
        metadata["point"] = point.into();
    }
    if message.body_size != Some(0) {
        metadata["body_recorded"] = false.into();
    }
    if let Some(size) = message.body_size.filter(|size| *size > 0) {
        metadata["body_size"] = size.into();
    }
    if !answers.is_empty() {
        metadata["services"] = answers.iter().map(|answer| redacted(answer).to_json()).collect();
    }
    if let Some(client) = request.client {
        metadata["client_ip"] = client.to_string().into();
    }
    if let Some(name) = request.tls.common_name {
        metadata["certificate"] = certificate(&request.tls, name);
    }
    format!("{metadata:#}\n")
}

/// Returns the answer of a service without credentials.
fn redacted(answer: &ServiceAnswer) -> ServiceAnswer {
    let mut answer = answer.clone();
    if let ServiceAnswer::Adapted { headers, .. } | ServiceAnswer::Answered { headers, .. } =
        &mut answer
    {
        for (name, value) in headers {
            *value = one_line(&redact::field(name, value)).into_bytes();
        }
    }
    answer
}

fn certificate(tls: &Tls<'_>, name: &[u8]) -> Value {
    let mut certificate =
        json!({ "verified": tls.is_verified, "cn": String::from_utf8_lossy(name) });
    if !tls.alt_names.is_empty() {
        certificate["alt_names"] = tls.alt_names.into();
    }
    let extensions = redact::extensions(tls.extensions);
    if !extensions.is_empty() {
        certificate["extensions"] = extensions.into();
    }
    certificate
}
