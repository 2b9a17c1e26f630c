//! Clients that take their time, and bodies beyond all bounds.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use kukla_server::agents::Patience;

use crate::client::{Connection, head, receive};
use crate::fixture::Fixture;

const FACTS: &str = "/puppet/v3/facts/agent.example?environment=production";
const FIELDS: &[(&str, &str)] =
    &[("Accept", "application/json"), ("Content-Type", "application/json")];

fn impatient() -> Fixture {
    Fixture::with(|mut options| {
        let short = Duration::from_millis(300);
        options.patience = Patience { handshake: short, head: short, body: short, answer: short };
        options.most_body = 1 << 20;
        options
    })
}

/// Sends bytes one by one until the server has enough, and returns how long that took.
fn trickle(stream: &mut (impl std::io::Read + std::io::Write), bytes: &[u8]) -> Duration {
    let start = Instant::now();
    for byte in bytes {
        if stream.write_all(&[*byte]).and_then(|()| stream.flush()).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        if start.elapsed() > Duration::from_secs(4) {
            break;
        }
    }
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    start.elapsed()
}

fn tls(fixture: &Fixture, protocol: &[u8]) -> Connection {
    let agent = Some(&fixture.agent);
    let opened = Connection::open_for(fixture.address, &fixture.pki, agent, protocol);
    opened.expect("a connection")
}

#[test]
fn slow_clients_are_cut_off() {
    let fixture = impatient();
    let mut waits: Vec<(&str, Duration)> = Vec::new();
    let mut silent = TcpStream::connect(fixture.address).expect("a connection");
    waits.push(("a silent client", trickle(&mut silent, b"")));
    let mut hello = TcpStream::connect(fixture.address).expect("a connection");
    let record = [&[0x16, 3, 1, 2, 0][..], &[0; 512]].concat();
    waits.push(("a slow handshake", trickle(&mut hello, &record)));
    let mut plain = TcpStream::connect(fixture.plain).expect("a connection");
    waits.push(("a silent client without TLS", trickle(&mut plain, b"")));
    let request = head("GET", &format!("/status/v1/simple?{}", "x".repeat(500)), &[], None);
    let mut plain = TcpStream::connect(fixture.plain).expect("a connection");
    waits.push(("a slow head without TLS", trickle(&mut plain, &request)));
    for protocol in [&b"http/1.1"[..], b"h2"] {
        let mut connection = tls(&fixture, protocol);
        let stream = connection.stream();
        stream.conn.complete_io(&mut stream.sock).expect("a handshake");
        waits.push(("a client that sends nothing", trickle(stream, b"")));
    }
    waits.push(("a slow head", trickle(tls(&fixture, b"http/1.1").stream(), &request)));
    let request = head("PUT", FACTS, FIELDS, Some(&[b' '; 1000]));
    let at = request.len() - 1000;
    let mut connection = tls(&fixture, b"http/1.1");
    connection.stream().write_all(&request[..at]).expect("sent");
    waits.push(("a slow body", trickle(connection.stream(), &request[at..])));
    let chunked = [FIELDS, &[("Transfer-Encoding", "chunked")]].concat();
    let mut connection = tls(&fixture, b"http/1.1");
    connection.stream().write_all(&head("PUT", FACTS, &chunked, None)).expect("sent");
    let chunks = b"1\r\n \r\n".repeat(200);
    waits.push(("slow chunks", trickle(connection.stream(), &chunks)));
    for (name, waited) in waits {
        assert!(waited < Duration::from_secs(3), "{name}: {waited:?}");
    }
}

/// A client that asks and never reads holds its connection for a short time only.
#[test]
fn clients_that_do_not_read_are_cut_off() {
    let fixture = impatient();
    let mut stream = TcpStream::connect(fixture.plain).expect("a connection");
    let request = head("GET", "/puppet-ca/v1/certificate/ca", &[], None);
    let start = Instant::now();
    // The buffers of both ends are filled by answers until the server gives up.
    stream.set_write_timeout(Some(Duration::from_secs(8))).expect("a timeout");
    while stream.write_all(&request.repeat(100)).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(15), "the server takes requests for ever");
    }
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn bodies_are_bounded() {
    let fixture = impatient();
    let chunked = [FIELDS, &[("Transfer-Encoding", "chunked")]].concat();
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let stream = connection.stream();
    stream.write_all(&head("PUT", FACTS, &chunked, None)).expect("sent");
    let chunk = [b"10000\r\n", &vec![b' '; 0x10000][..], b"\r\n"].concat();
    // The server may have closed the connection before all is sent.
    let _ = (0..40).try_for_each(|_| stream.write_all(&chunk));
    assert_eq!(receive(stream, false).expect("an answer").status, 413);
    let status = |client: Option<&str>, method: &str, path: &str, size: usize| {
        let mut connection = fixture.connect(client).expect("a connection");
        let answer = connection.request(method, path, FIELDS, Some(&vec![b' '; size]));
        answer.map(|received| received.status).unwrap_or_default()
    };
    // A client without a certificate can't make the server keep much.
    assert_eq!(status(None, "GET", "/status/v1/simple", 60_000), 200);
    assert_eq!(status(None, "GET", "/status/v1/simple", 70_000), 413);
    assert_eq!(status(None, "PUT", "/puppet-ca/v1/certificate_request/a.example", 70_000), 413);
    assert_eq!(status(Some("agent.example"), "PUT", FACTS, 70_000), 400);
    // Many small values would take far more memory than their text.
    let many = format!(
        "{{\"name\":\"agent.example\",\"values\":{{\"a\":[{}[]]}}}}",
        "[],".repeat(320_000)
    );
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let received = connection.request("PUT", FACTS, FIELDS, Some(many.as_bytes()));
    assert_eq!(received.expect("an answer").status, 400);
}
