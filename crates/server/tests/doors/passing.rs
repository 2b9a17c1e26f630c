//! Messages that pass through the proxy.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use crate::origin::{Server, receive, response};
use crate::peers::body;
use crate::running::{Door, ask, connect, raw};

const PASS: &str = "Http := import(\"Http\"); if (Http.request.uri.path begins_with \"/deny\") { Access.deny(\"no\"); } Access.allow();";

fn echo() -> Server {
    Server::start(|got| match got.line().starts_with("HEAD") {
        true => b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n".to_vec(),
        false => response(
            "200 OK",
            "X-Origin: 1\r\nConnection: X-Private\r\nX-Private: 1\r\n",
            &got.body,
        ),
    })
}

fn url(server: &Server) -> String {
    format!("http://{}", server.address)
}

#[test]
fn a_request_passes_and_another_is_denied() {
    let origin = echo();
    let door = Door::proxy(&[PASS], "", &[url(&origin)]);
    let fields = "X-A: 1\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nX-Forwarded-For: 6.6.6.6\r\nX-Client-DN: CN=admin\r\nX_Real_IP: 6.6.6.6\r\nTE: trailers\r\n";
    let got = ask(door.address, "POST /a?b=c", fields, b"hello");
    assert_eq!((got.line(), got.text().as_str()), ("HTTP/1.1 200 OK", "hello"));
    assert_eq!(
        (got.field("x-origin"), got.field("x-private"), got.field("via")),
        (Some("1"), None, Some("1.1 test"))
    );
    let seen = origin.last();
    assert_eq!(seen.line(), "POST /a?b=c HTTP/1.1");
    assert_eq!(seen.field("x-forwarded-for"), Some("127.0.0.1"));
    assert_eq!((seen.field("host"), seen.field("via")), (Some("app"), Some("1.1 test")));
    for absent in ["x-hop", "x-client-dn", "x_real_ip", "te", "connection"] {
        assert_eq!(seen.field(absent), None, "{}", seen.head);
    }
    for denied in ["/deny/x", "/%64eny", "//deny", "/x/../deny"] {
        assert!(
            ask(door.address, &format!("GET {denied}"), "", b"").line().contains("403"),
            "{denied}"
        );
    }
    assert_eq!(origin.all().len(), 1);
    // The server gets the path that was decided about.
    ask(door.address, "GET /%61/./b//c%c3%a4?d=%61", "", b"");
    assert_eq!(origin.last().line(), "GET /a/b/c%C3%A4?d=%61 HTTP/1.1");
    assert!(door.log_text().contains("\"decision\":\"deny\""), "{}", door.log_text());
}

#[test]
fn requests_share_a_connection() {
    let origin = echo();
    let door = Door::proxy(&[PASS], "", &[url(&origin)]);
    let mut stream = connect(door.address);
    let one = "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none";
    let two =
        "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n";
    let head = "HEAD /3 HTTP/1.1\r\nHost: a\r\n\r\n";
    let last = "GET /4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    // All at once: they are answered in their order.
    stream.write_all([one, two, head, last].concat().as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 4, "{text}");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(at("one") < at("two") && at("two") < at("Content-Length: 7"), "{text}");
    let lines: Vec<String> = origin.all().iter().map(|got| got.line().to_owned()).collect();
    assert_eq!(
        lines,
        ["POST /1 HTTP/1.1", "POST /2 HTTP/1.1", "HEAD /3 HTTP/1.1", "GET /4 HTTP/1.1"]
    );
}

#[test]
fn an_expectation_is_answered() {
    let origin = echo();
    let door = Door::proxy(&[PASS], "", &[url(&origin)]);
    let mut stream = connect(door.address);
    stream
        .write_all(
            b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
        )
        .unwrap();
    let mut bytes = [0; 25];
    stream.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"ok").unwrap();
    assert_eq!(receive(&mut stream, &mut Vec::new()).unwrap().text(), "ok");
    // A request that is denied is not continued.
    let text = raw(
        door.address,
        b"POST /deny HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
    );
    assert!(text.starts_with("HTTP/1.1 403"), "{text}");
}

#[test]
fn a_program_chooses_the_servers() {
    let (one, two) = (
        Server::start(|_| response("200 OK", "", b"one")),
        Server::start(|_| response("200 OK", "", b"two")),
    );
    let program = "Http := import(\"Http\"); if (Http.request.headers.have(\"X-Canary\")) { Route.to(\"canary\"); Route.rewrite(\"/new\"); }";
    let door = Door::proxy(&[program], "", &[url(&one), format!("canary={}", url(&two))]);
    assert_eq!(ask(door.address, "GET /", "", b"").text(), "one");
    assert_eq!(ask(door.address, "GET /", "X-Canary: 1\r\n", b"").text(), "two");
    assert_eq!(two.last().line(), "GET /new HTTP/1.1");
}

#[test]
fn a_server_that_is_down_is_left_out() {
    let down = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let up = Server::start(|_| response("200 OK", "", b"up"));
    let door = Door::proxy(&[PASS], "", &[format!("http://{down}"), url(&up)]);
    for _ in 0..6 {
        assert_eq!(ask(door.address, "GET /", "", b"").text(), "up");
    }
    let door = Door::proxy(&[PASS], "", &[format!("http://{down}")]);
    assert!(ask(door.address, "GET /", "", b"").line().contains("502"));
}

#[test]
fn a_change_of_protocol_passes() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut ahead = Vec::new();
                let Some(got) = receive(&mut stream, &mut ahead) else { return };
                if got.field("upgrade") != Some("websocket") {
                    let _ = stream.write_all(b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n");
                    return;
                }
                stream.write_all(b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\nhello").unwrap();
                let mut bytes = [0; 100];
                while let Ok(n @ 1..) = stream.read(&mut bytes) {
                    stream.write_all(&bytes[..n]).unwrap();
                }
            });
        }
    });
    let door = Door::proxy(&[PASS], "", &[format!("http://{address}")]);
    let mut stream = connect(door.address);
    stream.write_all(b"GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly").unwrap();
    let mut text = String::new();
    let mut bytes = [0; 1000];
    while !text.ends_with("early") {
        let n = stream.read(&mut bytes).unwrap();
        assert!(n > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..n]));
    }
    assert!(
        text.starts_with("HTTP/1.1 101")
            && text.contains("Sec-WebSocket-Accept: x")
            && text.contains("hello"),
        "{text}"
    );
    stream.write_all(b"later").unwrap();
    let n = stream.read(&mut bytes).unwrap();
    assert_eq!(&bytes[..n], b"later");
    // An upgrade that the client did not ask for is an error.
    assert!(raw(door.address, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 502"));
}

/// Bodies of all kinds of framing come through whole, or the connection ends.
#[test]
fn answers_keep_their_bodies() {
    let origin = Server::start(|got| {
        match got.line() {
        "GET /chunked HTTP/1.1" => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".to_vec(),
        "GET /short HTTP/1.1" => b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nabc".to_vec(),
        "GET /both HTTP/1.1" => b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".to_vec(),
        "GET /twice HTTP/1.1" => b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc".to_vec(),
        "GET /minus HTTP/1.1" => b"HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc".to_vec(),
        "GET /hints HTTP/1.1" => b"HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".to_vec(),
        _ => b"HTTP/1.1 304 Not\r\nContent-Length: 9\r\n\r\n".to_vec(),
    }
    });
    let door = Door::proxy(&[PASS], "", &[url(&origin)]);
    assert_eq!(ask(door.address, "GET /chunked", "", b"").text(), "abcde");
    assert_eq!(ask(door.address, "GET /hints", "", b"").text(), "abc");
    for bad in ["both", "twice", "minus"] {
        assert!(ask(door.address, &format!("GET /{bad}"), "", b"").line().contains("502"), "{bad}");
    }
    let text = raw(door.address, b"GET /short HTTP/1.0\r\nHost: a\r\n\r\n");
    assert!(text.contains("Content-Length: 10"), "{text}");
    assert!(
        raw(door.address, b"GET /304 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            .contains("Content-Length: 9")
    );
}

#[test]
fn large_bodies_stream_and_are_kept_for_services() {
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let program = "Services.applyOne(Services.findOne(\"opes://x/null\")) otherwise false;";
    let registry = "[[service]]\nuri = \"opes://x/null\"\nkind = \"http\"\nurl = \"http://127.0.0.1:1/\"\nconnect_ms = 200\n";
    let respmod = format!("3:{program}");
    for programs in [vec![PASS], vec![program, &respmod]] {
        let door = Door::proxy(&programs, registry, &[url(&origin)]);
        let bytes = body(3_000_000);
        assert!(ask(door.address, "POST /", "", &bytes).body == bytes);
    }
}

#[test]
fn built_in_services_edit_bodies() {
    let origin = Server::start(|_| response("200 OK", "Content-Language: de\r\n", b"rot und rot"));
    let registry = "[[service]]\nuri = \"opes://x/colour\"\nreplace = { rot = \"vermilion\" }\nlanguage = \"en\"\n\
                    [[service]]\nuri = \"opes://x/away\"\nredirect = \"https://elsewhere/\"\n";
    let programs = [
        "Http := import(\"Http\"); if (Http.request.uri.path == \"/away\") { Services.applyOne(Services.findOne(\"opes://x/away\")); }",
        "3:Services.applyOne(Services.findOne(\"opes://x/colour\"));",
    ];
    let door = Door::proxy(&programs, registry, &[url(&origin)]);
    let got = ask(door.address, "GET /", "", b"");
    assert_eq!(
        (got.text().as_str(), got.field("content-language")),
        ("vermilion und vermilion", Some("en"))
    );
    assert_eq!(got.field("opes-via"), Some("opes://x/colour"));
    let got = ask(door.address, "GET /away", "", b"");
    assert!(
        got.line().contains("302") && got.field("location") == Some("https://elsewhere/"),
        "{}",
        got.head
    );
    // Clients may go without, where the proxy says so.
    let got = ask(door.address, "GET /", "OPES-Bypass: opes://x/colour\r\n", b"");
    assert_eq!(got.text(), "rot und rot");
}

#[test]
fn a_slow_client_is_sent_away() {
    let origin = echo();
    let door = Door::proxy(&[PASS], "", &[url(&origin)]);
    let mut stream = connect(door.address);
    stream.write_all(b"GET / HT").unwrap();
    let mut text = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
}
