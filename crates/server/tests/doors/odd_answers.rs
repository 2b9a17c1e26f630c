//! Servers behind the proxy that lie, stop half way, or answer what was not asked: the client gets a whole response or
//! none, and no byte of one response becomes part of another.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::running::{Door, connect};

/// A server with a script: what it sends for the n-th request of a connection; `None` closes the connection.
struct Scripted {
    address: SocketAddr,
    n_requests: Arc<AtomicUsize>,
    n_connections: Arc<AtomicUsize>,
}

impl Scripted {
    fn start(script: impl Fn(usize) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (n_requests, n_connections) = (Arc::<AtomicUsize>::default(), Arc::default());
        let this = Self { address, n_requests, n_connections };
        let (requests, connections) =
            (Arc::clone(&this.n_requests), Arc::clone(&this.n_connections));
        let script = Arc::new(script);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (requests, connections) = (Arc::clone(&requests), Arc::clone(&connections));
                let script = Arc::clone(&script);
                std::thread::spawn(move || {
                    let mut ahead = Vec::new();
                    for index in 0.. {
                        if !request(&mut stream, &mut ahead) {
                            return;
                        }
                        if index == 0 {
                            connections.fetch_add(1, Ordering::Relaxed);
                        }
                        let number = requests.fetch_add(1, Ordering::Relaxed);
                        let Some(bytes) = script(number) else { return };
                        if stream.write_all(&bytes).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        this
    }

    fn always(bytes: &'static [u8]) -> Self {
        Self::start(move |_| Some(bytes.to_vec()))
    }

    fn n_requests(&self) -> usize {
        self.n_requests.load(Ordering::Relaxed)
    }
}

/// Reads a request with its body; whether there was one.
fn request(stream: &mut TcpStream, ahead: &mut Vec<u8>) -> bool {
    let mut bytes = [0; 4096];
    loop {
        if let Some(end) = ahead.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&ahead[..end]).into_owned();
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            let length = length.map_or(0, |length| length.parse::<usize>().unwrap());
            if ahead.len() >= end + 4 + length {
                ahead.drain(..end + 4 + length);
                return true;
            }
        }
        match stream.read(&mut bytes) {
            Ok(n) if n > 0 => ahead.extend_from_slice(&bytes[..n]),
            _ => return false,
        }
    }
}

fn door(server: &Scripted) -> Door {
    door_with("Access.allow();", server)
}

fn door_with(program: &str, server: &Scripted) -> Door {
    Door::proxy(&[program], "", &[format!("http://{}", server.address)])
}

/// Sends bytes; returns what comes until the connection ends or is quiet.
fn exchange(stream: &mut TcpStream, bytes: &str) -> String {
    stream.set_read_timeout(Some(Duration::from_millis(400))).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    let (mut out, mut part) = (Vec::new(), [0; 65536]);
    while let Ok(n @ 1..) = stream.read(&mut part) {
        out.extend_from_slice(&part[..n]);
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn get(address: SocketAddr) -> String {
    exchange(&mut connect(address), "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
}

#[test]
fn malformed_answers_become_errors() {
    let ok = "HTTP/1.1 200 OK\r\n";
    let cases = [
        "HTTP/1.1 200 OK\nContent-Length: 2\n\nok".to_owned(),
        "HTTP/1.1 20 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 2000 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 600 OK\r\n\r\n".to_owned(),
        "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned(),
        "ICAP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned(),
        "200 OK\r\n\r\n".to_owned(),
        "\r\n\r\n".to_owned(),
        "\0".repeat(70_000),
        format!("{ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nokk"),
        format!("{ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"),
        format!("{ok}Content-Length: -2\r\n\r\nok"),
        format!("{ok}Content-Length: +2\r\n\r\nok"),
        format!("{ok}Content-Length: 2, 2\r\n\r\nok"),
        format!("{ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        format!("{ok}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        format!("{ok}Transfer-Encoding: identity\r\n\r\nok"),
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n".to_owned(),
        format!("{ok}X: a\r\n folded\r\nContent-Length: 2\r\n\r\nok"),
        format!("{ok}X : a\r\nContent-Length: 2\r\n\r\nok"),
        format!("{ok}X: a\rb\r\nContent-Length: 2\r\n\r\nok"),
        format!("{ok}X: a\0b\r\nContent-Length: 2\r\n\r\nok"),
        format!("{ok}no colon\r\nContent-Length: 2\r\n\r\nok"),
        format!("{ok}{}\r\nContent-Length: 2\r\n\r\nok", "X: y\r\n".repeat(300)),
        // A change of protocol that was not asked for, and informational responses without end.
        "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nGET / HTTP/1.1\r\n\r\n".to_owned(),
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(50),
        "HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n".repeat(50),
    ];
    for case in cases {
        let bytes = case.clone().into_bytes();
        let server = Scripted::start(move |_| Some(bytes.clone()));
        let got = get(door(&server).address);
        let shown: String = case.chars().take(200).collect();
        assert!(got.starts_with("HTTP/1.1 502 "), "{shown:?}: {got}");
        assert!(!got.contains("ok"), "{shown:?}: {got}");
    }
}

/// A body that is malformed behind a good head ends the connection before its end, whatever pieces it comes in.
#[test]
fn malformed_bodies_never_look_whole() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for body in [
        "zz\r\n5\r\nhello\r\n0\r\n\r\n",
        "5;x=y\r\nhello\r\n0\r\n\r\n",
        "5\nhello\n0\n\n",
        "5\r\nhello0\r\n\r\n",
        "5\r\nhello\r\n-1\r\n\r\n",
        "5\r\nhello\r\n0\r\nno colon\r\n\r\n",
        "5\r\nhello\r\n0;x\r\n0\r\n\r\n",
        "5\r\nhello\r\n1000000000000000000000\r\n",
    ] {
        let text = format!("{chunked}{body}").into_bytes();
        let server = Scripted::start(move |_| Some(text.clone()));
        let got = get(door(&server).address);
        assert!(!got.ends_with("0\r\n\r\n"), "{body:?}: {got}");
    }
    let huge = format!("{chunked}2\r\nok\r\n0\r\n{}\r\n", "X: y\r\n".repeat(3000)).into_bytes();
    let server = Scripted::start(move |_| Some(huge.clone()));
    let got = get(door(&server).address);
    assert!(!got.ends_with("0\r\n\r\n"), "{got}");
    // One that is too short by its length.
    let server = Scripted::start(|_| {
        Some(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nok".to_vec())
    });
    let door = door(&server);
    let mut stream = connect(door.address);
    let got = exchange(&mut stream, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(got.ends_with("ok") && got.contains("Content-Length: 9"), "{got}");
}

/// Bytes behind a response belong to none: the connection is not used again.
#[test]
fn bytes_behind_a_response_are_dropped() {
    let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
    for (first, method) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "GET"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "GET"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 44\r\n\r\n", "HEAD"),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 44\r\n\r\n", "GET"),
        ("HTTP/1.1 204 No Content\r\n\r\n", "GET"),
    ] {
        let both = format!("{first}{evil}").into_bytes();
        let server = Scripted::start(move |number| {
            let good = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood".to_vec();
            Some(if number == 0 { both.clone() } else { good })
        });
        let door = door(&server);
        let mut stream = connect(door.address);
        let one = exchange(&mut stream, &format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n"));
        let two = exchange(&mut stream, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(!one.contains("evil"), "{first}: {one}");
        assert!(two.ends_with("good"), "{first}: {two}");
        assert_eq!(server.n_connections.load(Ordering::Relaxed), 2, "{first}");
    }
}

/// A kept connection that the server closes when it gets the next request: what changes nothing is sent again, what
/// changes something is not.
#[test]
fn only_harmless_requests_are_sent_again() {
    for (method, body, is_repeated) in [
        ("GET", "", true),
        ("HEAD", "", true),
        ("OPTIONS", "", true),
        ("POST", "body", false),
        ("PUT", "body", false),
        ("DELETE", "", false),
        ("POST", "", false),
    ] {
        let ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        let server = Scripted::start(move |number| (number != 1).then(|| ok.to_vec()));
        let door = door(&server);
        let mut stream = connect(door.address);
        let first = exchange(&mut stream, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(first.starts_with("HTTP/1.1 200 "), "{first}");
        let length = if body.is_empty() {
            String::new()
        } else {
            format!("Content-Length: {}\r\n", body.len())
        };
        let text = format!("{method} / HTTP/1.1\r\nHost: a\r\n{length}\r\n{body}");
        let second = exchange(&mut stream, &text);
        let status = if is_repeated { "HTTP/1.1 200 " } else { "HTTP/1.1 502 " };
        assert!(second.starts_with(status), "{method} {body}: {second}");
        assert_eq!(server.n_requests(), if is_repeated { 3 } else { 2 }, "{method} {body}");
    }
}

/// A server that has begun to answer has the request.
#[test]
fn a_request_is_not_sent_again_after_a_hint() {
    let server = Scripted::start(|number| match number {
        0 => Some(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec()),
        1 => Some(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".to_vec()),
        _ => None,
    });
    let door = door(&server);
    let mut stream = connect(door.address);
    exchange(&mut stream, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    let mut other = connect(door.address);
    // The hint is there, and the server is closed by a second request on the same connection.
    let got = exchange(&mut other, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(!got.contains("HTTP/1.1 103"), "{got}");
    assert_eq!(server.n_requests(), 2);
}

#[test]
fn informational_responses_do_not_reach_the_client() {
    let server = Scripted::always(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    );
    let got = get(door(&server).address);
    assert!(got.starts_with("HTTP/1.1 200 OK\r\n") && got.ends_with("\r\n\r\nok"), "{got}");
    assert!(!got.contains("100") && !got.contains("103"), "{got}");
}

/// Responses without a body by their nature have none, whatever the server or a program says.
#[test]
fn responses_without_a_body_have_none() {
    for (answer, method) in [
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "GET"),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "GET"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HEAD"),
    ] {
        let server = Scripted::start(move |_| Some(answer.as_bytes().to_vec()));
        let edits = "Http := import(\"Http\"); Http.response.headers.set(\"X-Edited\", \"1\"); Access.allow();";
        for program in ["Access.allow();", edits] {
            let door = door_with(program, &server);
            let mut stream = connect(door.address);
            for _ in 0..2 {
                let text = format!("{method} / HTTP/1.1\r\nHost: a\r\n\r\n");
                let got = exchange(&mut stream, &text);
                assert!(
                    got.starts_with("HTTP/1.1 ") && got.ends_with("\r\n\r\n"),
                    "{answer}: {got}"
                );
                assert_eq!(got.matches("\r\n\r\n").count(), 1, "{answer}: {got}");
                assert!(!got.contains("chunked"), "{answer}: {got}");
            }
        }
    }
}

/// Connections go on after errors whose requests were read whole, and end where they were not.
#[test]
fn connections_go_on_after_errors() {
    let server = Scripted::always(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let program = "Http := import(\"Http\"); if (Http.request.uri.path == \"/deny\") { Access.deny(\"no\"); } Access.allow();";
    let door = door_with(program, &server);
    let mut stream = connect(door.address);
    for _ in 0..3 {
        let denied = exchange(&mut stream, "GET /deny HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(
            denied.starts_with("HTTP/1.1 403 ") && !denied.contains("Connection: close"),
            "{denied}"
        );
        let passed = exchange(&mut stream, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(passed.ends_with("ok"), "{passed}");
    }
    // The body of a denied request is not read: what looks like a request in it is none.
    let inner = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";
    let before = server.n_requests();
    let text =
        format!("POST /deny HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{inner}", inner.len());
    let got = exchange(&mut stream, &text);
    assert!(got.contains("Connection: close"), "{got}");
    assert_eq!((got.matches("HTTP/1.1 ").count(), server.n_requests()), (1, before), "{got}");
    // An expectation of a denied request is not encouraged.
    let text =
        "POST /deny HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    let got = exchange(&mut connect(door.address), text);
    assert!(got.starts_with("HTTP/1.1 403 ") && !got.contains("100 Continue"), "{got}");
}

/// Rules can't write a second header field, a second request or a control character.
#[test]
fn rules_split_no_message() {
    let server = Scripted::always(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    for statement in [
        "Http.request.headers.set(\"X-A\", Http.request.uri.param(\"v\"))",
        "Http.request.headers.add(Http.request.uri.param(\"v\"), \"b\")",
        "Route.rewrite(\"/\" + Http.request.uri.param(\"v\"))",
    ] {
        let program = format!("Http := import(\"Http\"); {statement}; Access.allow();");
        let door = door_with(&program, &server);
        for value in ["a%0d%0aX-Evil:%201", "a%0aX-Evil:%201", "a%00", "a%0d", "a%01b", "a%7f"] {
            let text = format!("GET /?v={value} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            let got = exchange(&mut connect(door.address), &text);
            assert!(got.starts_with("HTTP/1.1 403 "), "{statement} {value}: {got}");
        }
        let got = exchange(&mut connect(door.address), "GET /?v=good HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(got.ends_with("ok"), "{statement}: {got}");
    }
}
