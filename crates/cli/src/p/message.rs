//! Recorded messages as arguments.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kukla_plang::recorded::{Metadata, Recorded};

use super::program::read;

/// A recorded message.
#[derive(Debug, clap::Args)]
pub(super) struct MessageArgs {
    /// Message as text: a request of HTTP, optionally followed by its response, or a mail with its commands of SMTP
    #[arg(long, short, value_name = "FILE")]
    message: PathBuf,
    /// Metadata of the message as JSON: client_ip, certificate, facts, time, … [default: the message's file name with the
    /// extension .json, if it exists]
    #[arg(long, value_name = "FILE")]
    meta: Option<PathBuf>,
}

impl MessageArgs {
    /// Reads the message and its metadata.
    pub(super) fn recorded(&self) -> anyhow::Result<Recorded> {
        recorded(&self.message, self.meta.as_deref())
    }
}

/// Reads a message and its metadata.
pub(super) fn recorded(message: &Path, meta: Option<&Path>) -> anyhow::Result<Recorded> {
    let bytes = read(message)?;
    let parsed = Recorded::parse(&bytes);
    let mut recorded = parsed.with_context(|| format!("cannot use `{}`", message.display()))?;
    let beside = message.with_extension("json");
    let meta = meta.or_else(|| beside.is_file().then_some(beside.as_path()));
    if let Some(meta) = meta {
        let text = String::from_utf8_lossy(&read(meta)?).into_owned();
        let parsed = Metadata::parse(&text);
        recorded.metadata = parsed.with_context(|| format!("cannot use `{}`", meta.display()))?;
    }
    Ok(recorded)
}
