//! Servers that speak HTTP/2.

use std::convert::Infallible;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::channel::Channel;
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kukla_server::net::ClientTlsFiles;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::origin::{Server, receive, response};
use crate::running::{Around, Door, ask, connect};
use crate::tls_behind::{Pki, runtime};

type Reply = Response<Channel<Bytes, std::io::Error>>;

/// An origin that speaks HTTP/2 without TLS.
struct Origin {
    address: SocketAddr,
    /// Requests as texts: method, target, and fields.
    seen: Arc<Mutex<Vec<String>>>,
    /// The ends of bodies: sizes, or errors.
    ends: Arc<Mutex<Vec<Result<usize, String>>>>,
    n_connections: Arc<AtomicUsize>,
    /// Connections are cut as often as this says.
    cuts: Arc<tokio::sync::Notify>,
}

impl Origin {
    fn start(runtime: &Runtime) -> Self {
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let this = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            ends: Arc::default(),
            n_connections: Arc::default(),
            cuts: Arc::default(),
        };
        let (seen, ends) = (Arc::clone(&this.seen), Arc::clone(&this.ends));
        let (count, cuts) = (Arc::clone(&this.n_connections), Arc::clone(&this.cuts));
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let (seen, ends, cuts) = (Arc::clone(&seen), Arc::clone(&ends), Arc::clone(&cuts));
                let service = service_fn(move |request| {
                    let (seen, ends) = (Arc::clone(&seen), Arc::clone(&ends));
                    async move { Ok::<_, Infallible>(answer(request, &seen, &ends).await) }
                });
                tokio::spawn(async move {
                    let connection = Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(stream), service);
                    tokio::select! {
                        _ = connection => (),
                        () = cuts.notified() => (),
                    }
                });
            }
        });
        this
    }

    fn last(&self) -> String {
        self.seen.lock().unwrap().last().cloned().expect("it got a request")
    }

    fn url(&self) -> String {
        format!("h2c://{}", self.address)
    }
}

/// Answers with the body of the request; `/early` answers before it has read it, `/large` with much.
async fn answer(
    request: Request<Incoming>,
    seen: &Mutex<Vec<String>>,
    ends: &Mutex<Vec<Result<usize, String>>>,
) -> Reply {
    let mut text = format!("{} {} {:?}\n", request.method(), request.uri(), request.version());
    for (name, value) in request.headers() {
        text.extend([name.as_str(), ": ", &String::from_utf8_lossy(value.as_bytes()), "\n"]);
    }
    seen.lock().unwrap().push(text);
    let path = request.uri().path().to_owned();
    let (mut sender, body) = Channel::new(1);
    let mut reply = Response::new(body);
    reply.headers_mut().insert("x-origin", "1".parse().unwrap());
    if path == "/stuck" {
        std::future::pending::<()>().await;
    }
    if path == "/early" {
        tokio::spawn(async move {
            let _ = sender.send_data(Bytes::from_static(b"early")).await;
            drop(request);
        });
        return reply;
    }
    if path == "/large" {
        tokio::spawn(async move {
            for _ in 0..4096 {
                if sender.send_data(Bytes::from_static(&[b'x'; 16384])).await.is_err() {
                    return;
                }
            }
        });
        return reply;
    }
    let received = request.into_body().collect().await.map(http_body_util::Collected::to_bytes);
    let end = received.as_ref().map(Bytes::len).map_err(ToString::to_string);
    ends.lock().unwrap().push(end);
    let Ok(received) = received else { return reply };
    tokio::spawn(async move {
        for piece in received.chunks(10_000) {
            let _ = sender.send_data(Bytes::copy_from_slice(piece)).await;
        }
        if path == "/cut" {
            return sender.abort(std::io::Error::other("it ends early"));
        }
        let trailers = [("x-trailer".parse().unwrap(), "1".parse().unwrap())].into_iter().collect();
        let _ = sender.send(Frame::trailers(trailers)).await;
    });
    reply
}

const PASS: &str = "Http := import(\"Http\"); if (Http.request.uri.path begins_with \"/deny\") { Access.deny(\"no\"); } Access.allow();";

#[test]
fn exchanges_share_a_connection() {
    let runtime = runtime();
    let origin = Origin::start(&runtime);
    let door = Door::proxy(&[PASS], "", &[origin.url()]);
    let fields = "X-A: 1\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Forwarded-For: 6.6.6.6\r\nTE: trailers\r\nCookie: a=b\r\n";
    for size in [0, 5, 200_000] {
        let body = crate::peers::body(size);
        let got = ask(door.address, "POST /a?b=c", fields, &body);
        assert_eq!((got.line(), got.field("x-origin")), ("HTTP/1.1 200 OK", Some("1")));
        assert!(got.body == body, "{} {}", got.body.len(), door.log_text());
        assert_eq!((got.field("x-trailer"), got.field("via")), (None, Some("1.1 test")));
        let seen = origin.last();
        assert!(seen.starts_with("POST http://app/a?b=c HTTP/2.0\n"), "{seen}");
        for part in [
            "x-a: 1\n",
            "x-forwarded-for: 127.0.0.1\n",
            "x-forwarded-proto: http\n",
            "via: 1.1 test\n",
            "cookie: a=b\n",
            &format!("content-length: {size}\n"),
        ] {
            assert!(seen.contains(part), "{part} in {seen}");
        }
        assert!(
            !["x-hop", "te:", "\nhost", "connection"].iter().any(|own| seen.contains(own)),
            "{seen}"
        );
    }
    assert!(ask(door.address, "HEAD /a", "", b"").line().contains(" 200 "));
    assert!(ask(door.address, "GET /deny", "", b"").line().contains(" 403 "));
    let chunked =
        "POST /c HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let mut stream = connect(door.address);
    stream.write_all(chunked.as_bytes()).unwrap();
    assert_eq!(receive(&mut stream, &mut Vec::new()).unwrap().text(), "abc");
    // The first requests at a time may open a connection each; later ones share what is there.
    let n_before = origin.n_connections.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(ask(door.address, "POST /d", "", b"hello").text(), "hello");
                }
            });
        }
    });
    // A check of the server's health may have come in between.
    assert!(origin.n_connections.load(Ordering::Relaxed) <= n_before + 1);
    assert!(n_before <= 3, "{n_before} connections");
    assert!(!origin.ends.lock().unwrap().iter().any(Result::is_err));
}

#[test]
fn servers_with_tls_choose_the_protocol() {
    let (pki, runtime) = (Pki::new("alpn"), runtime());
    let (new, old) =
        (Origin::start(&runtime), Server::start(|got| response("200 OK", "", &got.body)));
    let cases: [(&[&[u8]], SocketAddr, bool); 4] = [
        (&[b"h2", b"http/1.1"], new.address, true),
        (&[b"h2"], new.address, true),
        (&[b"http/1.1"], old.address, false),
        (&[], old.address, false),
    ];
    for (protocols, server, is_h2) in cases {
        let port = pki.in_front_of_with(server, &runtime, protocols).port();
        let identity = Some((pki.path("cert.pem"), pki.path("key.pem")));
        let files = ClientTlsFiles { authorities: Some(pki.path("ca.pem")), identity };
        let around = Around {
            upstream_tls: Some(files.config().unwrap()),
            health: Some("/well".to_owned()),
            ..Around::default()
        };
        let door = Door::proxy_with(&[PASS], "", &[format!("https://localhost:{port}")], around);
        let n_seen = new.seen.lock().unwrap().len();
        for _ in 0..3 {
            let got = ask(door.address, "POST /a", "", b"hello");
            assert_eq!(got.text(), "hello", "{protocols:?} {}", got.head);
        }
        let seen = new.seen.lock().unwrap()[n_seen..].join("\n");
        assert_eq!(seen.contains("POST https://app/a HTTP/2.0"), is_h2, "{seen}");
    }
}

/// A connection that changes its protocol is one of HTTP/1.1, even to a server that prefers HTTP/2.
#[test]
fn an_upgrade_takes_a_connection_of_its_own() {
    let (pki, runtime) = (Pki::new("alpn-upgrade"), runtime());
    let old = Server::start(|got| match got.field("upgrade") {
        Some("websocket") => {
            b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nhello"
                .to_vec()
        }
        _ => response("200 OK", "", b"no upgrade"),
    });
    let port = pki.in_front_of_with(old.address, &runtime, &[b"h2", b"http/1.1"]).port();
    let identity = Some((pki.path("cert.pem"), pki.path("key.pem")));
    let files = ClientTlsFiles { authorities: Some(pki.path("ca.pem")), identity };
    let around = Around { upstream_tls: Some(files.config().unwrap()), ..Around::default() };
    let door = Door::proxy_with(&[PASS], "", &[format!("https://localhost:{port}")], around);
    let upgrade =
        b"GET / HTTP/1.1\r\nHost: app\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    let mut stream = connect(door.address);
    stream.write_all(upgrade).unwrap();
    let mut text = String::new();
    while !text.ends_with("hello") {
        let mut bytes = [0; 1000];
        let n = stream.read(&mut bytes).unwrap();
        assert!(n > 0, "{text} {}", door.log_text());
        text += &String::from_utf8_lossy(&bytes[..n]);
    }
    assert!(text.starts_with("HTTP/1.1 101 "), "{text}");
    // A server that speaks HTTP/2 only ignores the wish.
    let origin = Origin::start(&runtime);
    let door = Door::proxy(&[PASS], "", &[origin.url()]);
    let mut stream = connect(door.address);
    stream.write_all(upgrade).unwrap();
    assert!(receive(&mut stream, &mut Vec::new()).unwrap().line().contains(" 200 "));
}

/// A body that a client breaks off does not reach the server as a whole one, nor does one of the server the client.
#[test]
fn a_body_that_ends_early_is_not_whole() {
    let runtime = runtime();
    let origin = Origin::start(&runtime);
    let door = Door::proxy(&[PASS], "", &[origin.url()]);
    for part in [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
    ] {
        let mut stream = connect(door.address);
        stream.write_all(part.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        drop(stream);
        std::thread::sleep(Duration::from_millis(300));
        let ends = std::mem::take(&mut *origin.ends.lock().unwrap());
        // A request that is malformed at once need not get there at all.
        assert!(!ends.is_empty() || part.ends_with("zz\r\n"), "{part:?}");
        assert!(ends.iter().all(Result::is_err), "{part:?}: {ends:?}");
    }
    let text = crate::running::raw(
        door.address,
        b"POST /cut HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
    );
    assert!(text.contains(" chunked") && !text.ends_with("0\r\n\r\n"), "{text}");
    // The rest of the body never comes, so that the response is an early one however fast the proxy is.
    let mut stream = connect(door.address);
    let head = "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&[b'x'; 100_000]).unwrap();
    let got = receive(&mut stream, &mut Vec::new()).unwrap();
    assert_eq!((got.text().as_str(), got.field("connection")), ("early", Some("close")));
}

/// A client that does not read holds up no other one.
#[test]
fn a_slow_client_is_alone() {
    let runtime = runtime();
    let origin = Origin::start(&runtime);
    let door = Door::proxy(&[PASS], "", &[origin.url()]);
    let slow: Vec<_> = (0..30)
        .map(|_| {
            let mut stream = connect(door.address);
            stream.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..20 {
        let body = crate::peers::body(100_000);
        assert!(ask(door.address, "POST /a", "", &body).body == body, "{}", door.log_text());
    }
    drop(slow);
}

#[test]
fn a_server_that_is_restarted_or_stuck_is_noticed() {
    let runtime = runtime();
    let origin = Origin::start(&runtime);
    let door = Door::proxy(&[PASS, "3:Access.allow();"], "", &[origin.url()]);
    for _ in 0..5 {
        assert_eq!(ask(door.address, "GET /", "", b"").line(), "HTTP/1.1 200 OK");
        origin.cuts.notify_waiters();
        // Whether the end was seen or not, the next request gets an answer.
    }
    let program = format!("Route.timeout(300); {PASS}");
    let door = Door::proxy(&[&program], "", &[origin.url()]);
    for body in [&b""[..], b"hello"] {
        assert!(ask(door.address, "POST /stuck", "", body).line().contains(" 504 "));
    }
    assert_eq!(ask(door.address, "POST /", "", b"hello").text(), "hello");
    // A server of HTTP/1.1 that was declared to speak HTTP/2.
    let old = Server::start(|_| response("200 OK", "", b""));
    let door = Door::proxy(&[PASS], "", &[format!("h2c://{}", old.address)]);
    assert!(ask(door.address, "GET /", "", b"").line().contains(" 502 "));
}
