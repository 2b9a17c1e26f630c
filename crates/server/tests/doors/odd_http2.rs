//! Clients that break the rules of HTTP/2: what they send reaches no server, and others are served.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use crate::origin::{Server, response};
use crate::running::Door;
use crate::tls::{Authority, behind_tls, config};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
/// `END_STREAM` and `END_HEADERS`.
const ALL: u8 = 5;

/// A connection on which any frame can be sent.
struct Raw(StreamOwned<ClientConnection, TcpStream>);

/// The reaction to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reaction {
    Status(u16),
    Reset,
    /// The connection ended.
    Closed,
    Nothing,
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Encodes fields without any compression.
fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in fields {
        out.push(0);
        for text in [name, value] {
            let length = u8::try_from(text.len()).unwrap();
            assert!(length < 127);
            out.push(length);
            out.extend_from_slice(text.as_bytes());
        }
    }
    out
}

impl Raw {
    fn open(door: &Door, authority: &Authority) -> Self {
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(config(authority, None, b"h2"), name).unwrap();
        let socket = TcpStream::connect(door.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(1500))).unwrap();
        socket.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
        let mut this = Self(StreamOwned::new(connection, socket));
        this.0.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        this.send(&frame(SETTINGS, 0, 0, b""));
        this
    }

    /// Sends bytes; returns whether the other side still takes them.
    fn send(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).and_then(|()| self.0.flush()).is_ok()
    }

    fn next(&mut self) -> Option<(u8, u8, u32, Vec<u8>)> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.0.read_exact(&mut payload).ok()?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        Some((head[3], head[4], stream, payload))
    }

    /// Waits for the reaction to the request on a stream.
    fn reaction(&mut self, wanted: u32) -> Reaction {
        loop {
            let Some((kind, _, stream, payload)) = self.next() else {
                // Either the time is up, or the connection is.
                let is_open = self.send(&frame(PING, 0, 0, &[0; 8])) && {
                    std::thread::sleep(Duration::from_millis(50));
                    self.send(&frame(PING, 0, 0, &[1; 8]))
                };
                return if is_open { Reaction::Nothing } else { Reaction::Closed };
            };
            match kind {
                HEADERS if stream == wanted => return Reaction::Status(status(&payload)),
                RESET if stream == wanted => return Reaction::Reset,
                GOAWAY => return Reaction::Closed,
                _ => (),
            }
        }
    }
}

/// Returns the status at the beginning of a block: the proxy's side compresses it.
fn status(block: &[u8]) -> u16 {
    match block {
        [0x88, ..] => 200,
        [0x89, ..] => 204,
        [0x8B, ..] => 304,
        [0x8C, ..] => 400,
        [0x8D, ..] => 404,
        [0x8E, ..] => 500,
        // A literal with the name `:status`; digits may be compressed, of which 403 and 405 are the ones met here.
        [0x48, length, rest @ ..] => {
            let digits = &rest[..usize::from(length & 0x7F)];
            match std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()) {
                Some(status) if length & 0x80 == 0 => status,
                _ => 1,
            }
        }
        _ => 1,
    }
}

const GOOD: [(&str, &str); 4] =
    [(":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "app")];

/// Requests whose head is wrong, by what is changed.
fn wrong_heads() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let with = |fields: &[(&'static str, &'static str)]| [&GOOD[..], fields].concat();
    let without = |name: &str| GOOD.into_iter().filter(|(own, _)| *own != name).collect::<Vec<_>>();
    let put = |name: &'static str, value: &'static str| {
        GOOD.into_iter()
            .map(|(own, old)| (own, if own == name { value } else { old }))
            .collect::<Vec<_>>()
    };
    vec![
        ("no method", without(":method")),
        ("no path", without(":path")),
        ("no scheme", without(":scheme")),
        ("no host", without(":authority")),
        ("two methods", with(&[(":method", "POST")])),
        ("two paths", with(&[(":path", "/x")])),
        ("two hosts", with(&[(":authority", "other")])),
        ("a status", with(&[(":status", "200")])),
        ("an unknown pseudo field", with(&[(":other", "x")])),
        ("a pseudo field behind others", vec![GOOD[0], GOOD[1], ("a", "b"), GOOD[2], GOOD[3]]),
        ("capital letters", with(&[("X-A", "1")])),
        ("an empty name", with(&[("", "1")])),
        ("a name with a blank", with(&[("x a", "1")])),
        ("a name with a colon", with(&[("x:a", "1")])),
        ("a name with a line break", with(&[("x\r\na", "1")])),
        ("a value with a line break", with(&[("x", "1\r\nevil: 1")])),
        ("a value with a line feed", with(&[("x", "1\nevil: 1")])),
        ("a value with NUL", with(&[("x", "1\0")])),
        ("connection", with(&[("connection", "close")])),
        ("transfer-encoding", with(&[("transfer-encoding", "chunked")])),
        ("upgrade", with(&[("upgrade", "websocket")])),
        ("keep-alive", with(&[("keep-alive", "5")])),
        ("proxy-connection", with(&[("proxy-connection", "x")])),
        ("te", with(&[("te", "gzip")])),
        ("another host", with(&[("host", "evil")])),
        ("two lengths", with(&[("content-length", "0"), ("content-length", "1")])),
        ("a length that is none", with(&[("content-length", "+1")])),
        ("a length without a body", with(&[("content-length", "5")])),
        ("an empty path", put(":path", "")),
        ("a path without a slash", put(":path", "x")),
        ("a path with a blank", put(":path", "/a b")),
        ("a path with a line break", put(":path", "/a\r\nHost: evil")),
        ("a path that is a URL", put(":path", "http://evil/")),
        ("an asterisk", put(":path", "*")),
        ("a host with a user", put(":authority", "u@app")),
        ("a host with a path", put(":authority", "app/x")),
        ("a host with a blank", put(":authority", "a b")),
        ("a host with a line break", put(":authority", "a\r\nX: y")),
        ("connect", vec![(":method", "CONNECT"), (":authority", "app:80")]),
        ("extended connect", with(&[(":protocol", "websocket")])),
        ("trace", put(":method", "TRACE")),
        ("small letters", put(":method", "get")),
        ("a method with a blank", put(":method", "GET /x")),
        ("a loop", with(&[("via", "1.1 test")])),
        ("an expectation", with(&[("expect", "200-ok")])),
    ]
}

#[test]
fn wrong_requests_reach_no_server() {
    let authority = Authority::new();
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let door = behind_tls(&authority, "odd-h2", &origin);
    let good = |fields: &[(&str, &str)]| {
        let mut raw = Raw::open(&door, &authority);
        raw.send(&frame(HEADERS, ALL, 1, &block(fields)));
        raw.reaction(1)
    };
    assert_eq!(good(&GOOD), Reaction::Status(200));
    // Legal, if rare: a host beside the authority, an expectation, `te: trailers`.
    for fields in [("host", "app"), ("expect", "100-continue"), ("te", "trailers")] {
        assert_eq!(good(&[&GOOD[..], &[fields]].concat()), Reaction::Status(200), "{fields:?}");
    }
    // A fragment is for the client alone.
    let path = [GOOD[0], GOOD[1], (":path", "/a#b"), GOOD[3]];
    assert_eq!(good(&path), Reaction::Status(200));
    assert_eq!(origin.last().line(), "GET /a HTTP/1.1");
    let n_good = origin.all().len();
    for (words, fields) in wrong_heads() {
        let reaction = good(&fields);
        assert!(
            !matches!(reaction, Reaction::Status(200) | Reaction::Nothing),
            "{words}: {reaction:?}"
        );
        let n_seen = origin.all().len();
        assert_eq!(n_seen, n_good, "{words}: {:?}", origin.all().last());
    }
    // A body that is longer or shorter than its length is none.
    for (length, body) in [("5", &b"abc"[..]), ("1", b"abc")] {
        let mut raw = Raw::open(&door, &authority);
        let fields = [&[(":method", "POST")], &GOOD[1..], &[("content-length", length)]].concat();
        raw.send(&[frame(HEADERS, 4, 1, &block(&fields)), frame(DATA, 1, 1, body)].concat());
        assert_ne!(raw.reaction(1), Reaction::Status(200), "{length}");
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(origin.all().len(), n_good);
    // Trailers are dropped.
    let mut raw = Raw::open(&door, &authority);
    let post = [&[(":method", "POST")], &GOOD[1..]].concat();
    let trailers = frame(HEADERS, ALL, 1, &block(&[("x-trailer", "1"), ("content-length", "9")]));
    raw.send(&[frame(HEADERS, 4, 1, &block(&post)), frame(DATA, 0, 1, b"abc"), trailers].concat());
    assert_eq!(raw.reaction(1), Reaction::Status(200));
    let seen = origin.last();
    assert_eq!((seen.text().as_str(), seen.field("x-trailer")), ("abc", None));
}

fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Makes the next bytes of a flood.
type Flood = Box<dyn Fn(u32) -> Vec<u8>>;

/// Returns floods that a server has to end; `get` is the block of a good request.
fn floods(get: &[u8]) -> Vec<(&'static str, Flood)> {
    let junk = vec![b'x'; 16_000];
    vec![
        ("continuations", {
            let get = get.to_vec();
            Box::new(move |n| match n {
                0 => frame(HEADERS, 1, 1, &get),
                _ => frame(CONTINUATION, 0, 1, &block(&[("x-a", "1")])),
            })
        }),
        ("empty continuations", {
            let get = get.to_vec();
            Box::new(move |n| match n {
                0 => frame(HEADERS, 1, 1, &get),
                _ => frame(CONTINUATION, 0, 1, b""),
            })
        }),
        ("large continuations", {
            let get = get.to_vec();
            Box::new(move |n| match n {
                0 => frame(HEADERS, 1, 1, &get),
                _ => frame(CONTINUATION, 0, 1, &junk),
            })
        }),
        ("rapid resets", {
            let get = get.to_vec();
            Box::new(move |n| {
                let reset = frame(RESET, 0, 2 * n + 1, &[0, 0, 0, 8]);
                [frame(HEADERS, ALL, 2 * n + 1, &get), reset].concat()
            })
        }),
        ("resets that the proxy has to send", {
            let get = get.to_vec();
            Box::new(move |n| {
                let stream = 2 * n + 1;
                let zero = frame(WINDOW_UPDATE, 0, stream, &[0; 4]);
                [frame(HEADERS, ALL, stream, &get), zero].concat()
            })
        }),
    ]
}

#[test]
fn floods_end_the_connection_and_nothing_else() {
    let authority = Authority::new();
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let door = behind_tls(&authority, "flood-h2", &origin);
    let get = block(&GOOD);
    let before = memory();
    for (words, flood) in floods(&get) {
        let mut raw = Raw::open(&door, &authority);
        let ended = (0..200_000_u32).find(|n| !raw.send(&flood(*n)));
        let is_over = ended.is_some() || raw.reaction(u32::MAX) == Reaction::Closed;
        assert!(is_over, "{words} go on for ever");
    }
    // These are answered or dropped, and cost no memory.
    for (words, bytes) in [
        ("settings", frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 100].repeat(2000))),
        ("pings", frame(PING, 0, 0, &[0; 8])),
        ("priorities", frame(PRIORITY, 0, 3, &[0, 0, 0, 5, 1])),
        ("unknown frames", frame(0xEE, 0, 0, &[0; 100])),
    ] {
        let mut raw = Raw::open(&door, &authority);
        for _ in 0..5_000 {
            if !raw.send(&bytes) {
                break;
            }
        }
        drop((words, raw));
    }
    // A frame that is too large, windows that overflow, a request on a stream of the server's.
    for bytes in [
        frame(HEADERS, ALL, 1, &vec![0; 70_000]),
        frame(WINDOW_UPDATE, 0, 0, &[0x7F, 0xFF, 0xFF, 0xFF]),
        frame(WINDOW_UPDATE, 0, 0, &[0; 4]),
        frame(HEADERS, ALL, 2, &get),
        frame(DATA, 1, 1, b"x"),
        frame(SETTINGS, 0, 0, &[0, 4, 0xFF, 0xFF, 0xFF, 0xFF]),
        frame(SETTINGS, 0, 1, b""),
        frame(PING, 0, 0, &[0; 7]),
    ] {
        let mut raw = Raw::open(&door, &authority);
        raw.send(&bytes);
        assert_eq!(raw.reaction(u32::MAX), Reaction::Closed, "{:?}", &bytes[..9]);
    }
    let mut raw = Raw::open(&door, &authority);
    raw.send(&frame(HEADERS, ALL, 1, &get));
    assert_eq!(raw.reaction(1), Reaction::Status(200));
    // Other tests run beside this one; the large continuations alone would be 3 GB.
    assert!(memory() < before + (512 << 10), "{} kB, then {}", before, memory());
}
