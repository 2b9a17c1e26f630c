//! Heads of answers to an ICAP client.

use super::encapsulated::Encapsulated;
use crate::services::{Exchange, is_hop_by_hop, reason};
use crate::wire::Fields;

/// Returns an answer without a message.
pub(super) fn plain(status: u16, connection: &str) -> Vec<u8> {
    let words = words(status);
    format!(
        "ICAP/1.0 {status} {words}\r\nConnection: {connection}\r\nEncapsulated: null-body=0\r\n\r\n"
    )
    .into_bytes()
}

fn words(status: u16) -> &'static str {
    match status {
        204 => "No Modifications Needed",
        206 => "Partial Content",
        404 => "ICAP Service not found",
        405 => "Method not allowed for service",
        other => reason(other),
    }
}

/// Fields of an answer.
#[derive(Default)]
pub(super) struct IcapFields<'a> {
    pub(super) istag: Option<&'a str>,
    pub(super) others: Vec<(&'static str, String)>,
}

pub(super) fn start(
    status: u16,
    fields: &IcapFields<'_>,
    parts: Option<Encapsulated>,
    keeps: bool,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(192);
    let mut put = |parts: &[&[u8]]| parts.iter().for_each(|part| out.extend_from_slice(part));
    put(&[b"ICAP/1.0 ", &digits(status), b" ", words(status).as_bytes(), b"\r\n"]);
    if let Some(istag) = fields.istag {
        put(&[b"ISTag: \"", istag.as_bytes(), b"\"\r\n"]);
    }
    for (name, value) in &fields.others {
        put(&[name.as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
    }
    if !keeps {
        put(&[b"Connection: close\r\n"]);
    }
    match parts {
        None => put(&[b"Encapsulated: null-body=0\r\n\r\n"]),
        Some(parts) => put(&[b"Encapsulated: ", parts.text().as_bytes(), b"\r\n\r\n"]),
    }
    out
}

/// Returns the digits of a status, which has three.
fn digits(status: u16) -> [u8; 3] {
    [status / 100, status / 10, status].map(|digit| b'0' + u8::try_from(digit % 10).unwrap_or(0))
}

pub(super) fn response_head(status: u16, fields: &Fields, size: Option<u64>) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} {}\r\n", reason(status)).into_bytes();
    write_fields(&mut out, fields, size);
    out
}

pub(super) fn request_head(exchange: &Exchange, target: &[u8], size: Option<u64>) -> Vec<u8> {
    let version =
        if exchange.version == "HTTP/1.0" { &b" HTTP/1.0\r\n"[..] } else { b" HTTP/1.1\r\n" };
    let mut out = [&exchange.method, &b" "[..], target, version].concat();
    write_fields(&mut out, &exchange.request, size);
    out
}

fn write_fields(out: &mut Vec<u8>, fields: &Fields, size: Option<u64>) {
    for (name, value) in fields {
        if !is_hop_by_hop(name) {
            out.extend_from_slice(&[name, &b": "[..], value, b"\r\n"].concat());
        }
    }
    if let Some(size) = size {
        out.extend_from_slice(format!("Content-Length: {size}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}
