//! Records of the journal: a line that describes a command, and its payload.

use super::Submission;
use crate::{Command, CommandError, Receipt};

/// Writes a command that came at a time.
pub(super) fn written(submission: &Submission<'_>, receipt: Receipt) -> Vec<u8> {
    let Submission { name, version, payload, .. } = submission;
    let Receipt { received, keeps_exports } = receipt;
    let head = serde_json::json!([name, version, received, keeps_exports]).to_string();
    [head.as_bytes(), b"\n", payload].concat()
}

/// Reads a command.
pub(super) fn read(record: &[u8]) -> Result<(Command, Receipt), CommandError> {
    let damaged = || CommandError::Json("its record is damaged".to_owned());
    let end = record.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
    let (head, payload) = record.split_at(end);
    let head: (String, i64, i64, bool) = serde_json::from_slice(head).map_err(|_| damaged())?;
    let (name, version, received, keeps_exports) = head;
    let command = Command::reread(&name, version, &payload[1..])?;
    Ok((command, Receipt { received, keeps_exports }))
}
