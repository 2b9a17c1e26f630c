//! Records of the journal: a line that describes a command, and its payload.

use serde_json::{Value, json};

use super::Submission;
use crate::{Command, CommandError, Receipt, json as documents, time};

/// A command whose payload was not read.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    /// `replace facts`
    pub(crate) name: String,
    pub(crate) version: i64,
    /// The name of the node.
    pub(crate) node: String,
    /// When its producer made it, in milliseconds since 1970.
    pub(crate) time: i64,
    /// When it came.
    pub(crate) received: i64,
    pub(crate) payload: Vec<u8>,
}

/// Writes a command that came at a time.
pub(crate) fn written(submission: &Submission<'_>, receipt: Receipt) -> Vec<u8> {
    let Submission { name, version, payload, .. } = submission;
    let Receipt { received, keeps_exports } = receipt;
    let head = json!([name, version, received, keeps_exports]).to_string();
    [head.as_bytes(), b"\n", payload].concat()
}

/// Writes a command that came at a time, with its node and when its producer made it.
pub(crate) fn addressed(
    submission: &Submission<'_>,
    receipt: Receipt,
    node: &str,
    time: i64,
) -> Vec<u8> {
    let Submission { name, version, payload, .. } = submission;
    let Receipt { received, keeps_exports } = receipt;
    let head = json!([name, version, received, keeps_exports, node, time]).to_string();
    [head.as_bytes(), b"\n", payload].concat()
}

/// Reads a command.
pub(crate) fn read(record: &[u8]) -> Result<(Command, Receipt), CommandError> {
    let (head, payload) = split(record)?;
    let Head { name, version, received, keeps_exports, .. } = head;
    let command = Command::reread(&name, version, payload)?;
    Ok((command, Receipt { received, keeps_exports }))
}

/// Reads a command without its payload, unless the line has no node. Those that only this program understands are errors.
pub(crate) fn unread(record: &[u8]) -> Result<Unread, CommandError> {
    let (head, payload) = split(record)?;
    let Head { name, version, received, node, .. } = head;
    let name = name.replace('_', " ");
    if crate::command::is_own(&name) {
        return Err(CommandError::Name(name));
    }
    let (node, time) = match node {
        Some(node) => node,
        None => address(payload)?,
    };
    Ok(Unread { name, version, node, time, received, payload: payload.to_vec() })
}

struct Head {
    name: String,
    version: i64,
    received: i64,
    keeps_exports: bool,
    node: Option<(String, i64)>,
}

fn damaged() -> CommandError {
    CommandError::Json("its record is damaged".to_owned())
}

fn split(record: &[u8]) -> Result<(Head, &[u8]), CommandError> {
    let end = record.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
    let (head, payload) = record.split_at(end);
    let head: Vec<Value> = serde_json::from_slice(head).map_err(|_| damaged())?;
    let read = || {
        let node = match (head.get(4), head.get(5)) {
            (Some(node), Some(time)) => Some((node.as_str()?.to_owned(), time.as_i64()?)),
            _ => None,
        };
        Some(Head {
            name: head.first()?.as_str()?.to_owned(),
            version: head.get(1)?.as_i64()?,
            received: head.get(2)?.as_i64()?,
            keeps_exports: head.get(3)?.as_bool()?,
            node,
        })
    };
    Ok((read().ok_or_else(damaged)?, &payload[1..]))
}

/// Returns the node of a payload, and when its producer made it.
fn address(payload: &[u8]) -> Result<(String, i64), CommandError> {
    let payload =
        documents::read(payload).map_err(|error| CommandError::Json(error.to_string()))?;
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    let node = text("certname").ok_or_else(damaged)?;
    let time = text("producer_timestamp").and_then(time::read).ok_or_else(damaged)?;
    Ok((node.to_owned(), time))
}
