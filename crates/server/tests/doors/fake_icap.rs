//! A service of ICAP as a test writes it: messages in, bytes out.

use std::io::Read as _;
use std::net::TcpStream;

/// The answer to OPTIONS.
pub(crate) const OPTIONS: &str = "ICAP/1.0 200 OK\r\nMethods: REQMOD, RESPMOD\r\nISTag: \"one\"\r\nOptions-TTL: 3600\r\nEncapsulated: null-body=0\r\n\r\n";
/// The answer that leaves a message as it is.
pub(crate) const UNCHANGED: &str = "ICAP/1.0 204 Unchanged\r\nISTag: \"one\"\r\n\r\n";

/// A message that the service gets.
pub(crate) enum Message {
    /// It is asked about itself.
    Options,
    /// A message to adapt: whether it is a response, its head, and its body if it has one.
    Adapt(bool, String, Option<Vec<u8>>),
}

/// Reads a message; `None`: the connection ended.
pub(crate) fn read(stream: &mut TcpStream, ahead: &mut Vec<u8>) -> Option<Message> {
    let end = until(stream, ahead, |bytes| line_end(bytes, b"\r\n\r\n"))?;
    let icap = String::from_utf8_lossy(&ahead[..end]).into_owned();
    ahead.drain(..end);
    if icap.starts_with("OPTIONS") {
        return Some(Message::Options);
    }
    let parts = icap.lines().find_map(|line| line.strip_prefix("Encapsulated: ")).unwrap();
    let offset = |name: &str| {
        let mut parts = parts.split(", ").filter_map(|part| part.split_once('='));
        parts.find(|(own, _)| *own == name).map(|(_, offset)| offset.parse::<usize>().unwrap())
    };
    let is_response = icap.starts_with("RESPMOD");
    let kind = if is_response { "res" } else { "req" };
    let start = offset(&format!("{kind}-hdr")).unwrap();
    let body_at = offset(&format!("{kind}-body"));
    let size = body_at.or_else(|| offset("null-body")).unwrap();
    until(stream, ahead, |bytes| (bytes.len() >= size).then_some(()))?;
    let head = String::from_utf8_lossy(&ahead[start..size]).into_owned();
    ahead.drain(..size);
    let body = match body_at {
        Some(_) => Some(chunks(stream, ahead)?),
        None => None,
    };
    Some(Message::Adapt(is_response, head, body))
}

/// Reads a body in chunks; parameters of chunks are skipped.
pub(crate) fn chunks(stream: &mut TcpStream, ahead: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = until(stream, ahead, |bytes| line_end(bytes, b"\r\n"))?;
        let size = std::str::from_utf8(&ahead[..end - 2]).unwrap();
        let size = size.split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(size, 16)
            .unwrap_or_else(|_| panic!("{size:?} is no size of a chunk"));
        until(stream, ahead, |bytes| (bytes.len() >= end + size + 2).then_some(()))?;
        body.extend_from_slice(&ahead[end..end + size]);
        ahead.drain(..end + size + 2);
        if size == 0 {
            return Some(body);
        }
    }
}

/// Returns an answer with another message; `lie` is added to the length of its head, and `end` follows its body.
pub(crate) fn adapted(
    is_response: bool,
    head: &str,
    body: &[u8],
    lie: usize,
    end: &str,
) -> Vec<u8> {
    let kind = if is_response { "res" } else { "req" };
    let offset = head.len() + lie;
    let start = format!(
        "ICAP/1.0 200 OK\r\nISTag: \"one\"\r\nEncapsulated: {kind}-hdr=0, {kind}-body={offset}\r\n\r\n{head}{:x}\r\n",
        body.len()
    );
    [start.as_bytes(), body, b"\r\n", end.as_bytes()].concat()
}

/// Returns a head with one field more and without its length.
pub(crate) fn with_field(head: &str, field: &str) -> String {
    let lines = head.lines().filter(|line| !line.is_empty() && !line.starts_with("Content-Length"));
    let lines: Vec<&str> = lines.collect();
    format!("{}\r\n{field}\r\n\r\n", lines.join("\r\n"))
}

/// Reads more bytes until a test finds what it looks for.
pub(crate) fn until<T>(
    stream: &mut TcpStream,
    ahead: &mut Vec<u8>,
    found: impl Fn(&[u8]) -> Option<T>,
) -> Option<T> {
    loop {
        if let Some(found) = found(ahead) {
            return Some(found);
        }
        let mut bytes = [0; 65536];
        let n = stream.read(&mut bytes).ok().filter(|n| *n > 0)?;
        ahead.extend_from_slice(&bytes[..n]);
    }
}

pub(crate) fn line_end(bytes: &[u8], end: &[u8]) -> Option<usize> {
    bytes.windows(end.len()).position(|window| window == end).map(|at| at + end.len())
}
