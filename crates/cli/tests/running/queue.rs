//! Commands for PuppetDB survive the end of a process: one that is killed, and one that hands over to the next.
//!
//! `KILLS=100 cargo test --release -p kukla --test running puppetdb -- --nocapture` is the long form of the first.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::faults::{send_report, send_until_killed};
use crate::server::{Server, command, scratch};

/// A PuppetDB at a port of this machine: command, node and time of each command that it took.
#[derive(Clone)]
struct Fake {
    port: u16,
    came: Arc<Mutex<Vec<[String; 3]>>>,
    is_up: Arc<AtomicBool>,
}

impl Fake {
    fn start() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = socket.local_addr().expect("an address").port();
        let fake = Self { port, came: Arc::default(), is_up: Arc::default() };
        let own = fake.clone();
        std::thread::spawn(move || {
            for stream in socket.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        fake
    }

    /// Writes a `puppetdb.conf`, and returns its path.
    fn conf(&self, directory: &Path) -> PathBuf {
        let path = directory.join("puppetdb.conf");
        let text = format!("[main]\nserver_urls = http://127.0.0.1:{}\n", self.port);
        std::fs::write(&path, text).expect("written");
        path
    }

    fn up(&self, is_up: bool) {
        self.is_up.store(is_up, Ordering::Relaxed);
    }

    fn came(&self) -> Vec<[String; 3]> {
        self.came.lock().expect("a list").clone()
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut bytes = Vec::new();
        let mut piece = [0; 16 << 10];
        while self.is_up.load(Ordering::Relaxed) {
            let head_end = bytes.windows(4).position(|window: &[u8]| window == b"\r\n\r\n");
            let head = head_end.map(|at| String::from_utf8_lossy(&bytes[..at + 4]).into_owned());
            let n_bytes = head.as_ref().map(|head| {
                let length = head.to_ascii_lowercase();
                let length = length.split("content-length: ").nth(1).map_or(0, |rest| {
                    rest.split('\r').next().and_then(|text| text.parse().ok()).unwrap_or(0)
                });
                head.len() + length
            });
            if let (Some(head), Some(n_bytes)) = (&head, n_bytes)
                && bytes.len() >= n_bytes
            {
                bytes.drain(..n_bytes);
                let target = head.split(' ').nth(1).unwrap_or_default();
                let part = |name: &str| {
                    let found = target.split(['?', '&']).find_map(|it| it.strip_prefix(name));
                    found.unwrap_or_default().to_owned()
                };
                let command = ["command=", "certname=", "producer-timestamp="].map(part);
                self.came.lock().expect("a list").push(command);
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"uuid\":\"u\"}";
                if stream.write_all(answer.as_bytes()).is_err() {
                    return;
                }
                continue;
            }
            match stream.read(&mut piece) {
                Ok(n) if n > 0 => bytes.extend_from_slice(&piece[..n]),
                _ => return,
            }
        }
    }
}

fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(40), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_server_loses_no_command_for_puppetdb() {
    let n_kills = std::env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let directory = scratch("queue-killed");
    let fake = Fake::start();
    let place = format!("puppetdb:{}", fake.conf(&directory).display());
    let answered = Mutex::new(Vec::new());
    for round in 0..n_kills {
        // Down, and then up, in the midst of a round.
        fake.up(round % 3 != 0);
        let server = Server::start_in(directory.clone(), &["--store", &place]);
        std::thread::scope(|scope| {
            for client in 0..3 {
                let (answered, port) = (&answered, server.plain);
                scope.spawn(move || {
                    let sent = send_until_killed(port, &format!("q{round}c{client}"));
                    answered.lock().expect("a list").extend(sent);
                });
            }
            std::thread::sleep(Duration::from_millis(60 + (round * 37) % 150));
            server.signal(Signal::KILL);
        });
        server.keep_directory();
    }
    fake.up(true);
    let answered = answered.into_inner().expect("a list");
    assert!(answered.len() as u64 >= n_kills, "{} answered", answered.len());
    let _server = Server::start_in(directory, &["--store", &place]);
    let missing = || {
        let came: BTreeSet<(String, String)> =
            fake.came().into_iter().map(|[command, node, _]| (command, node)).collect();
        let is_there =
            |command: &str, node: &String| came.contains(&(command.to_owned(), node.clone()));
        let is_whole =
            |node: &&String| is_there("store_report", node) && is_there("replace_facts", node);
        answered.iter().filter(|node| !is_whole(node)).count()
    };
    eventually("each acknowledged command comes", || missing() == 0);
    println!("{n_kills} kills, {} nodes answered, none lost", answered.len());
}

#[test]
fn commands_for_puppetdb_keep_their_order_when_a_process_takes_over() {
    let directory = scratch("queue-handed");
    let fake = Fake::start();
    let place = format!("puppetdb:{}", fake.conf(&directory).display());
    let mut command = command(&directory);
    command.args(["--store", &place]);
    let mut server = Server::spawn(directory, command);
    let nodes = ["a.test", "b.test", "c.test"];
    let send = |server: &Server, n: u32| {
        for node in nodes {
            let sent = send_report(&mut server.connect(node), node, &format!("run-{n}"));
            assert_eq!(sent.expect("an answer").0, 200);
        }
    };
    (0..5).for_each(|n| send(&server, n));
    server.hand_over();
    // The process before may still have a connection; this one has a queue of its own.
    (5..10).for_each(|n| send(&server, n));
    fake.up(true);
    eventually("all come", || fake.came().len() >= 30);
    let mut times: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for [_, node, time] in fake.came() {
        times.entry(node).or_default().push(time);
    }
    assert_eq!(times.len(), nodes.len());
    for (node, times) in times {
        assert!(times.is_sorted(), "{node}: {times:#?}");
    }
}
