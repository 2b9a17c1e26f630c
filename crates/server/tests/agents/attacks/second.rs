//! Attacks in the frames of HTTP/2, whose heads have no text that a client of HTTP/1.1 could send.

use std::io::{self, Read as _, Write as _};
use std::time::Duration;

use crate::client::Connection;
use crate::fixture::Fixture;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const WINDOW: u8 = 8;
const CONTINUATION: u8 = 9;

/// The end of a stream.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Status(u16),
    /// The stream or the connection ends with an error.
    Refused,
}
use Outcome::{Refused, Status};

type Fields<'a> = &'a [(&'a str, &'a str)];

const NODE: &str = "/puppet/v3/node/agent.example?environment=production";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Encodes fields as literals that no table keeps.
fn block(fields: Fields<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in fields {
        out.push(0);
        for text in [name, value] {
            let mut rest = text.len();
            match rest {
                0..127 => out.push(u8::try_from(rest).expect("short")),
                _ => {
                    out.push(127);
                    rest -= 127;
                    while rest > 127 {
                        out.push(u8::try_from(rest % 128).expect("short") | 128);
                        rest /= 128;
                    }
                    out.push(u8::try_from(rest).expect("short"));
                }
            }
            out.extend(text.bytes());
        }
    }
    out
}

/// Returns the status at the beginning of a block of fields.
fn status(block: &[u8]) -> u16 {
    // Tables of RFC 7541: whole fields, and digits.
    let known = [200, 204, 206, 304, 400, 404, 500];
    // The server may announce the size of its table first.
    let block = if block[0] & 0xe0 == 0x20 { &block[1..] } else { block };
    match block[0] {
        first @ 0x88..=0x8e => known[usize::from(first - 0x88)],
        _ => {
            let length = usize::from(block[1] & 0x7f);
            let text = &block[2..2 + length];
            match block[1] & 0x80 {
                0 => std::str::from_utf8(text).expect("digits").parse().expect("a status"),
                _ => huffman(text),
            }
        }
    }
}

fn huffman(text: &[u8]) -> u16 {
    let bits: Vec<u8> =
        text.iter().flat_map(|byte| (0..8).rev().map(move |n| byte >> n & 1)).collect();
    let (mut number, mut rest) = (0, bits.as_slice());
    let value = |bits: &[u8]| bits.iter().fold(0_u16, |sum, bit| sum * 2 + u16::from(*bit));
    for _ in 0..3 {
        // 0 to 2 have five bits, the other digits six.
        let five = value(&rest[..5]);
        let (digit, length) = if five < 3 { (five, 5) } else { (value(&rest[..6]) - 22, 6) };
        number = number * 10 + digit;
        rest = &rest[length..];
    }
    number
}

/// Connects and sends bytes behind the preface, and returns how stream 1 ends.
fn send(fixture: &Fixture, bytes: &[u8]) -> Outcome {
    let opened = Connection::open_for(fixture.address, &fixture.pki, Some(&fixture.agent), b"h2");
    let mut connection = opened.expect("a connection");
    let stream = connection.stream();
    stream.sock.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    let start = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    let sent = stream.write_all(&start).and_then(|()| stream.write_all(bytes));
    let _ = sent.and_then(|()| stream.flush());
    loop {
        let mut head = [0; 9];
        match stream.read_exact(&mut head) {
            Ok(()) => (),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => panic!("no answer"),
            Err(_) => return Refused,
        }
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        if stream.read_exact(&mut payload).is_err() {
            return Refused;
        }
        match head[3] {
            HEADERS => return Status(status(&payload)),
            RESET | GO_AWAY => return Refused,
            _ => (),
        }
    }
}

/// Returns a request with its fields; the stream ends with it.
fn request(fields: Fields<'_>) -> Vec<u8> {
    frame(HEADERS, 0x5, 1, &block(fields))
}

const METHOD: (&str, &str) = (":method", "GET");
const SCHEME: (&str, &str) = (":scheme", "https");
const OWN: (&str, &str) = (":authority", "localhost");
const PATH: (&str, &str) = (":path", NODE);
const ACCEPT: (&str, &str) = ("accept", "application/json");

#[test]
fn fields_of_the_second_version() {
    let fixture = Fixture::start();
    let long = "x".repeat(20_000);
    let (other, up) =
        ("/puppet/v3/node/web.example?environment=production", "/puppet/v3/../v3/environments");
    type Answers = &'static [Outcome];
    let cases: Vec<(Vec<(&str, &str)>, Answers)> = vec![
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT], &[Status(200)]),
        (vec![METHOD, SCHEME, OWN, (":path", other), ACCEPT], &[Status(403)]),
        (vec![METHOD, SCHEME, OWN, (":path", up), ACCEPT], &[Status(400)]),
        (vec![METHOD, SCHEME, OWN, (":path", other), PATH, ACCEPT], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, (":path", other), ACCEPT], &[Refused]),
        (vec![METHOD, METHOD, SCHEME, OWN, PATH, ACCEPT], &[Refused]),
        (vec![METHOD, SCHEME, OWN, ("accept", "application/json"), PATH], &[Refused]),
        (vec![METHOD, SCHEME, OWN, ACCEPT], &[Refused]),
        (vec![SCHEME, OWN, PATH, ACCEPT], &[Refused]),
        (vec![METHOD, OWN, PATH, ACCEPT], &[Refused, Status(200)]),
        (vec![METHOD, SCHEME, OWN, (":path", ""), ACCEPT], &[Refused]),
        (vec![METHOD, SCHEME, OWN, (":path", "puppet/v3"), ACCEPT], &[Refused, Status(400)]),
        (vec![METHOD, SCHEME, OWN, (":path", "*"), ACCEPT], &[Refused, Status(400), Status(404)]),
        (vec![METHOD, SCHEME, OWN, (":path", "/a b"), ACCEPT], &[Refused]),
        (vec![METHOD, SCHEME, OWN, (":path", "/a\r\nx: y"), ACCEPT], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, (":status", "200"), ACCEPT], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, (":x", "y"), ACCEPT], &[Refused]),
        (vec![METHOD, SCHEME, (":authority", "other.example"), PATH, ACCEPT], &[Status(400)]),
        (
            vec![METHOD, SCHEME, (":authority", "a@localhost"), PATH, ACCEPT],
            &[Refused, Status(400)],
        ),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("host", "other.example")], &[Status(400)]),
        (vec![METHOD, SCHEME, PATH, ACCEPT, ("host", "other.example")], &[Status(400)]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("X-Upper", "y")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("connection", "close")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("transfer-encoding", "chunked")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("upgrade", "h2c")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("te", "gzip")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("x", "a\r\nb: c")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("x", "a\0b")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("", "y")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("content-length", "5")], &[Refused]),
        (vec![METHOD, SCHEME, OWN, PATH, ACCEPT, ("x", &long)], &[Refused, Status(431)]),
        (
            vec![
                METHOD,
                SCHEME,
                OWN,
                PATH,
                ("x-client-verify", "SUCCESS"),
                ("x-client-dn", "CN=admin.example"),
                ACCEPT,
            ],
            &[Status(200)],
        ),
        (vec![(":method", "CONNECT"), OWN], &[Refused, Status(400), Status(403), Status(404)]),
        (
            vec![(":method", "CONNECT"), (":protocol", "websocket"), SCHEME, OWN, PATH],
            &[Refused, Status(400), Status(404)],
        ),
    ];
    for (fields, expected) in &cases {
        let outcome = send(&fixture, &request(fields));
        assert!(expected.contains(&outcome), "{fields:.200?}: {outcome:?}");
    }
}

#[test]
fn frames_that_break_the_rules_end_a_connection() {
    let fixture = Fixture::start();
    let head = block(&[METHOD, SCHEME, OWN, PATH, ACCEPT]);
    let good = frame(HEADERS, 0x5, 1, &head);
    // A bomb of the head: one field of 4 000 bytes in the table, named again and again.
    let value = "x".repeat(4000);
    let mut bomb = vec![0x40];
    bomb.extend(&block(&[("x", &value)])[1..]);
    bomb.extend(std::iter::repeat_n(0xbe, 10_000));
    let reset = |n: u32| {
        let stream = 2 * n + 1;
        [frame(HEADERS, 0x5, stream, &head), frame(RESET, 0, stream, &[0, 0, 0, 8])].concat()
    };
    let never_ends: Vec<u8> = std::iter::once(frame(HEADERS, 0, 1, &head))
        .chain((0..500).map(|_| frame(CONTINUATION, 0, 1, &block(&[("x", &value)]))))
        .flatten()
        .collect();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("an even stream", frame(HEADERS, 0x5, 2, &head)),
        ("stream 0", frame(HEADERS, 0x5, 0, &head)),
        ("a continuation of nothing", frame(CONTINUATION, 0x4, 1, &head)),
        ("fields that are no block", frame(HEADERS, 0x5, 1, &[0xff; 40])),
        ("a reference to nothing", frame(HEADERS, 0x5, 1, &[0xbe])),
        ("a bomb of the head", frame(HEADERS, 0x5, 1, &bomb)),
        ("a head that never ends", never_ends),
        ("a frame that is too long", frame(HEADERS, 0x5, 1, &vec![0; 70_000])),
        ("a window that overflows", [frame(WINDOW, 0, 0, &[0x7f, 0xff, 0xff, 0xff])].concat()),
        ("a window that grows by nothing", frame(WINDOW, 0, 0, &[0, 0, 0, 0])),
        ("a ping of a wrong size", frame(PING, 0, 0, &[0; 5])),
        ("settings of a wrong size", frame(SETTINGS, 0, 0, &[0; 5])),
        (
            "a stream that depends on itself",
            frame(HEADERS, 0x25, 1, &[&[0, 0, 0, 1, 0], &head[..]].concat()),
        ),
        ("data of no stream", frame(0, 0, 5, b"x")),
        ("streams that are reset at once", (1..2000).flat_map(reset).collect()),
        ("an endless row of settings", frame(SETTINGS, 0, 0, &[]).repeat(20_000)),
    ];
    for (name, bytes) in cases {
        // A client that gets an answer for what it did right loses nothing.
        let outcome = send(
            &fixture,
            &bytes.into_iter().chain(frame(GO_AWAY, 0, 0, &[0; 8])).collect::<Vec<u8>>(),
        );
        assert!(matches!(outcome, Refused | Status(200)), "{name}: {outcome:?}");
    }
    assert_eq!(send(&fixture, &good), Status(200));
}
