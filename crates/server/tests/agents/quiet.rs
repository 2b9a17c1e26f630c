//! Connections that are quiet for longer than the server keeps their buffers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::client::{Connection, head, receive};
use crate::fixture::Fixture;

/// Longer than a connection is quiet before it is taken apart.
const LONG: Duration = Duration::from_millis(1400);

trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

fn status() -> Vec<u8> {
    head("GET", "/status/v1/simple", &[], None)
}

/// Runs a conversation without TLS and with it.
fn both(fixture: &Fixture, converse: impl Fn(&mut dyn Stream)) {
    let mut plain = TcpStream::connect(fixture.plain).expect("a connection");
    plain.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    converse(&mut plain);
    let opened = Connection::open(fixture.address, &fixture.pki, Some(&fixture.agent));
    converse(opened.expect("a connection").stream());
}

fn send(stream: &mut dyn Stream, bytes: &[u8]) {
    stream.write_all(bytes).and_then(|()| stream.flush()).expect("a client that sends");
}

fn running(mut stream: &mut dyn Stream) {
    let received = receive(&mut stream, false).expect("an answer");
    assert_eq!((received.status, &*received.body), (200, &b"running"[..]));
}

#[test]
fn quiet_connections_are_used_again() {
    both(&Fixture::start(), |stream| {
        for _ in 0..3 {
            send(stream, &status());
            running(stream);
            std::thread::sleep(LONG);
        }
        // At once, and as one piece.
        send(stream, &status().repeat(3));
        let (mut answers, mut piece) = (Vec::new(), [0; 1024]);
        while answers.windows(7).filter(|word| word == b"running").count() < 3 {
            let n = stream.read(&mut piece).expect("three answers");
            assert_ne!(n, 0, "{}", String::from_utf8_lossy(&answers));
            answers.extend_from_slice(&piece[..n]);
        }
    });
}

#[test]
fn a_head_in_pieces_is_kept() {
    both(&Fixture::start(), |stream| {
        let (request, half) = (status(), status().len() / 2);
        send(stream, &[&request, &request[..half]].concat());
        running(stream);
        std::thread::sleep(LONG);
        send(stream, &request[half..]);
        running(stream);
        std::thread::sleep(LONG);
        send(stream, &request[..1]);
        std::thread::sleep(LONG);
        send(stream, &request[1..]);
        running(stream);
    });
}

#[test]
fn the_rest_of_a_body_is_no_request() {
    both(&Fixture::start(), |stream| {
        // Denied without a look at the body, whose rest looks like a request.
        let rest = status().repeat(2);
        let fields = [("Content-Length", &*(4 + rest.len()).to_string())];
        send(stream, &head("PUT", "/puppet/v3/report/other.example", &fields, None));
        send(stream, b"{}\r\n");
        let mut stream = stream;
        let refused = receive(&mut stream, false).expect("an answer");
        assert!(refused.status >= 400, "{}", refused.status);
        std::thread::sleep(LONG);
        // The server may close the connection; but it must not answer what the body says.
        let next = head("GET", "/nosuch", &[], None);
        let _ = stream.write_all(&[rest, next].concat()).and_then(|()| stream.flush());
        if let Ok(received) = receive(&mut stream, false) {
            assert_eq!(received.status, 404);
        }
    });
}

#[test]
fn quiet_connections_end_with_the_server() {
    let mut fixture = Fixture::start();
    let mut stream = TcpStream::connect(fixture.plain).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    send(&mut stream, &status());
    running(&mut stream);
    std::thread::sleep(LONG);
    fixture.stop();
    std::thread::sleep(Duration::from_millis(300));
    // A request that was on its way is answered (that the server stops), and told that the connection ends.
    send(&mut stream, &status());
    let received = receive(&mut stream, false).expect("an answer");
    assert_eq!((received.status, received.header("connection")), (503, Some("close")));
    let mut rest = Vec::new();
    assert_eq!(stream.read_to_end(&mut rest).expect("the end"), 0);
}

#[test]
fn a_request_that_takes_long_is_no_quiet_connection() {
    let fixture = Fixture::start();
    let own = fixture.pki.sign(9, &["slow.example"], &[]);
    let opened = Connection::open(fixture.address, &fixture.pki, Some(&own));
    let mut connection = opened.expect("a connection");
    running_after(&mut connection, &status());
    // The classifier of this node takes longer than a connection is quiet.
    let fields = [("Accept", "application/json")];
    let path = "/puppet/v3/node/slow.example?environment=production";
    let received = connection.request("GET", path, &fields, None).expect("an answer");
    assert_eq!(received.status, 200, "{}", received.text());
    running_after(&mut connection, &status());
}

fn running_after(connection: &mut Connection, request: &[u8]) {
    send(connection.stream(), request);
    running(connection.stream());
}
