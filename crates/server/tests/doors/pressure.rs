//! Back-pressure, and the health of servers.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::origin::{Server, response};
use crate::running::{Around, Door, ask, connect};

/// The most that may wait in the buffers of sockets and of the proxy.
const WAITING: usize = 32 << 20;

/// Waits until a counter stands still; returns it.
fn settled(counter: &AtomicUsize) -> usize {
    let mut last = usize::MAX;
    loop {
        let now = counter.load(Ordering::Relaxed);
        if now == last {
            return now;
        }
        last = now;
        std::thread::sleep(Duration::from_millis(300));
    }
}

/// Accepts the connection of a request; the checks of servers open others, which send nothing.
fn accepted(listener: &TcpListener, first: &mut [u8]) -> (TcpStream, usize) {
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        if let Ok(n @ 1..) = stream.peek(first) {
            assert_eq!(stream.read(&mut first[..n]).unwrap(), n);
            return (stream, n);
        }
    }
}

/// A server that sends faster than the client reads has to wait.
#[test]
fn a_slow_client_slows_the_server() {
    const SIZE: usize = 256 << 20;
    let n_sent = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let counter = Arc::clone(&n_sent);
    std::thread::spawn(move || {
        let mut bytes = vec![b'x'; 1 << 16];
        let (mut stream, _) = accepted(&listener, &mut bytes);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {SIZE}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        bytes.fill(b'x');
        for _ in 0..SIZE >> 16 {
            if stream.write_all(&bytes).is_err() {
                return;
            }
            counter.fetch_add(bytes.len(), Ordering::Relaxed);
        }
    });
    let door = Door::proxy(&["Access.allow();"], "", &[format!("http://{address}")]);
    let mut stream = connect(door.address);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut bytes = vec![0; 1 << 16];
    let mut n_read = stream.read(&mut bytes).unwrap();
    let n_waiting = settled(&n_sent);
    assert!(n_waiting < WAITING, "{n_waiting} bytes wait");
    // When the client goes on, so does the server.
    while n_read < SIZE {
        let n = stream.read(&mut bytes).unwrap();
        assert!(n > 0, "{n_read}");
        n_read += n;
    }
}

/// A client that sends faster than the server reads has to wait.
#[test]
fn a_slow_server_slows_the_client() {
    const SIZE: usize = 256 << 20;
    let goes_on = Arc::new(AtomicBool::new(false));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let may_read = Arc::clone(&goes_on);
    std::thread::spawn(move || {
        let mut bytes = vec![0; 1 << 16];
        let (mut stream, n) = accepted(&listener, &mut bytes);
        let end = bytes[..n].windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        while !may_read.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut n_read = n - end - 4;
        while n_read < SIZE {
            n_read += stream.read(&mut bytes).unwrap();
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
    });
    let door = Door::proxy(&["Access.allow();"], "", &[format!("http://{address}")]);
    let mut stream = connect(door.address);
    let mut writer = stream.try_clone().unwrap();
    let n_sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&n_sent);
    let sending = std::thread::spawn(move || {
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {SIZE}\r\n\r\n");
        writer.write_all(head.as_bytes()).unwrap();
        let bytes = vec![b'x'; 1 << 16];
        for _ in 0..SIZE >> 16 {
            writer.write_all(&bytes).unwrap();
            counter.fetch_add(bytes.len(), Ordering::Relaxed);
        }
    });
    let n_waiting = settled(&n_sent);
    assert!(n_waiting < WAITING, "{n_waiting} bytes wait");
    goes_on.store(true, Ordering::Relaxed);
    sending.join().unwrap();
    let mut text = String::new();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut bytes = [0; 1000];
    while !text.ends_with("ok") {
        let n = stream.read(&mut bytes).unwrap();
        assert!(n > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..n]));
    }
}

/// A server that is not well gets no requests until it is well again.
#[test]
fn a_sick_server_is_left_out() {
    let is_well = Arc::new(AtomicBool::new(false));
    let health = Arc::clone(&is_well);
    let sick = Server::start(move |got| match got.line() {
        "GET /health HTTP/1.1" if !health.load(Ordering::Relaxed) => {
            response("503 Service Unavailable", "", b"")
        }
        _ => response("200 OK", "", b"sick"),
    });
    let good = Server::start(|_| response("200 OK", "", b"good"));
    let servers = [&sick, &good].map(|server| format!("http://{}", server.address));
    let around = Around { health: Some("/health".to_owned()), ..Around::default() };
    let door = Door::proxy_with(&["Access.allow();"], "", &servers, around);
    let answers = || (0..6).map(|_| ask(door.address, "GET /", "", b"").text()).collect::<Vec<_>>();
    let until = |words: &str, is_done: &dyn Fn(&[String]) -> bool| {
        let start = Instant::now();
        while !is_done(&answers()) {
            assert!(start.elapsed() < Duration::from_secs(15), "{words}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until("the sick server is left out", &|answers| !answers.contains(&"sick".to_owned()));
    is_well.store(true, Ordering::Relaxed);
    until("it comes back", &|answers| answers.contains(&"sick".to_owned()));
}
