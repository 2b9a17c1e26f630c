//! The forward proxy: clients name servers, and rules allow them one by one.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use crate::origin::{Server, receive, response};
use crate::running::{Door, connect, raw};

fn rules(port: u16) -> String {
    format!(
        "Http := import(\"Http\");
         uri := Http.request.uri;
         if (uri.host == \"localhost\" and uri.port == {port}) {{ Access.allow(); }}
         if (uri.host == \"known\" and not Http.request.headers.have(\"Proxy-Authorization\")) {{ Access.challenge(\"Basic\"); }}
         Access.deny(\"not on the list\");"
    )
}

/// An echo of bytes, for tunnels.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut bytes = [0; 100];
                while let Ok(n @ 1..) = stream.read(&mut bytes) {
                    if stream.write_all(&bytes[..n]).is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

#[test]
fn a_request_to_a_server_on_the_list_passes() {
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let port = origin.address.port();
    let door = Door::proxy_with(&[&rules(port)], "", &[], Default::default());
    let mut stream = connect(door.address);
    let head = format!(
        "POST http://localhost:{port}/a/../b?c HTTP/1.1\r\nHost: localhost:{port}\r\nProxy-Authorization: Basic x\r\nContent-Length: 5\r\n\r\nhello"
    );
    // The connection of the client is kept.
    for _ in 0..2 {
        stream.write_all(head.as_bytes()).unwrap();
        let got = receive(&mut stream, &mut Vec::new()).unwrap();
        assert_eq!((got.line(), got.text().as_str()), ("HTTP/1.1 200 OK", "hello"));
    }
    let seen = origin.last();
    assert_eq!(seen.line(), "POST /b?c HTTP/1.1");
    assert_eq!(seen.field("host"), Some(format!("localhost:{port}").as_str()));
    for absent in ["x-forwarded-for", "x-forwarded-proto", "proxy-authorization"] {
        assert_eq!(seen.field(absent), None, "{}", seen.head);
    }
    assert_eq!(origin.all().len(), 2);
}

#[test]
fn a_tunnel_is_passed_on_unread() {
    let port = echo();
    let door = Door::proxy_with(&[&rules(port)], "", &[], Default::default());
    for host in [format!("localhost:{port}"), "localhost".to_owned()] {
        let mut stream = connect(door.address);
        let head = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        // Bytes that follow at once belong to the tunnel.
        stream.write_all(&[head.as_bytes(), b"early"].concat()).unwrap();
        let mut text = Vec::new();
        while !text.ends_with(b"early") {
            let mut bytes = [0; 1000];
            let n = stream.read(&mut bytes).unwrap();
            assert!(n > 0, "{}", String::from_utf8_lossy(&text));
            text.extend_from_slice(&bytes[..n]);
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        assert!(!text.contains("Upgrade") && !text.contains("Content-Length"), "{text}");
        // Not HTTP, and not text.
        for round in 0..100_u8 {
            let bytes = [0, 255, round, b'\r', b'\n'];
            stream.write_all(&bytes).unwrap();
            let mut back = [0; 5];
            stream.read_exact(&mut back).unwrap();
            assert_eq!(back, bytes);
        }
    }
}

#[test]
fn what_is_not_on_the_list_does_not_pass() {
    let origin = Server::start(|_| response("200 OK", "", b"secret"));
    let port = origin.address.port();
    let door = Door::proxy_with(&[&rules(port)], "", &[], Default::default());
    let cases = [
        (format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"), 403),
        (format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"), 403),
        ("CONNECT known:443 HTTP/1.1\r\nHost: known:443\r\n\r\n".to_owned(), 407),
        // Another server in `Host` than in the target.
        (format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), 400),
        (format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:1\r\n\r\n"), 400),
        (format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), 400),
        (format!("GET http://a@localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), 400),
        // No host, no port, a path, a body, an old version, other forms.
        (format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n"), 400),
        ("CONNECT localhost HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), 400),
        (format!("CONNECT localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), 400),
        (
            format!("CONNECT http://localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"),
            400,
        ),
        (
            format!(
                "CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: 1\r\n\r\nx"
            ),
            400,
        ),
        (format!("CONNECT localhost:{port} HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n"), 405),
        (format!("GET https://localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), 400),
        (format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), 400),
        (format!("TRACE http://localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), 405),
    ];
    for (text, status) in cases {
        let got = raw(door.address, text.as_bytes());
        assert!(got.starts_with(&format!("HTTP/1.1 {status} ")), "{text}\n{got}");
        assert!(!got.contains("secret"), "{text}\n{got}");
        assert_eq!(got.contains("Proxy-Authenticate: Basic\r\n"), status == 407, "{got}");
    }
    assert!(origin.all().is_empty());
}

/// A program that does not decide allows nothing, and one that changes the host changes no destination.
#[test]
fn rules_that_do_not_allow_let_nothing_pass() {
    let origin = Server::start(|_| response("200 OK", "", b"secret"));
    let port = origin.address.port();
    let get = format!("GET http://localhost:{port}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    let edits = "Http := import(\"Http\"); Http.request.headers.set(\"Host\", \"localhost:1\"); Access.allow();";
    for (program, status) in [("Core.log(\"pass\");", 403), (edits, 502)] {
        let door = Door::proxy_with(&[program], "", &[], Default::default());
        let got = raw(door.address, get.as_bytes());
        assert!(got.starts_with(&format!("HTTP/1.1 {status} ")), "{program}\n{got}");
    }
    // Without `--forward` nothing of it works.
    let door = Door::proxy(&["Access.allow();"], "", &[format!("http://{}", origin.address)]);
    let tunnel = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    assert!(raw(door.address, tunnel.as_bytes()).starts_with("HTTP/1.1 405 "));
    assert!(origin.all().is_empty());
}
