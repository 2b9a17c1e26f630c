//! Requests that no honest client sends.

use std::io::Write as _;
use std::net::TcpStream;

use crate::client::{head, receive};
use crate::fixture::Fixture;

const ACCEPT: &[(&str, &str)] = &[("Accept", "application/json")];

/// Paths that leave a directory, hide a segment, or name another node: client, method, path, status.
const PATHS: &[(&str, &str, &str, u16)] = &[
    ("agent.example", "GET", "/puppet/v3/catalog/../../../etc/passwd?environment=production", 400),
    (
        "agent.example",
        "GET",
        "/puppet/v3/catalog/agent.example/../web.example?environment=production",
        400,
    ),
    (
        "agent.example",
        "GET",
        "/puppet/v3/catalog/agent.example%2f..%2fweb.example?environment=production",
        400,
    ),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example%2Fx?environment=production", 403),
    ("agent.example", "GET", "/puppet/v3/catalog/web.example?environment=production", 403),
    (
        "agent.example",
        "GET",
        "/puppet/v3/catalog/web.example%00agent.example?environment=production",
        400,
    ),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example%0a?environment=production", 403),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example%20?environment=production", 403),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example.?environment=production", 403),
    ("agent.example", "GET", "/puppet/v3/catalog/xagent.example?environment=production", 403),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.examplex?environment=production", 403),
    ("agent.example", "GET", "/puppet/v3/catalog/agentXexample?environment=production", 403),
    (
        "agent.example",
        "GET",
        "/puppet/v3/catalog/web.example?environment=production&x=/agent.example",
        403,
    ),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example?environment=../production", 400),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example?environment=production%00", 400),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example?environment=production%0a", 400),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example?environment=%ff", 400),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example?environment=a/b", 400),
    ("agent.example", "PUT", "/puppet/v3/facts/web.example?environment=production", 403),
    ("agent.example", "PUT", "/puppet/v3/facts/..%2f..%2fx?environment=production", 400),
    ("agent.example", "GET", "/puppet/v3/node/web.example?environment=production", 403),
    ("agent.example", "POST", "/puppet/v4/catalog", 403),
    ("agent.example", "DELETE", "/puppet-admin-api/v1/environment-cache", 403),
    ("agent.example", "DELETE", "/puppet-admin-api/v1/jruby-pool", 403),
    ("agent.example", "GET", "/metrics", 403),
    ("agent.example", "GET", "/metrics/v2/list", 403),
    ("agent.example", "GET", "/PUPPET/V3/catalog/agent.example", 404),
    ("agent.example", "GET", "/puppet/v3/%63atalog/web.example?environment=production", 403),
    ("agent.example", "GET", "/puppet%2fv3%2fcatalog%2fweb.example?environment=production", 403),
    ("agent.example", "GET", "//puppet/v3/catalog/web.example?environment=production", 404),
    ("agent.example", "GET", "/puppet/v3/catalog//web.example?environment=production", 403),
    ("agent.example", "GET", "/puppet/v3/%c0%ae%c0%ae/environments", 400),
    ("agent.example", "GET", "/puppet/v3/%252e%252e/environments", 404),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example;/../web.example", 400),
    ("agent.example", "GET", "/puppet/v3/catalog/agent.example\\..\\web.example", 403),
    ("admin.example", "GET", "/puppet/v3/node/.hidden?environment=production", 400),
    ("admin.example", "GET", "/puppet/v3/node/a%5Cb?environment=production", 400),
    ("admin.example", "GET", "/puppet/v3/node/a%22b?environment=production", 400),
    ("admin.example", "GET", "/puppet/v3/node/a%0ab?environment=production", 400),
];

#[test]
fn no_path_leads_to_what_is_not_the_clients() {
    let fixture = Fixture::start();
    let mut problems = Vec::new();
    for (client, method, path, status) in PATHS {
        let mut connection = fixture.connect(Some(client)).expect("a connection");
        let body = (*method != "GET").then_some(&b"{}"[..]);
        let received = connection.request(method, path, ACCEPT, body).expect("an answer");
        if received.status != *status {
            problems.push(format!("{path}: {} {}", received.status, received.text()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Header fields that proxies set count only where a proxy is trusted, and only on the plain listener.
#[test]
fn spoofed_identities_do_not_count() {
    let spoofed = [
        ("Accept", "application/json"),
        ("X-Client-Verify", "SUCCESS"),
        ("X-Client-DN", "CN=agent.example"),
    ];
    let path = "/puppet/v3/node/agent.example?environment=production";
    let ask = |fixture: &Fixture| {
        let mut stream = TcpStream::connect(fixture.plain).expect("a connection");
        stream.write_all(&head("GET", path, &spoofed, None)).expect("sent");
        receive(&mut stream, false).expect("an answer").status
    };
    let distrusting = Fixture::start();
    let mut tls = distrusting.connect(None).expect("a connection");
    assert_eq!(tls.request("GET", path, &spoofed, None).expect("an answer").status, 403);
    assert_eq!(ask(&distrusting), 403);
    let trusting = Fixture::with(|mut options| {
        options.trusts_headers = true;
        options
    });
    assert_eq!(ask(&trusting), 200);
    let mut tls = trusting.connect(None).expect("a connection");
    assert_eq!(tls.request("GET", path, &spoofed, None).expect("an answer").status, 403);
    for (verify, dn, status) in [
        ("FAILED", "CN=agent.example", 403),
        ("NONE", "CN=agent.example", 403),
        ("SUCCESS", "CN=web.example", 403),
        ("SUCCESS", "/CN=agent.example", 200),
        ("SUCCESS", "CN=agent.example,CN=web.example", 400),
        ("SUCCESS", "O=x", 400),
    ] {
        let fields = [("Accept", "json"), ("X-Client-Verify", verify), ("X-Client-DN", dn)];
        let mut stream = TcpStream::connect(trusting.plain).expect("a connection");
        stream.write_all(&head("GET", path, &fields, None)).expect("sent");
        let received = receive(&mut stream, false).expect("an answer");
        assert_eq!(received.status, status, "{verify} {dn}: {}", received.text());
    }
}

#[test]
fn bodies_are_bounded() {
    let fixture = Fixture::with(|mut options| {
        options.most_body = 10_000;
        options
    });
    let path = "/puppet/v3/facts/agent.example?environment=production";
    let fields = [("Accept", "application/json"), ("Content-Type", "application/json")];
    let large = vec![b'x'; 20_000];
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let received = connection.request("PUT", path, &fields, Some(&large)).expect("an answer");
    assert_eq!(received.status, 413);
    let deep = format!(
        "{{\"name\":\"agent.example\",\"values\":{}1{}}}",
        "[".repeat(4000),
        "]".repeat(4000)
    );
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let received =
        connection.request("PUT", path, &fields, Some(deep.as_bytes())).expect("an answer");
    assert_eq!(received.status, 400);
}

#[test]
fn two_lengths_and_other_smuggling_are_refused() {
    let fixture = Fixture::start();
    for text in [
        "POST /status/v1/simple HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /status/v1/simple HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
        "GET /status/v1/simple HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
        "GET /status/v1/simple HTTP/9.9\r\n\r\n",
        "GET status HTTP/1.1\r\nHost: a\r\n\r\n",
        "\x16\x03\x01 nonsense\r\n\r\n",
    ] {
        let mut connection = fixture.connect(None).expect("a connection");
        let status = connection.exchange(text.as_bytes(), false).map(|received| received.status);
        assert!(matches!(status, Ok(400..=405) | Err(_)), "{text}: {status:?}");
    }
}
