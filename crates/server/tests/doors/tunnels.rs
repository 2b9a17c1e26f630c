//! Changes of protocol and tunnels: what programs decide, time limits, clients that don't read.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use kukla_server::proxy::Times;

use crate::origin::{Server, receive, response};
use crate::running::{Around, Door, ask, connect};

/// A server that changes the protocol and then echoes.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut bytes = [0; 4000];
                while let Ok(n @ 1..) = stream.read(&mut bytes) {
                    let answer = match bytes.starts_with(b"GET") {
                        true => {
                            b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
                        }
                        false => &bytes[..n],
                    };
                    if stream.write_all(answer).is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

fn times(milliseconds: u64) -> Option<Times> {
    let time = Duration::from_millis(milliseconds);
    Some(Times { tunnel: time, body: time, ..Times::default() })
}

/// Reads the head of the answer that opens the tunnel.
fn open(stream: &mut TcpStream, head: &str) {
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        text.push(byte[0]);
    }
}

#[test]
fn a_quiet_tunnel_ends() {
    let port = echo();
    let rules = "Access.allow();";
    let around = || Around { times: times(600), ..Around::default() };
    let forward = Door::proxy_with(&[rules], "", &[], around());
    let reverse = Door::proxy_with(&[rules], "", &[format!("http://127.0.0.1:{port}")], around());
    let connect_to = format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let upgrade = "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
    for (door, head) in [(&forward, connect_to.as_str()), (&reverse, upgrade)] {
        let mut stream = connect(door.address);
        open(&mut stream, head);
        let start = Instant::now();
        // It lives as long as something moves, longer than the limit.
        for _ in 0..8 {
            stream.write_all(b"ping").unwrap();
            let mut bytes = [0; 4];
            stream.read_exact(&mut bytes).unwrap();
            assert_eq!(&bytes, b"ping");
            std::thread::sleep(Duration::from_millis(200));
        }
        assert!(start.elapsed() > Duration::from_millis(1500));
        let start = Instant::now();
        assert_eq!(stream.read(&mut [0]).unwrap_or(0), 0, "{head}");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}

/// A client that takes nothing of its response loses the connection, and the server is free.
#[test]
fn a_client_that_does_not_read_is_let_go() {
    let origin = Server::start(|_| response("200 OK", "", &vec![b'x'; 64 << 20]));
    let around = Around { times: times(500), ..Around::default() };
    let door =
        Door::proxy_with(&["Access.allow();"], "", &[format!("http://{}", origin.address)], around);
    let mut stream = connect(door.address);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    // On a busy machine the response begins late.
    stream.peek(&mut [0]).unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    let (mut bytes, mut n_read) = (vec![0; 1 << 16], 0);
    while let Ok(n @ 1..) = stream.read(&mut bytes) {
        n_read += n;
    }
    assert!(n_read < 64 << 20, "{n_read}");
}

/// A request that takes longer than the time for the response is not cut.
#[test]
fn a_long_upload_is_not_cut() {
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let rules = "Route.timeout(500); Access.allow();";
    let door = Door::proxy(&[rules], "", &[format!("http://{}", origin.address)]);
    let mut stream = connect(door.address);
    stream.write_all(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n").unwrap();
    for byte in b"12345678" {
        std::thread::sleep(Duration::from_millis(150));
        stream.write_all(&[*byte]).unwrap();
    }
    let got = crate::origin::receive(&mut stream, &mut Vec::new()).unwrap();
    assert_eq!((got.line(), got.text().as_str()), ("HTTP/1.1 200 OK", "12345678"));
    // A server that does not answer is still given up.
    let stuck = Server::start(|_| {
        std::thread::sleep(Duration::from_secs(3));
        Vec::new()
    });
    let door = Door::proxy(&[rules], "", &[format!("http://{}", stuck.address)]);
    for body in [&b""[..], b"hello"] {
        assert!(ask(door.address, "POST /", "", body).line().contains(" 504 "));
    }
}

/// A server that changes to any protocol, and then says what it read; `X-Wish` is the wish that it got.
fn changing() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let got = receive(&mut stream, &mut Vec::new())?;
                let text = match got.field("upgrade") {
                    None => {
                        "HTTP/1.1 200 OK\r\nX-Wish: none\r\nContent-Length: 0\r\n\r\n".to_owned()
                    }
                    Some(wish) => format!(
                        "HTTP/1.1 101 Switching\r\nUpgrade: {wish}\r\nConnection: upgrade\r\nX-Wish: {wish}\r\n\r\ntunnel"
                    ),
                };
                stream.write_all(text.as_bytes()).ok()?;
                let _ = stream.read(&mut [0; 100]);
                Some(())
            });
        }
    });
    address
}

/// Programs see the wish for another protocol and the server's consent, and may refuse both.
#[test]
fn programs_decide_about_changes_of_protocol() {
    let upstream = [format!("http://{}", changing())];
    let ask = |programs: &[&str], wish: &str| {
        let door = Door::proxy(programs, "", &upstream);
        let text = format!(
            "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: {wish}\r\n\r\n"
        );
        let mut stream = connect(door.address);
        stream.write_all(text.as_bytes()).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(400))).unwrap();
        let mut out = Vec::new();
        let _ = stream.read_to_end(&mut out);
        String::from_utf8(out).unwrap()
    };
    let only = "Http := import(\"Http\"); h := Http.request.headers;\
        if (h.have(\"Upgrade\") and not (h.value(\"Upgrade\") == \"websocket\")) { Access.deny(\"no\"); } Access.allow();";
    let text = ask(&[only], "websocket");
    assert!(text.starts_with("HTTP/1.1 101 ") && text.ends_with("tunnel"), "{text}");
    assert!(ask(&[only], "other").starts_with("HTTP/1.1 403 "));
    for edit in
        ["remove(\"Upgrade\")", "set(\"Upgrade\", \"other\")", "add(\"Upgrade\", \"websocket\")"]
    {
        let program =
            format!("Http := import(\"Http\"); Http.request.headers.{edit}; Access.allow();");
        let text = ask(&[&program], "websocket");
        assert!(
            text.starts_with("HTTP/1.1 200 ") && text.contains("X-Wish: none\r\n"),
            "{edit}: {text}"
        );
    }
    let refuses = "3:Http := import(\"Http\"); if (Http.response.status == 101) { Access.deny(\"no\"); } Access.allow();";
    let text = ask(&["Access.allow();", refuses], "websocket");
    assert!(text.starts_with("HTTP/1.1 403 ") && !text.contains("tunnel"), "{text}");
    let edits = "3:Http := import(\"Http\"); Http.response.headers.set(\"X-Edited\", \"1\"); Access.allow();";
    let text = ask(&["Access.allow();", edits], "websocket");
    assert!(text.starts_with("HTTP/1.1 101 ") && text.contains("X-Edited: 1\r\n"), "{text}");
    assert!(text.ends_with("tunnel"), "{text}");
}
