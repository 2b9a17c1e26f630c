//! Messages of HTTP/1 and ICAP as bytes on a connection.
//!
//! The first byte of an input says in which pieces the bytes arrive: the messages must not depend on it.

use bytes::BytesMut;
use kukla_server::icap::{Encapsulated, IcapOptions};
use kukla_server::wire::{
    Chunks, Decoder, Extensions, Framing, Head, HeadLimits, Input, Malformed, Piece, RequestLine,
    StatusLine,
};

/// The largest number of messages that are read of an input.
const MESSAGES: usize = 50;

/// A party that reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    /// A server reads requests.
    Server,
    /// A client reads responses.
    Client,
    /// A client or server of ICAP.
    Icap,
}

/// A part of what a party reads.
#[derive(Debug, PartialEq, Eq)]
enum Read {
    Head(Vec<u8>),
    Body(Vec<u8>),
    Error(Malformed),
}

/// Seeds of messages of HTTP.
pub(crate) const HTTP_SEEDS: [&str; 9] = [
    "GET /a?b HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0a\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
    "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    "GET http://a/ HTTP/1.0\r\nHost: a\r\nConnection: keep-alive, x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\nExpect: 100-continue\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 304 Not\r\nContent-Length: 9\r\n\r\n",
    "HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\r\n\r\nuntil the end",
];

/// Seeds of messages of ICAP.
pub(crate) const ICAP_SEEDS: [&str; 6] = [
    "OPTIONS icap://a/b ICAP/1.0\r\nHost: a\r\nEncapsulated: null-body=0\r\n\r\n",
    "REQMOD icap://a/b ICAP/1.0\r\nHost: a\r\nPreview: 4\r\nAllow: 204, 206\r\nEncapsulated: req-hdr=0, req-body=27\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\n\r\n4\r\nabcd\r\n0\r\n\r\n2\r\nef\r\n0; ieof\r\n\r\n",
    "RESPMOD icap://a/b ICAP/1.0\r\nHost: a\r\nEncapsulated: req-hdr=0, res-hdr=26, res-body=45\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "ICAP/1.0 200 OK\r\nISTag: \"one\"\r\nMethods: REQMOD, RESPMOD\r\nPreview: 1024\r\nOptions-TTL: 60\r\nMax-Connections: 9\r\nAllow: 204, 206\r\nEncapsulated: null-body=0\r\n\r\n",
    "ICAP/1.0 204 Unchanged\r\nISTag: \"one\"\r\n\r\nICAP/1.0 100 Continue\r\n\r\n",
    "ICAP/1.0 206 Part\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n3\r\nnew\r\n0; use-original-body=30\r\n\r\n",
];

/// Reads messages of HTTP/1.
pub(crate) fn http(bytes: &[u8]) {
    for reader in [Reader::Server, Reader::Client] {
        both_ways(bytes, reader);
    }
}

/// Reads messages of ICAP.
pub(crate) fn icap(bytes: &[u8]) {
    both_ways(bytes, Reader::Icap);
}

fn both_ways(bytes: &[u8], reader: Reader) {
    let (size, bytes) = match bytes.split_first() {
        Some((first, rest)) => (usize::from(*first % 16) + 1, rest),
        None => (1, bytes),
    };
    let whole = messages(bytes, bytes.len().max(1), reader);
    let pieces = messages(bytes, size, reader);
    assert_eq!(whole, pieces, "the pieces in which bytes arrive change their meaning");
    let n_body: usize =
        whole.iter().map(|read| if let Read::Body(body) = read { body.len() } else { 0 }).sum();
    assert!(n_body <= bytes.len(), "a body is larger than everything that arrived");
}

/// Reads messages that arrive in pieces of a size.
fn messages(bytes: &[u8], size: usize, reader: Reader) -> Vec<Read> {
    let (mut input, mut pieces, mut out) = (Input::default(), bytes.chunks(size), Vec::new());
    while out.len() < 2 * MESSAGES {
        let decoder = match head(&mut input, &mut pieces, reader, &mut out) {
            Ok(Some(decoder)) => decoder,
            Ok(None) => break,
            Err(error) => {
                out.push(Read::Error(error));
                break;
            }
        };
        if !body(&mut input, &mut pieces, decoder, &mut out) {
            break;
        }
    }
    out
}

/// Reads a head; `None`: the bytes end.
fn head<'b>(
    input: &mut Input,
    pieces: &mut impl Iterator<Item = &'b [u8]>,
    reader: Reader,
    out: &mut Vec<Read>,
) -> Result<Option<Decoder>, Malformed> {
    let head = loop {
        if let Some(head) = input.take_head(HeadLimits::default())? {
            break head;
        }
        match pieces.next() {
            Some(piece) => input.buffer.extend_from_slice(piece),
            None => return Ok(None),
        }
    };
    check(&head);
    out.push(Read::Head(written(&head)));
    match reader {
        Reader::Server => {
            let line = RequestLine::parse(&head)?;
            line.target()?;
            Framing::of_request(&head, line.is_1_1).map(|framing| Some(Decoder::new(framing)))
        }
        Reader::Client => {
            let line = StatusLine::parse(&head)?;
            assert!((100..600).contains(&line.status), "a status that is none");
            Framing::of_response(&head, line.status, line.is_1_1, b"GET")
                .map(|framing| Some(Decoder::new(framing)))
        }
        Reader::Icap => encapsulated(&head),
    }
}

/// Reads what the head of a message of ICAP says; the heads inside are read as a part of the body.
fn encapsulated(head: &Head) -> Result<Option<Decoder>, Malformed> {
    // A request or a response; options are what a service says of itself.
    let _ = (RequestLine::parse(head).is_ok(), StatusLine::parse_icap(head).is_ok());
    if let Ok(options) = IcapOptions::parse(head) {
        assert!(!options.methods.is_empty(), "a service without methods");
    }
    let Ok(Some(value)) = head.only("encapsulated") else {
        return Ok(Some(Decoder::new(Framing::None)));
    };
    let parts = Encapsulated::parse(value)?;
    let again = Encapsulated::parse(parts.text().as_bytes());
    assert_eq!(again.as_ref(), Ok(&parts), "what is written is not what was read");
    Ok(Some(match parts.has_body() {
        true => Decoder::Chunks(Chunks::new(Extensions::Icap)),
        false => Decoder::new(Framing::None),
    }))
}

/// Reads a body; returns whether another message may follow.
fn body<'b>(
    input: &mut Input,
    pieces: &mut impl Iterator<Item = &'b [u8]>,
    mut decoder: Decoder,
    out: &mut Vec<Read>,
) -> bool {
    let mut bytes = Vec::new();
    let error = loop {
        match decoder.take(&mut input.buffer) {
            Ok(Piece::Data(data)) => bytes.extend_from_slice(&data),
            Ok(Piece::End) => break None,
            Ok(Piece::More) => match pieces.next() {
                Some(piece) => input.buffer.extend_from_slice(piece),
                None => {
                    out.push(Read::Body(bytes));
                    return false;
                }
            },
            Err(error) => break Some(error),
        }
    };
    assert!(error.is_some() || decoder.is_done(), "a body has ended and goes on");
    out.push(Read::Body(bytes));
    out.extend(error.map(Read::Error));
    error.is_none()
}

/// Checks that nothing in a head could be read in another way.
fn check(head: &Head) {
    let is_plain = |text: &[u8]| !text.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    assert!(is_plain(head.line()), "a first line of two lines");
    for (name, value) in head.fields() {
        assert!(kukla_server::wire::is_token(name), "a name that is no token");
        assert!(is_plain(value), "a value of two lines");
        assert!(value.trim_ascii() == value || head.has_outer_tabs, "a value with blanks around");
    }
    let again = Head::parse(BytesMut::from(&written(head)[..]).freeze(), HeadLimits::default());
    let same = again.map(|again| written(&again) == written(head));
    assert_eq!(same, Ok(true), "what is sent on is read in another way");
}

/// Returns a head as it is sent on.
fn written(head: &Head) -> Vec<u8> {
    let mut out = [head.line(), b"\r\n"].concat();
    for (name, value) in head.fields() {
        out.extend_from_slice(&[name, b": ", value, b"\r\n"].concat());
    }
    out.extend_from_slice(b"\r\n");
    out
}
