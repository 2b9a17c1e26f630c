//! The table `requests.txt`; its head describes the lines.

use std::io;

use crate::client::Received;

const TABLE: &str = include_str!("requests.txt");

/// A line of the table.
#[derive(Debug)]
pub(super) struct Attack {
    pub(super) line: String,
    pub(super) expected: Vec<Expected>,
    pub(super) client: String,
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Option<Vec<u8>>,
    /// All bytes, for requests that are none.
    pub(super) raw: Option<Vec<u8>>,
}

/// An answer that is right.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Status(u16),
    Closed,
}

impl Expected {
    pub(super) fn is(&self, answer: &io::Result<Received>) -> bool {
        match (self, answer) {
            (Self::Status(status), Ok(received)) => received.status == *status,
            (Self::Closed, Err(error)) => {
                // A server that says nothing for so long does not refuse.
                !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
            }
            _ => false,
        }
    }
}

/// Returns all lines.
pub(super) fn attacks() -> Vec<Attack> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| Attack::parse(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

impl Attack {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (expected, rest) = line.split_once(' ')?;
        let (client, rest) = rest.split_once(' ')?;
        let (method, rest) = rest.split_once(' ')?;
        let expected = expected.split('/').map(|word| match word {
            "closed" => Some(Expected::Closed),
            status => status.parse().ok().map(Expected::Status),
        });
        let mut attack = Self {
            line: line.chars().take(200).collect(),
            expected: expected.collect::<Option<_>>()?,
            client: client.to_owned(),
            method: text(method),
            target: String::new(),
            headers: Vec::new(),
            body: None,
            raw: None,
        };
        if method == "RAW" {
            attack.raw = Some(bytes(rest));
            return Some(attack);
        }
        let repeated = repeated(rest);
        let (head, body) = match repeated.split_once(" < ") {
            Some((head, body)) => (head, Some(body)),
            None => match repeated.strip_suffix(" <") {
                Some(head) => (head, Some("")),
                None => (repeated.as_str(), None),
            },
        };
        let mut parts = head.split(" | ");
        attack.target = text(parts.next()?);
        for field in parts {
            let (name, value) = field.split_once(':')?;
            attack.headers.push((name.to_owned(), bytes(value.trim_start())));
        }
        attack.body = body.map(bytes);
        Some(attack)
    }

    /// Returns whether the route itself forbids this, which is no decision of a rule.
    pub(super) fn is_refused_by_route(&self) -> bool {
        self.target.starts_with("/puppet/v3/static_file_content/")
            && self.expected == [Expected::Status(403)]
    }
}

fn text(text: &str) -> String {
    String::from_utf8(bytes(text)).expect("UTF-8")
}

/// Returns a text in which `<<N*TEXT>>` is N times the text.
fn repeated(text: &str) -> String {
    let Some(at) = text.find("<<") else { return text.to_owned() };
    let rest = &text[at + 2..];
    let (number, rest) = rest.split_once('*').expect("a number");
    // Inner repetitions end before the outer one.
    let mut end = rest.find(">>").expect("an end");
    if rest[..end].contains("<<") {
        end += 2 + rest[end + 2..].find(">>").expect("an end");
    }
    let piece = repeated(&rest[..end]);
    let number: usize = number.parse().expect("a number");
    format!("{}{}{}", &text[..at], piece.repeat(number), repeated(&rest[end + 2..]))
}

/// Returns a text without escapes and repetitions.
fn bytes(text: &str) -> Vec<u8> {
    let text = repeated(text);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            out.push(first);
            continue;
        }
        let (&kind, after) = rest.split_first().expect("an escape");
        rest = after;
        out.push(match kind {
            b'r' => b'\r',
            b'n' => b'\n',
            b't' => b'\t',
            b'0' => 0,
            b'x' => {
                let digits = std::str::from_utf8(&rest[..2]).expect("digits");
                rest = &rest[2..];
                u8::from_str_radix(digits, 16).expect("digits")
            }
            other => other,
        });
    }
    out
}
