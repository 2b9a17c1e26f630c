//! ICAP beside c-icap.
//!
//! Two clients measure: sixteen threads that wait for their answers, which need about as much CPU time as the servers on
//! the same two cores; and one thread that waits for all connections at once, as wrk does, with a core of its own.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use super::meter::{Best, ROUNDS, Who, cpu, own_threads};
use super::ratio;
use crate::peers::CIcap;
use crate::running::{Door, connect};

/// The length of a round in seconds.
const SECONDS: u64 = 2;
/// The number of connections.
const CONNECTIONS: usize = 16;

/// A server, who serves it, and the message for it.
type Peer = (&'static str, SocketAddr, Who, String);

/// Sends one request again and again on connections that are kept; returns the number of answers a second.
fn blast(address: SocketAddr, message: &[u8]) -> f64 {
    let start = Instant::now();
    let n_answers: u64 = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                scope.spawn(|| {
                    let (mut stream, mut bytes, mut n) = (connect(address), [0; 4096], 0);
                    while start.elapsed() < Duration::from_secs(SECONDS) {
                        stream.write_all(message).unwrap();
                        let mut n_read = 0;
                        while !bytes[..n_read].ends_with(b"\r\n\r\n") {
                            let more = stream.read(&mut bytes[n_read..]).unwrap();
                            assert!(more > 0, "{address} closes after {n} answers");
                            n_read += more;
                        }
                        is_unchanged(&bytes);
                        n += 1;
                    }
                    n
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    n_answers as f64 / start.elapsed().as_secs_f64()
}

fn is_unchanged(bytes: &[u8]) {
    assert!(bytes.starts_with(b"ICAP/1.0 204"), "{}", String::from_utf8_lossy(bytes));
}

/// A connection of the client that waits for all of them at once.
struct Connection {
    stream: mio::net::TcpStream,
    bytes: [u8; 4096],
    n_read: usize,
}

impl Connection {
    /// Reads what has come; returns whether the answer is whole.
    fn is_answered(&mut self) -> bool {
        loop {
            match self.stream.read(&mut self.bytes[self.n_read..]) {
                Ok(0) => panic!("the server closes"),
                Ok(n) => self.n_read += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) => panic!("{error}"),
            }
            if self.bytes[..self.n_read].ends_with(b"\r\n\r\n") {
                is_unchanged(&self.bytes);
                self.n_read = 0;
                return true;
            }
        }
    }
}

/// Does what [`blast`] does with one thread.
fn blast_by_events(address: SocketAddr, message: &[u8]) -> f64 {
    let mut poll = Poll::new().unwrap();
    let mut all: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let stream = connect(address);
            stream.set_nonblocking(true).unwrap();
            let mut stream = mio::net::TcpStream::from_std(stream);
            poll.registry().register(&mut stream, Token(number), Interest::READABLE).unwrap();
            stream.write_all(message).unwrap();
            Connection { stream, bytes: [0; 4096], n_read: 0 }
        })
        .collect();
    let (start, mut n_answers, mut events) = (Instant::now(), 0_u64, Events::with_capacity(64));
    while start.elapsed() < Duration::from_secs(SECONDS) {
        poll.poll(&mut events, Some(Duration::from_secs(1))).unwrap();
        for event in &events {
            let connection = &mut all[event.token().0];
            if connection.is_answered() {
                n_answers += 1;
                connection.stream.write_all(message).unwrap();
            }
        }
    }
    n_answers as f64 / start.elapsed().as_secs_f64()
}

/// Binds threads or processes to a core.
fn bind(core: usize, all_of: bool, id: &str) {
    let mut command = Command::new("taskset");
    command.args([if all_of { "-acp" } else { "-cp" }, &core.to_string(), id]);
    let output = command.output().expect("taskset is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Binds the threads that serve to the first core, and this one to the second.
fn bind_all(peers: &[Peer]) {
    for (_, _, who, _) in peers {
        match who {
            Who::Own => own_threads().iter().for_each(|id| bind(0, false, id)),
            Who::Tree(root) => bind(0, true, &root.to_string()),
        }
    }
    let own = std::fs::read_link("/proc/thread-self").unwrap();
    bind(1, false, own.file_name().unwrap().to_str().unwrap());
}

#[expect(clippy::print_stdout, reason = "the result of the measurement")]
fn measure(title: &str, peers: &[Peer], blast: fn(SocketAddr, &[u8]) -> f64) {
    let mut best = [Best::default(); 2];
    for _ in 0..ROUNDS {
        for ((_, address, who, message), best) in peers.iter().zip(&mut best) {
            let before = cpu(*who);
            let rate = blast(*address, message.as_bytes());
            best.rate = best.rate.max(rate);
            best.cpu = best.cpu.min((cpu(*who) - before) * 1e6 / (rate * SECONDS as f64));
        }
    }
    for ((name, ..), best) in peers.iter().zip(&best) {
        println!("REQMOD/204, {title}: {name} {:.0} a second, {:.1} us CPU", best.rate, best.cpu);
    }
    println!("kukla/c-icap: {}", ratio(&best[0], &best[1]));
}

#[test]
#[ignore = "measures"]
fn icap_needs_c_icap() {
    let service = CIcap::start();
    let program = "Http := import(\"Http\"); if (Http.request.uri.path == \"/deny\") { Access.deny(\"no\"); } Access.allow();";
    let door = Door::quiet_icap(&[program]);
    let message = |service: &str| {
        let head =
            "GET /page HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: wrk\r\nAccept: */*\r\n\r\n";
        let length = head.len();
        format!(
            "REQMOD icap://127.0.0.1/{service} ICAP/1.0\r\nHost: 127.0.0.1\r\nAllow: 204\r\nEncapsulated: req-hdr=0, null-body={length}\r\n\r\n{head}"
        )
    };
    let theirs = SocketAddr::from(([127, 0, 0, 1], service.port));
    let peers = [
        ("kukla", door.address, Who::Own, message("reqmod")),
        ("c-icap", theirs, Who::Tree(service.pid()), message("echo")),
    ];
    measure("16 threads on the cores of the server", &peers, blast);
    bind_all(&peers);
    measure("one thread, one core each", &peers, blast_by_events);
}
