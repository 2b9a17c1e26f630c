//! Services that misbehave: the answer is used whole, or not at all.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use kukla_server::icap::{IcapError, IcapMethod};

use crate::peers::{Scripted, adapt, body};

/// Reads what the client sends until it pauses.
fn drain(stream: &mut TcpStream) {
    let mut bytes = [0; 65536];
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    while stream.read(&mut bytes).is_ok_and(|n| n > 0) {}
}

fn answered(text: &'static str) -> Scripted {
    Scripted::start("", move |stream, _| {
        drain(stream);
        let _ = stream.write_all(text.as_bytes());
    })
}

fn call(text: &'static str) -> Result<Option<(bool, String, Vec<u8>)>, IcapError> {
    let service = answered(text);
    adapt(&service.client(), IcapMethod::Respmod, &body(3000))
}

#[test]
fn an_adapted_message_is_read_whole() {
    let text = "ICAP/1.0 200 OK\r\nISTag: \"one\"\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\n\
                HTTP/1.1 201 OK\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let (is_response, line, body) = call(text).unwrap().expect("it is adapted");
    assert_eq!(
        (is_response, line.as_str(), body.as_slice()),
        (true, "HTTP/1.1 201 OK", &b"abc"[..])
    );
}

#[test]
fn answers_that_lie_or_end_early_fail() {
    let cases = [
        // Nothing at all, and something else.
        "",
        "HTTP/1.1 200 OK\r\n\r\n",
        "ICAP/2.0 204 No\r\n\r\n",
        "ICAP/1.0 999 No\r\n\r\n",
        "\r\n",
        "ICAP/1.0 500 Error\r\n\r\n",
        "ICAP/1.0 404 No\r\nEncapsulated: null-body=0\r\n\r\n",
        "ICAP/1.0 302 Found\r\nLocation: icap://other/\r\n\r\n",
        "ICAP/1.0 100 Continue\r\n\r\n",
        // Without parts, or with wrong ones.
        "ICAP/1.0 200 OK\r\nISTag: \"one\"\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: null-body=0\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: req-hdr=0, null-body=18\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, null-body=10\r\n\r\nHTTP/1.1 201 OK\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, null-body=99\r\n\r\nHTTP/1.1 201 OK\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\nEncapsulated: null-body=0\r\n\r\nHTTP/1.1 201 OK\r\n\r\n0\r\n\r\n",
        // Truncated, or malformed in its chunks.
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n3\r\nab",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n3\r\nabc\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n-3\r\nabc\r\n0\r\n\r\n",
        // 206 without its place, and a place behind the end.
        "ICAP/1.0 206 Part\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "ICAP/1.0 206 Part\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n0; use-original-body=3001\r\n\r\n",
        "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n0; use-original-body=3\r\n\r\n",
    ];
    std::thread::scope(|scope| {
        for text in cases {
            scope.spawn(move || {
                let answer = call(text);
                assert!(answer.is_err(), "{text:?} became {answer:?}");
            });
        }
    });
}

#[test]
fn the_rest_of_the_original_follows_an_answer_206() {
    let text = "ICAP/1.0 206 Part\r\nISTag: \"one\"\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\n\
                HTTP/1.1 201 OK\r\n\r\n3\r\nnew\r\n0; use-original-body=2990\r\n\r\n";
    let (_, _, adapted) = call(text).unwrap().expect("it is adapted");
    assert_eq!(adapted, [b"new", &body(3000)[2990..]].concat());
}

/// An answer before the service has read everything.
#[test]
fn an_early_answer_counts() {
    let service = Scripted::start("", |stream, _| {
        let text = "ICAP/1.0 204 Unchanged\r\nISTag: \"one\"\r\n\r\n";
        stream.write_all(text.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(300));
    });
    let answer = adapt(&service.client(), IcapMethod::Reqmod, &body(5_000_000)).unwrap();
    assert!(answer.is_none());
}

#[test]
fn a_preview_is_sent_first() {
    let service = Scripted::start("Preview: 4\r\n", |stream, _| {
        let mut bytes = vec![0; 4096];
        std::thread::sleep(Duration::from_millis(100));
        let n = stream.read(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes[..n]).into_owned();
        assert!(text.ends_with("4\r\nabcd\r\n0\r\n\r\n"), "{text}");
        stream.write_all(b"ICAP/1.0 100 Continue\r\n\r\n").unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let n = stream.read(&mut bytes).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes[..n]), "2\r\nef\r\n0\r\n\r\n");
        stream.write_all(b"ICAP/1.0 204 Unchanged\r\n\r\n").unwrap();
    });
    assert!(adapt(&service.client(), IcapMethod::Reqmod, &body(6)).unwrap().is_none());
    assert!(service.got.lock().unwrap()[0].contains("Preview: 4\r\n"));
    let whole = Scripted::start("Preview: 4\r\n", |stream, _| {
        let mut bytes = vec![0; 4096];
        std::thread::sleep(Duration::from_millis(100));
        let n = stream.read(&mut bytes).unwrap();
        assert!(String::from_utf8_lossy(&bytes[..n]).ends_with("3\r\nabc\r\n0; ieof\r\n\r\n"));
        stream.write_all(b"ICAP/1.0 204 Unchanged\r\n\r\n").unwrap();
    });
    assert!(adapt(&whole.client(), IcapMethod::Reqmod, &body(3)).unwrap().is_none());
}

/// Calls are the program's to repeat: a service that fails is called once.
#[test]
fn a_failed_call_is_not_repeated() {
    let service = Scripted::start("", |stream, _| {
        drain(stream);
        stream.write_all(b"ICAP/1.0 200 OK\r\nEncap").unwrap();
    });
    assert!(adapt(&service.client(), IcapMethod::Reqmod, &body(10)).is_err());
    assert_eq!(service.got.lock().unwrap().len(), 1);
}

#[test]
fn a_service_that_stalls_runs_out_of_time() {
    let service = Scripted::start("", |stream, _| {
        drain(stream);
        std::thread::sleep(Duration::from_secs(3));
    });
    let answer = adapt(&service.client(), IcapMethod::Reqmod, &body(10));
    assert!(matches!(answer, Err(IcapError::Time)), "{answer:?}");
}

#[test]
fn an_answer_that_is_too_large_fails() {
    let service = Scripted::start("", |stream, _| {
        drain(stream);
        let head = "ICAP/1.0 200 OK\r\nEncapsulated: res-hdr=0, res-body=19\r\n\r\nHTTP/1.1 201 OK\r\n\r\n";
        let _ = stream.write_all(head.as_bytes());
        let chunk = [b"10000\r\n".to_vec(), body(0x10000), b"\r\n".to_vec()].concat();
        for _ in 0..20 {
            let _ = stream.write_all(&chunk);
        }
    });
    let answer = adapt(&service.client(), IcapMethod::Respmod, &body(10));
    assert!(matches!(answer, Err(IcapError::Answer(_))), "{answer:?}");
}
