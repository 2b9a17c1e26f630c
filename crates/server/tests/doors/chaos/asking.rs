//! A client of ICAP, which asks about requests and responses with and without previews.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Dice, RESPONSE, Seen, body, check_adapted};
use crate::fake_icap::{chunks, line_end, until};
use crate::origin::Got;
use crate::running::{Door, connect};

/// A question about a message.
struct Question {
    number: u64,
    is_response: bool,
    is_denied: bool,
    preview: Option<usize>,
    takes_206: bool,
}

impl Question {
    fn random(dice: &mut Dice, number: u64) -> Self {
        let is_response = dice.below(2) == 0;
        let number = if is_response { number | RESPONSE } else { number };
        let preview = [None, Some(0), Some(1000)][usize::try_from(dice.below(3)).unwrap()];
        Self {
            number,
            is_response,
            is_denied: dice.below(8) == 0,
            preview,
            takes_206: dice.below(2) == 0,
        }
    }

    /// Returns the bytes to send at once, and those that follow if the server wants them.
    fn bytes(&self) -> (Vec<u8>, Vec<u8>) {
        let body = body(self.number);
        let path = if self.is_denied { "/deny" } else { "/" };
        let own = format!("X-Number: {}\r\nContent-Length: {}\r\n\r\n", self.number, body.len());
        let (name, request, response) = match self.is_response {
            false => {
                ("reqmod", format!("POST {path} HTTP/1.1\r\nHost: app\r\n{own}"), String::new())
            }
            true => (
                "respmod",
                format!("GET {path} HTTP/1.1\r\nHost: app\r\n\r\n"),
                format!("HTTP/1.1 200 OK\r\n{own}"),
            ),
        };
        let (first, all) = (request.len(), request.len() + response.len());
        let parts = match self.is_response {
            false => format!("req-hdr=0, req-body={all}"),
            true => format!("req-hdr=0, res-hdr={first}, res-body={all}"),
        };
        let preview = self.preview.map_or(String::new(), |size| format!("Preview: {size}\r\n"));
        let allow = if self.takes_206 { "204, 206" } else { "204" };
        let start = format!(
            "{} icap://127.0.0.1/{name} ICAP/1.0\r\nHost: 127.0.0.1\r\nAllow: {allow}\r\n{preview}Encapsulated: {parts}\r\n\r\n{request}{response}",
            name.to_uppercase()
        );
        let (sent, rest) = body.split_at(self.preview.unwrap_or(body.len()).min(body.len()));
        let mut out = start.into_bytes();
        chunk(&mut out, sent);
        let is_whole = self.preview.is_some() && rest.is_empty();
        out.extend_from_slice(if is_whole { b"0; ieof\r\n\r\n" } else { b"0\r\n\r\n" });
        let mut behind = Vec::new();
        chunk(&mut behind, rest);
        behind.extend_from_slice(b"0\r\n\r\n");
        (out, behind)
    }

    /// Asks, and reads the answer: the message, and whether the connection ends.
    fn ask(&self, stream: &mut TcpStream) -> (Got, bool) {
        let (sent, rest) = self.bytes();
        // A denial may come before all was sent.
        let _ = stream.write_all(&sent);
        let mut ahead = Vec::new();
        let mut icap = self.head(stream, &mut ahead);
        if icap.starts_with("ICAP/1.0 100 ") {
            assert!(self.preview.is_some(), "{icap}");
            let _ = stream.write_all(&rest);
            icap = self.head(stream, &mut ahead);
        }
        let closes = icap.contains("\r\nConnection: close\r\n");
        let head = if icap.starts_with("ICAP/1.0 204 ") {
            panic!("{}: the rules always change a field, but {icap}", self.number)
        } else {
            assert!(icap.starts_with("ICAP/1.0 20"), "{}: {icap}", self.number);
            self.head(stream, &mut ahead)
        };
        let uses_original = icap.starts_with("ICAP/1.0 206 ");
        assert!(!uses_original || self.takes_206);
        let mut body = chunks(stream, &mut ahead).expect("a whole body");
        if uses_original {
            assert!(body.is_empty());
            body = super::body(self.number);
        }
        assert!(ahead.is_empty(), "{} bytes behind the answer", ahead.len());
        (Got { head, body }, closes)
    }

    fn head(&self, stream: &mut TcpStream, ahead: &mut Vec<u8>) -> String {
        let end = until(stream, ahead, |bytes| line_end(bytes, b"\r\n\r\n"));
        let end = end.unwrap_or_else(|| panic!("no answer to {}", self.number));
        String::from_utf8(ahead.drain(..end).collect()).unwrap()
    }
}

fn chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.is_empty() {
        out.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
    }
}

/// Asks until it is over.
pub(super) fn load(door: &Door, client: u64, is_over: &AtomicBool, seen: &Seen) {
    let mut dice = Dice(client * 104_729 + 1);
    let mut number = client << 24;
    let mut stream = connect(door.address);
    while !is_over.load(Ordering::Relaxed) {
        number += 1;
        let question = Question::random(&mut dice, number);
        if dice.below(20) == 0 {
            // A client that goes away in the middle.
            let (bytes, _) = question.bytes();
            let most = usize::try_from(dice.below(bytes.len() as u64)).unwrap();
            let _ = stream.write_all(&bytes[..most]);
            stream = connect(door.address);
            continue;
        }
        let (got, closes) = question.ask(&mut stream);
        seen.n_exchanges.fetch_add(1, Ordering::Relaxed);
        let is_denied = got.line().contains(" 403 ");
        assert_eq!(is_denied, question.is_denied, "{}: {}", question.number, got.head);
        if is_denied {
            seen.n_denied.fetch_add(1, Ordering::Relaxed);
        } else {
            assert_eq!(
                got.line().starts_with("HTTP/1.1 200"),
                question.is_response,
                "{}",
                got.head
            );
            check_adapted(&got, question.number, seen);
        }
        if closes {
            stream = connect(door.address);
        }
    }
}
