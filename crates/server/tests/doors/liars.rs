//! Services that lie, stop half way or say more than they should: the message passes adapted whole, or as it was.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use crate::origin::{Server, response};
use crate::peers::body;
use crate::running::{Door, ask};

const PROGRAM: &str = r#"
    Http := import("Http");
    { Services.applyOne(Services.findOne("opes://x/liar")); }
    otherwise { Http.message.headers.set("X-Fallback", "1"); };
    Access.allow();"#;

/// A service that answers after the first bytes, and closes.
fn liar(answer: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 65536];
            let _ = stream.read(&mut bytes);
            let _ = stream.write_all(&answer);
            // What is left unread would turn the answer into an error.
            stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
            while stream.read(&mut bytes).is_ok_and(|n| n > 0) {}
        }
    });
    address
}

/// The request that the origin got through a service: whether the fallback ran, and the body.
fn through(answer: Vec<u8>, bytes: &[u8]) -> (bool, Vec<u8>) {
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let registry = format!(
        "[[service]]\nuri = \"opes://x/liar\"\nkind = \"http\"\nurl = \"http://{}/\"\ntimeout_ms = 3000\nmax_body = 1000000\n",
        liar(answer)
    );
    let door = Door::proxy(&[PROGRAM], &registry, &[format!("http://{}", origin.address)]);
    let got = ask(door.address, "POST /a", "", bytes);
    let seen = origin.last();
    assert!(got.body == seen.body, "the client gets what the origin got");
    assert_eq!(seen.line(), "POST /a HTTP/1.1");
    (seen.field("x-fallback").is_some(), seen.body)
}

fn message(inner: &str) -> Vec<u8> {
    response("200 OK", "Content-Type: message/http\r\n", inner.as_bytes())
}

#[test]
fn an_answer_before_everything_was_read_counts() {
    let bytes = body(900_000);
    let unchanged = through(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), &bytes);
    assert!(unchanged == (false, bytes.clone()));
    let adapted = through(message("POST /a HTTP/1.1\r\nHost: app\r\n\r\nshort"), &bytes);
    assert_eq!(adapted, (false, b"short".to_vec()));
}

#[test]
fn answers_that_are_not_whole_leave_the_message_as_it_was() {
    let bytes = body(50_000);
    let good = "POST /a HTTP/1.1\r\nHost: app\r\n\r\nadapted";
    let half = |text: &str| text.as_bytes()[..text.len() / 2].to_vec();
    let cases: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"garbage".to_vec(),
        b"HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n".to_vec(),
        b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".to_vec(),
        response("200 OK", "Content-Type: text/html\r\n", good.as_bytes()),
        // Less than it said.
        [b"HTTP/1.1 200 OK\r\nContent-Type: message/http\r\nContent-Length: 500\r\n\r\n", good.as_bytes()].concat(),
        [b"HTTP/1.1 200 OK\r\nContent-Type: message/http\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n", &half(good)[..]].concat(),
        [b"HTTP/1.1 200 OK\r\nContent-Type: message/http\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nPOST \r\n", &b"zz"[..]].concat(),
        message("POST /a HTTP/1.1\r\nHost: app"),
        message("POST /a HTTP/1.1\r\nHost: app\r\nContent-Length: 500\r\n\r\nadapted"),
        // More than it said.
        message("POST /a HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nadapted"),
        // Two lengths, a coding, fields that would be others'.
        response("200 OK", "Content-Type: message/http\r\nContent-Length: 3\r\n", good.as_bytes()),
        message("POST /a HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\nadapted"),
        message("POST /a HTTP/1.1\r\nHost: app\r\n X: folded\r\n\r\nadapted"),
        message("POST /a HTTP/1.1\nHost: app\n\nadapted"),
        message("POST /a HTTP/1.1\r\nHost: app\r\nX: \u{0}\r\n\r\nadapted"),
        // Another request, and something that is no answer to one.
        message("GET /a HTTP/1.1\r\nHost: app\r\n\r\nadapted"),
        message("POST /admin HTTP/1.1\r\nHost: app\r\n\r\nadapted"),
        message("HTTP/1.1 101 Switching\r\n\r\n"),
        message(&format!("POST /a HTTP/1.1\r\nHost: app\r\n\r\n{}", "x".repeat(1_000_001))),
    ];
    std::thread::scope(|scope| {
        for answer in cases {
            let bytes = &bytes;
            scope.spawn(move || {
                let text = String::from_utf8_lossy(&answer[..answer.len().min(200)]).into_owned();
                let (is_fallback, seen) = through(answer, bytes);
                assert!(is_fallback && seen == *bytes, "{text:?} became {} bytes", seen.len());
            });
        }
    });
}

/// A service may answer the request itself; hop-by-hop fields of its answer do not pass.
#[test]
fn a_service_answers_in_place_of_the_server() {
    let origin = Server::start(|_| response("200 OK", "", b"origin"));
    let inner =
        "HTTP/1.1 451 Legal\r\nX-Why: law\r\nConnection: X-Hop\r\nKeep-Alive: 5\r\n\r\nnot here";
    let registry = format!(
        "[[service]]\nuri = \"opes://x/liar\"\nkind = \"http\"\nurl = \"http://{}/\"\n",
        liar(message(inner))
    );
    let door = Door::proxy(&[PROGRAM], &registry, &[format!("http://{}", origin.address)]);
    let got = ask(door.address, "POST /a", "", b"x");
    assert!(got.line().contains("451") && got.text() == "not here", "{}", got.head);
    assert_eq!((got.field("x-why"), got.field("keep-alive")), (Some("law"), None));
    assert!(origin.all().is_empty());
}

/// A failed call is repeated as often as the registry says, with the whole body each time.
#[test]
fn a_service_that_recovers_is_asked_again() {
    for (retries, wanted, n_calls) in [(0, false, 1), (1, false, 2), (2, true, 3), (5, true, 3)] {
        let n_before = std::sync::atomic::AtomicUsize::new(0);
        let service = Server::start(move |got| {
            match n_before.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                0 => Vec::new(),
                1 => response("503 Service Unavailable", "", b""),
                _ => {
                    let text = got.text().replacen("\r\n\r\n", "\r\nX-Ok: 1\r\n\r\n", 1);
                    response("200 OK", "Content-Type: message/http\r\n", text.as_bytes())
                }
            }
        });
        let origin = Server::start(|got| response("200 OK", "", &got.body));
        let registry = format!(
            "[[service]]\nuri = \"opes://x/liar\"\nkind = \"http\"\nurl = \"http://{}/\"\nretries = {retries}\n",
            service.address
        );
        let door = Door::proxy(&[PROGRAM], &registry, &[format!("http://{}", origin.address)]);
        let bytes = body(50_000);
        assert!(ask(door.address, "POST /a", "", &bytes).body == bytes, "{retries}");
        let seen = origin.last();
        assert_eq!((seen.field("x-ok").is_some(), service.all().len()), (wanted, n_calls));
        assert_eq!(seen.field("x-fallback").is_none(), wanted);
    }
    // A refusal is an answer.
    let refusing = Server::start(|_| response("404 Not Found", "", b""));
    let registry = format!(
        "[[service]]\nuri = \"opes://x/liar\"\nkind = \"http\"\nurl = \"http://{}/\"\nretries = 3\n",
        refusing.address
    );
    let door = Door::proxy(&[PROGRAM], &registry, &[format!("http://{}", refusing.address)]);
    let _ = ask(door.address, "GET /a", "", b"");
    assert_eq!(refusing.all().iter().filter(|got| got.line().starts_with("POST / ")).count(), 1);
}
