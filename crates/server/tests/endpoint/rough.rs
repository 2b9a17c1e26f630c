//! Requests that are too large, malformed or never end: each gets a clear response and blocks no other request.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::support::{EndpointOptions, RunningEndpoint, answer};

const TOLD: [(&str, &str); 2] = [("X-Original-Method", "GET"), ("X-Original-URI", "/")];

fn served() -> RunningEndpoint {
    RunningEndpoint::new("Access.allow();", EndpointOptions::default())
}

#[test]
fn a_head_that_is_too_large() {
    let served = served();
    let large = "x".repeat(200_000);
    let (status, _) = served.ask("GET /p/authz", &[TOLD[0], TOLD[1], ("X-Large", &large)]);
    assert_eq!(status, 431);
    let (status, _) = served.ask(&format!("GET /p/authz/{large}"), &TOLD);
    assert!(matches!(status, 414 | 431), "{status}");
    let many: Vec<(String, &str)> = (0..500).map(|n| (format!("X-{n}"), "x")).collect();
    let many: Vec<(&str, &str)> =
        many.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(served.ask("GET /p/authz", &many).0, 431);
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200, "others are answered");
}

#[test]
fn noise() {
    let served = served();
    for noise in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /p/authz HTTP/1.1\r\nHost\r\n\r\n",
        b"GET /p/authz HTTP/1.1\r\nX\x00Y: 1\r\n\r\n",
        b"GET /p/authz HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"\r\n\r\n\r\n\r\nNONSENSE",
    ] {
        let (status, text) = served.send(noise);
        assert!(matches!(status, 0 | 400 | 405 | 505), "{status} to {noise:?}: {text}");
    }
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200, "others are answered");
}

#[test]
fn a_body_is_not_waited_for() {
    let served = served();
    let head = "POST /p/authz HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Original-Method: POST\r\n\
                X-Original-URI: /\r\nContent-Length: 1000000\r\n\r\n";
    let start = Instant::now();
    assert_eq!(served.send(head.as_bytes()).0, 200);
    assert!(start.elapsed() < Duration::from_secs(10), "it is answered before the body comes");
}

#[test]
fn slow_clients_are_left_and_hold_nobody_up() {
    let served = served();
    let mut slow: Vec<_> = (0..200).map(|_| served.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /p/authz HTTP/1.1\r\nX-Slow: ").expect("it is taken");
    }
    let start = Instant::now();
    for _ in 0..50 {
        assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200);
    }
    assert!(start.elapsed() < Duration::from_secs(10), "others are answered meanwhile");
    // Sending a byte now and then does not extend the deadline.
    for _ in 0..4 {
        std::thread::sleep(Duration::from_millis(200));
        slow.iter_mut().for_each(|stream| drop(stream.write_all(b"x")));
    }
    for stream in &mut slow {
        let (status, _) = answer(stream);
        assert!(matches!(status, 0 | 408), "the connection ends: {status}");
    }
}

/// `LATENCY=20000 cargo test --release -p kukla-server latency -- --nocapture` prints the latency.
#[test]
fn latency() {
    let n_requested = std::env::var("LATENCY").ok().and_then(|n| n.parse().ok());
    let n_requests = n_requested.unwrap_or(200);
    let program = "Http := import \"Http\"; Net := import \"Net\"; r := Http.request;\n\
        if (Core.set(\"GET\", \"POST\").has(r.method) and r.uri.path begins_with \"/puppet/v3/catalog/\"\n\
            and Net.set(\"10.0.0.0/8\").has(r.clientIp)) { Access.allow(); }\n";
    let served = RunningEndpoint::new(program, EndpointOptions::default());
    let request =
        b"GET /p/authz HTTP/1.1\r\nHost: a\r\nX-Original-Method: GET\r\nX-Real-IP: 10.1.2.3\r\n\
        X-Original-URI: /puppet/v3/catalog/agent1.example.com\r\nUser-Agent: Puppet/7.23\r\n\r\n";
    let mut stream = served.connect();
    let mut took: Vec<Duration> = (0..n_requests).map(|_| one(&mut stream, request)).collect();
    took.sort_unstable();
    let (median, late) = (took[took.len() / 2], took[took.len() * 99 / 100]);
    println!("{n_requests} requests: median {median:?}, 99 % within {late:?}");
    // By default a few requests only show that the endpoint responds.
    let wanted = match n_requested {
        Some(_) if !cfg!(debug_assertions) => Duration::from_micros(100),
        _ if !cfg!(debug_assertions) => Duration::from_millis(5),
        _ => Duration::from_millis(50),
    };
    assert!(median < wanted, "half of the answers take longer than {wanted:?}: {median:?}");
}

fn one(stream: &mut std::net::TcpStream, request: &[u8]) -> Duration {
    use std::io::Read as _;
    let mut buffer = [0; 1024];
    let start = Instant::now();
    stream.write_all(request).expect("it is taken");
    let n = stream.read(&mut buffer).expect("there is an answer");
    assert!(buffer[..n].starts_with(b"HTTP/1.1 200"), "it is allowed");
    start.elapsed()
}
