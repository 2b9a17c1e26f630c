//! Messages that implementations read in different ways: none reaches the origin.

use crate::origin::{Server, response};
use crate::running::{Door, raw};

/// First lines.
const LINES: &[&str] = &[
    "get / HTTP/1.1",
    "Get / HTTP/1.1",
    "G@T / HTTP/1.1",
    "GET  / HTTP/1.1",
    "GET\t/ HTTP/1.1",
    "GET / HTTP/1.1 ",
    " GET / HTTP/1.1",
    "GET /",
    "GET",
    "",
    "GET / HTTP/1.10",
    "GET / HTTP/2.0",
    "GET / HTTP/0.9",
    "GET / http/1.1",
    "GET / ICAP/1.0",
    "GET / HTTP/1.1.1",
    "GET / HTTP/1,1",
    "GET / HTTP/11",
    "GET / HTTP/1.",
    "GET /a b HTTP/1.1",
    "GET /a\tb HTTP/1.1",
    "GET /a\u{1}b HTTP/1.1",
    "GET /a\u{7f}b HTTP/1.1",
    "GET /ä HTTP/1.1",
    "GET a HTTP/1.1",
    "GET * HTTP/1.1",
    "GET ?a HTTP/1.1",
    "GET #a HTTP/1.1",
    "GET /a#b HTTP/1.1",
    "GET http:/a HTTP/1.1",
    "GET http:// HTTP/1.1",
    "GET http://evil/ HTTP/1.1",
    "GET http://a@kit/ HTTP/1.1",
    "GET ftp://kit/ HTTP/1.1",
    "GET http://kit?a HTTP/1.1",
    "GET //evil:80:80/ HTTP/1.1 HTTP/1.1",
    "CONNECT kit:80 HTTP/1.1",
    "CONNECT / HTTP/1.1",
    "TRACE / HTTP/1.1",
    "TRACK / HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "PRI * HTTP/2.0",
    "GET /a%2fb HTTP/1.1",
    "GET /a/%2e%2e/b HTTP/1.1",
    "GET /a/..;/b HTTP/1.1",
    "GET /a\\b HTTP/1.1",
    "GET /a%5cb HTTP/1.1",
    "GET /a%00 HTTP/1.1",
    "GET /a%0d%0ab HTTP/1.1",
    "GET /%zz HTTP/1.1",
    "GET /% HTTP/1.1",
    "GET /a%252fb HTTP/1.1",
    "GET /%ff HTTP/1.1",
];

/// Fields that are no good host; the first stands beside a good one.
const HOSTS: &[&str] = &[
    "Host: a\r\n",
    "",
    "Host:\r\n",
    "Host: kit, evil\r\n",
    "Host: kit/evil\r\n",
    "Host: a b\r\n",
    "Host: user@kit\r\n",
    "Host: kit:\r\n",
    "Host: kit:x\r\n",
    "Host: kit:80:80\r\n",
    "Host: kit:999999\r\n",
    "Host: [::1\r\n",
    "Host: k\u{e4}t\r\n",
    "Host: kit?a\r\n",
    "Host: kit#a\r\n",
    "Host: kit\\a\r\n",
    "Host : kit\r\n",
    "Host\r\n",
    "Host:\tkit\r\n",
    "Host kit\r\n",
];

/// Other fields.
const FIELDS: &[&str] = &[
    "X: a\r\n b\r\n",
    " X: a\r\n",
    "\tX: a\r\n",
    "X: a\r\n\tb\r\n",
    "X\r\n",
    ": a\r\n",
    "X : a\r\n",
    "X\t: a\r\n",
    "X(: a\r\n",
    "X/Y: a\r\n",
    "X\"Y: a\r\n",
    "X@Y: a\r\n",
    "X Y: a\r\n",
    "\u{e4}: a\r\n",
    "X: a\u{0}b\r\n",
    "X: a\u{1}b\r\n",
    "X: a\u{7f}b\r\n",
    "X: a\rb\r\n",
    "X: a\nb\r\n",
    "X: a\n",
    "X: a\r\r\n",
    "X\u{0}: a\r\n",
    "X: a\r\nGET / HTTP/1.1\r\n",
    "X:\u{b}a\r\n",
    "Connection: Host\r\n",
    "Connection: close, Content-Length\r\n",
    "Connection: Transfer-Encoding\r\n",
    "Connection: Cookie\r\nCookie: a=b\r\n",
    "Expect: 200-ok\r\n",
    "Expect: 100-continue\r\nExpect: 100-continue\r\n",
    "Via: 1.1 test\r\n",
    "Via: 1.0 other, 1.1 test\r\n",
    "Upgrade: a\r\nUpgrade: b\r\n",
    "Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n",
    "Connection: upgrade\r\nUpgrade: a, b\r\n",
];

/// Fields about the length of the body.
const LENGTHS: &[&str] = &[
    "Content-Length: 5\r\nContent-Length: 5\r\n",
    "Content-Length: 5\r\nContent-Length: 6\r\n",
    "Content-Length: 5, 5\r\n",
    "Content-Length: 5,6\r\n",
    "Content-Length: +5\r\n",
    "Content-Length: -5\r\n",
    "Content-Length: 0x5\r\n",
    "Content-Length: 5.0\r\n",
    "Content-Length: 5 5\r\n",
    "Content-Length:\r\n",
    "Content-Length: a\r\n",
    "Content-Length: 5;a\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Content-Length: 18446744073709551621\r\n",
    "Content-Length: \"5\"\r\n",
    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked, chunked\r\n",
    "Transfer-Encoding: gzip\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding: chunked, identity\r\n",
    "Transfer-Encoding: identity\r\n",
    "Transfer-Encoding: xchunked\r\n",
    "Transfer-Encoding: \"chunked\"\r\n",
    "Transfer-Encoding: chunked;a=b\r\n",
    "Transfer-Encoding: ,chunked\r\n",
    "Transfer-Encoding: chunked,\r\n",
    "Transfer-Encoding:\r\n",
    "Transfer-Encoding: \u{b}chunked\r\n",
    "Transfer-Encoding : chunked\r\n",
    "Transfer-Encoding: chu\r\n nked\r\n",
    "Transfer-Encoding:\n chunked\r\n",
    "X: a\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    "Transfer-Encoding:\tchunked\r\n",
    "Content-Length:\t5\r\n",
];

/// Messages that must be refused: a name, and the bytes.
pub(crate) fn hostile() -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: &str, text: &[u8]| all.push((name.to_owned(), text.to_vec()));
    for line in LINES {
        add(
            &format!("line {line:?}"),
            format!("{line}\r\nHost: kit\r\nConnection: close\r\n\r\n").as_bytes(),
        );
    }
    for (index, host) in HOSTS.iter().enumerate() {
        let doubled = if index == 0 { "Host: kit\r\n" } else { "" };
        let text = format!("GET / HTTP/1.1\r\n{doubled}{host}Connection: close\r\n\r\n");
        add(&format!("host {host:?}"), text.as_bytes());
    }
    for field in FIELDS {
        let text = format!("GET / HTTP/1.1\r\nHost: kit\r\n{field}Connection: close\r\n\r\nx");
        add(&format!("field {field:?}"), text.as_bytes());
    }
    for length in LENGTHS {
        let text = format!(
            "POST / HTTP/1.1\r\nHost: kit\r\n{length}\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: kit\r\n\r\n"
        );
        add(&format!("length {length:?}"), text.as_bytes());
    }
    add(
        "chunked in 1.0",
        b"POST / HTTP/1.0\r\nHost: kit\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    add("1.0 without a host", b"GET / HTTP/1.0\r\n\r\n");
    add("a head of line feeds", b"GET / HTTP/1.1\nHost: kit\n\n");
    add("a line feed in front", b"\nGET / HTTP/1.1\r\nHost: kit\r\n\r\n");
    add("an empty line in front", b"\r\nGET / HTTP/1.1\r\nHost: kit\r\n\r\n");
    add(
        "a head that is too large",
        &[b"GET / HTTP/1.1\r\nHost: kit\r\nX: ".to_vec(), vec![b'a'; 70_000], b"\r\n\r\n".to_vec()]
            .concat(),
    );
    add(
        "too many fields",
        &[b"GET / HTTP/1.1\r\nHost: kit\r\n".to_vec(), b"X: a\r\n".repeat(300), b"\r\n".to_vec()]
            .concat(),
    );
    add(
        "a target that is too large",
        &[b"GET /".to_vec(), vec![b'a'; 70_000], b" HTTP/1.1\r\nHost: kit\r\n\r\n".to_vec()]
            .concat(),
    );
    add("TLS without TLS", &[0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3, b'\n', b'\n']);
    all
}

/// Bodies whose chunks are malformed; the head of the request has passed.
pub(crate) fn bad_chunks() -> Vec<(String, Vec<u8>)> {
    let chunks: [&str; 22] = [
        "3\nabc\r\n0\r\n\r\n",
        "3\r\nabc\n0\r\n\r\n",
        "3\r\nabcd\r\n0\r\n\r\n",
        "3;x=y\r\nabc\r\n0\r\n\r\n",
        "3;\r\nabc\r\n0\r\n\r\n",
        "3 \r\nabc\r\n0\r\n\r\n",
        " 3\r\nabc\r\n0\r\n\r\n",
        "0x3\r\nabc\r\n0\r\n\r\n",
        "-3\r\nabc\r\n0\r\n\r\n",
        "+3\r\nabc\r\n0\r\n\r\n",
        "\r\n\r\n",
        "g\r\nabc\r\n0\r\n\r\n",
        "ffffffffffffffff\r\nabc",
        "10000000000000003\r\nabc\r\n0\r\n\r\n",
        "3\rabc\r\n0\r\n\r\n",
        "3\r\nabc\r\n0\r\nX\r\n\r\n",
        "3\r\nabc\r\n0\r\n X: y\r\n\r\n",
        "3\r\nabc\r\n0\r\nX: \u{0}\r\n\r\n",
        "3\r\nabc\r\n0\n\n",
        "3\r\nabc\r\n0\r\nX: y\n\r\n",
        "3;\"\r\n\"\r\nabc\r\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n",
    ];
    let text = |chunks: &str| {
        format!("POST / HTTP/1.1\r\nHost: kit\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}")
            .into_bytes()
    };
    chunks.iter().map(|chunks| (format!("chunks {chunks:?}"), text(chunks))).collect()
}

/// Messages that are unusual; some pass.
pub(crate) fn borderline() -> Vec<(String, Vec<u8>)> {
    let requests: [&str; 20] = [
        "GET / HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: kit\r\n\r\n",
        "M-SEARCH / HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "PURGE / HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "GET http://kit/ HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "GET HTTP://kit/ HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "GET /a?b=c|d{e} HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "GET // HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "GET /a/../b HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kit:80\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kit\r\nX-\u{e9}: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kit\r\nX: \u{e9}\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kit\r\nX:\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kit\r\nX_Y: a\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kit\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: kit\r\nContent-Length: 003\r\nConnection: close\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: kit\r\nTransfer-Encoding: CHUNKED\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: kit\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0003\r\nabc\r\n0\r\nX: y\r\n\r\n",
        "GET /1 HTTP/1.1\r\nHost: kit\r\n\r\nGET /2 HTTP/1.1\r\nHost: kit\r\nConnection: close\r\n\r\n",
    ];
    requests.iter().map(|text| (format!("request {text:?}"), text.as_bytes().to_vec())).collect()
}

fn origin() -> Server {
    Server::start(|got| response("200 OK", "", &got.body))
}

fn door(origin: &Server) -> Door {
    Door::proxy(&["Access.allow();"], "", &[format!("http://{}", origin.address)])
}

#[test]
fn hostile_messages_are_refused() {
    let origin = origin();
    let door = door(&origin);
    let all = hostile();
    assert!(all.len() >= 130, "{}", all.len());
    for (name, bytes) in all {
        let text = raw(door.address, &bytes);
        let status: u16 = text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        assert!(status >= 400, "{name}: {text:?}");
        let seen = origin.all();
        assert!(seen.is_empty(), "{name}: the origin got {seen:?}");
        assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{name}: {text:?}");
    }
}

#[test]
fn malformed_chunks_never_make_a_whole_request() {
    let origin = origin();
    let door = door(&origin);
    for (name, bytes) in bad_chunks() {
        let text = raw(door.address, &bytes);
        assert!(!text.starts_with("HTTP/1.1 2"), "{name}: {text:?}");
    }
    // The origin sees beginnings of bodies, and never an end.
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(origin.all().is_empty(), "{:?}", origin.all());
}
