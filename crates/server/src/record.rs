//! Messages on disk, for `kukla p test` and `kukla p diff`; credentials are not kept.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use kukla_plang::message::Message;
use serde_json::json;

/// Fields whose values are credentials.
const SECRET: &[&str] =
    &["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token"];

/// How many messages are kept, at most: a recorder that was forgotten must not fill the disk.
const MOST: u64 = 100_000;

/// A folder for messages.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    n_messages: AtomicU64,
}

impl Recorder {
    /// A recorder into a folder, which is made if need be.
    pub fn new(folder: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&folder)?;
        let known = std::fs::read_dir(&folder)?.count() as u64;
        Ok(Self { folder, n_messages: AtomicU64::new(known) })
    }

    /// Keeps a message with what was decided.
    pub fn keep(&self, message: &Message<'_>, verdict: &str) -> io::Result<()> {
        let number = self.n_messages.fetch_add(1, Ordering::Relaxed);
        if number >= MOST {
            return Ok(());
        }
        let stem = self.folder.join(format!("{number:06}"));
        std::fs::write(stem.with_extension("http"), text(message))?;
        std::fs::write(stem.with_extension("json"), metadata(message, verdict))
    }
}

/// The request as text.
fn text(message: &Message<'_>) -> String {
    let request = &message.request;
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(['\r', '\n'], " ");
    let mut target = lossy(request.raw_path);
    if !request.query.is_empty() {
        let _ = write!(target, "?{}", lossy(request.query));
    }
    let mut out = format!("{} {target} {}\n", lossy(request.method), lossy(request.version));
    for field in request.headers {
        let name = lossy(field.name);
        let is_secret = SECRET.contains(&name.to_ascii_lowercase().as_str());
        let value = if is_secret { "redacted".to_owned() } else { lossy(field.value) };
        let _ = writeln!(out, "{name}: {value}");
    }
    out.push('\n');
    out
}

fn metadata(message: &Message<'_>, verdict: &str) -> String {
    let request = &message.request;
    let mut metadata = json!({
        "scheme": String::from_utf8_lossy(request.scheme),
        "time": message.clock.epoch,
        "expect": { "verdict": verdict },
    });
    if let Some(client) = request.client {
        metadata["client_ip"] = client.to_string().into();
    }
    if let Some(name) = request.tls.common_name {
        let verified = request.tls.is_verified;
        metadata["certificate"] =
            json!({ "verified": verified, "cn": String::from_utf8_lossy(name) });
    }
    format!("{metadata:#}\n")
}
