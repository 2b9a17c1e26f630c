//! First lines of requests and responses.

use super::{Head, Malformed, is_token};

/// The first line of a request of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLine<'h> {
    /// `GET`
    pub method: &'h [u8],
    /// The target as received.
    pub target: &'h [u8],
    /// Whether the version is 1.1; otherwise it is 1.0.
    pub is_1_1: bool,
}

/// The form of a request's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'h> {
    /// `/path?query`
    Origin(&'h [u8]),
    /// `http://host/path?query`: scheme, authority, path and query.
    Absolute(&'h [u8], &'h [u8], &'h [u8]),
    /// `host:port`, of `CONNECT`.
    Authority(&'h [u8]),
    /// `*`, of `OPTIONS`.
    Asterisk,
}

/// The first line of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusLine<'h> {
    /// 200
    pub status: u16,
    /// `OK`
    pub reason: &'h [u8],
    /// Whether the version is 1.1; otherwise it is 1.0.
    pub is_1_1: bool,
}

impl<'h> RequestLine<'h> {
    /// Parses the first line of a request of HTTP.
    pub fn parse(head: &'h Head) -> Result<Self, Malformed> {
        let mut words = head.line().split(|byte| *byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Malformed::StartLine);
        };
        let is_1_1 = is_1_1(version)?;
        // nginx refuses other methods, and servers disagree about their case.
        if !is_token(method)
            || !method.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-')
        {
            return Err(Malformed::Method);
        }
        Ok(Self { method, target, is_1_1 })
    }

    /// Splits the target.
    pub fn target(&self) -> Result<Target<'h>, Malformed> {
        let target = self.target;
        let is_plain = target.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#');
        if !is_plain || target.is_empty() {
            return Err(Malformed::Target);
        }
        match (self.method, target) {
            (b"CONNECT", authority) => Ok(Target::Authority(authority)),
            (b"OPTIONS", b"*") => Ok(Target::Asterisk),
            (_, [b'/', ..]) => Ok(Target::Origin(target)),
            _ => absolute(target),
        }
    }
}

fn absolute(target: &[u8]) -> Result<Target<'_>, Malformed> {
    let at = memchr::memmem::find(target, b"://").ok_or(Malformed::Target)?;
    let (scheme, rest) = (&target[..at], &target[at + 3..]);
    if !scheme.eq_ignore_ascii_case(b"http") && !scheme.eq_ignore_ascii_case(b"https") {
        return Err(Malformed::Target);
    }
    let end = memchr::memchr2(b'/', b'?', rest).unwrap_or(rest.len());
    let path = &rest[end..];
    // `http://host?query` has no path; servers make different ones of it.
    if !path.is_empty() && !path.starts_with(b"/") {
        return Err(Malformed::Target);
    }
    Ok(Target::Absolute(scheme, &rest[..end], if path.is_empty() { b"/" } else { path }))
}

impl<'h> StatusLine<'h> {
    /// Parses the first line of a response of HTTP.
    pub fn parse(head: &'h Head) -> Result<Self, Malformed> {
        let line = head.line();
        let (version, rest) = split(line).ok_or(Malformed::StartLine)?;
        let is_1_1 = is_1_1(version)?;
        let (status, reason) = status(rest)?;
        Ok(Self { status, reason, is_1_1 })
    }

    /// Parses the first line of a response of ICAP.
    pub fn parse_icap(head: &'h Head) -> Result<Self, Malformed> {
        let (version, rest) = split(head.line()).ok_or(Malformed::StartLine)?;
        if version != b"ICAP/1.0" {
            return Err(Malformed::Version);
        }
        let (status, reason) = status(rest)?;
        Ok(Self { status, reason, is_1_1: true })
    }
}

fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b' ', line)?;
    Some((&line[..at], &line[at + 1..]))
}

fn status(text: &[u8]) -> Result<(u16, &[u8]), Malformed> {
    let (digits, reason) = split(text).unwrap_or((text, b""));
    let is_number = digits.len() == 3 && digits.iter().all(u8::is_ascii_digit);
    if !is_number {
        return Err(Malformed::StartLine);
    }
    let number = digits.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
    match (100..600).contains(&number) {
        true => Ok((number, reason)),
        false => Err(Malformed::StartLine),
    }
}

fn is_1_1(version: &[u8]) -> Result<bool, Malformed> {
    match version {
        b"HTTP/1.1" => Ok(true),
        b"HTTP/1.0" => Ok(false),
        _ => Err(Malformed::Version),
    }
}
