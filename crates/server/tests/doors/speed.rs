//! Speed and memory of the doors beside nginx, HAProxy, Squid and c-icap.
//!
//! `cargo test --release -p kukla-server --test doors speed -- --ignored --nocapture --test-threads 1` measures; the
//! fronts take turns in short rounds, and the best round of each counts. `SECONDS` is the length of a round.

mod fronts;
mod icap;
mod meter;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use meter::{Best, Front, Who, memory, print, rounds};

use crate::origin::receive;
use crate::running::{Door, connect};

/// A folder that is removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kukla-speed-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn own(name: &'static str, door: &Door) -> Front {
    Front { name, address: door.address, who: Who::Own }
}

#[test]
#[ignore = "measures"]
fn proxies_needs_nginx_needs_haproxy_needs_squid() {
    let folder = Folder::new("proxies");
    let origin = fronts::origin(&folder.0);
    let peers = [
        ("nginx", fronts::nginx(&folder.at("n"), origin.address)),
        ("HAProxy", fronts::haproxy(&folder.at("h"), origin.address)),
        ("Squid", fronts::squid(&folder.at("s"), origin.address)),
    ];
    let door = Door::quiet_proxy(&fronts::program(), &[format!("http://{}", origin.address)]);
    let mut all = vec![own("kukla", &door)];
    all.extend(peers.iter().map(|(name, peer)| Front {
        name,
        address: peer.address,
        who: Who::Tree(peer.pid()),
    }));
    all.push(Front { name: "direct", address: origin.address, who: Who::Tree(origin.pid()) });
    for (path, words) in [("/1k", "1 KB"), ("/1m", "1 MB")] {
        let best = rounds(&all, path, 16);
        print(&format!("{words}, ten conditions, 16 connections"), &all, &best);
        println!("  kukla/nginx {}", ratio(&best[0], &best[1]));
    }
    let best = rounds(&all, "/1k", 1);
    print("1 KB, one connection", &all, &best);
    println!(
        "  added at the median: kukla {:.0} us, nginx {:.0} us",
        best[0].median - best[4].median,
        best[1].median - best[4].median
    );
}

fn ratio(one: &Best, other: &Best) -> String {
    format!("{:.2} of the rate, {:.2} of the CPU time", one.rate / other.rate, one.cpu / other.cpu)
}

/// Rules that compare one field are found by an index: many of them cost as much as few.
#[test]
#[ignore = "measures"]
fn ten_thousand_rules_needs_nginx() {
    let folder = Folder::new("rules");
    let origin = fronts::origin(&folder.0);
    let program = |n_rules: usize| {
        let rules: String = (0..n_rules)
            .map(|n| format!("if (path == \"/private{n}\") {{ Access.deny(\"no\"); }}\n"))
            .collect();
        format!("Http := import(\"Http\");\npath := Http.request.uri.path;\n{rules}Access.allow();")
    };
    let doors = [10, 10_000].map(|n_rules| {
        Door::quiet_proxy(&program(n_rules), &[format!("http://{}", origin.address)])
    });
    let all = [own("10", &doors[0]), own("10 000", &doors[1])];
    let best = rounds(&all, "/1k", 16);
    print("rules", &all, &best);
    println!("  10 000 / 10: {}", ratio(&best[1], &best[0]));
}

/// Connections that wait for another request take little memory.
#[test]
#[ignore = "measures"]
fn five_thousand_idle_connections() {
    rustix::process::setrlimit(
        rustix::process::Resource::Nofile,
        rustix::process::Rlimit { current: Some(20_000), maximum: Some(20_000) },
    )
    .unwrap();
    let origin = crate::origin::Server::start_without_record(|_| {
        crate::origin::response("200 OK", "", b"hello")
    });
    let door = Door::quiet_proxy(&fronts::program(), &[format!("http://{}", origin.address)]);
    let before = memory();
    let used = |_| {
        let mut stream = connect(door.address);
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
        let got = receive(&mut stream, &mut Vec::new()).unwrap();
        assert_eq!(got.text(), "hello");
        stream
    };
    let all: Vec<TcpStream> = (0..5000).map(used).collect();
    std::thread::sleep(Duration::from_secs(1));
    println!("5 000 idle connections: {before} kB before, {} kB with them", memory());
    let n_files = std::fs::read_dir(Path::new("/proc/self/fd")).unwrap().count();
    assert!(n_files > 10_000, "{n_files} files for {} clients", all.len());
    assert!(memory() < 60_000);
}

/// A server that sends 1 GB, or takes it.
fn gigabyte() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut bytes = vec![0; 1 << 16];
                let n = stream.read(&mut bytes).unwrap_or(0);
                if n == 0 {
                    // A check of the server's health.
                    return;
                }
                if bytes.starts_with(b"GET") {
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {SIZE}\r\n\r\n");
                    stream.write_all(head.as_bytes()).unwrap();
                    for _ in 0..SIZE >> 16 {
                        let _ = stream.write_all(&bytes);
                    }
                    return;
                }
                let text = String::from_utf8_lossy(&bytes[..n]).into_owned();
                let mut n_read = text.find("\r\n\r\n").map_or(0, |at| n - at - 4);
                while n_read < SIZE {
                    let n = stream.read(&mut bytes).unwrap_or(0);
                    if n == 0 {
                        return;
                    }
                    n_read += n;
                }
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
            });
        }
    });
    address
}

const SIZE: usize = 1 << 30;

/// Returns the largest memory that the process has had, in kB.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Gets 1 GB and sends 1 GB; returns the peak of the memory of the process with the proxy before, between and after, in
/// kB.
fn down_and_up(door: &Door) -> [u64; 3] {
    let before = peak();
    let mut stream = connect(door.address);
    stream.set_read_timeout(Some(Duration::from_secs(400))).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&head));
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    assert!(head.starts_with("HTTP/1.1 200 ") && head.contains(&SIZE.to_string()), "{head}");
    let (mut bytes, mut n_read) = (vec![0; 1 << 16], 0);
    while n_read < SIZE {
        let n = stream.read(&mut bytes).unwrap();
        assert!(n > 0, "{n_read}");
        n_read += n;
    }
    let between = peak();
    let mut stream = connect(door.address);
    stream.set_read_timeout(Some(Duration::from_secs(400))).unwrap();
    let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {SIZE}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..SIZE >> 16 {
        stream.write_all(&bytes).unwrap();
    }
    let got = receive(&mut stream, &mut Vec::new()).unwrap();
    assert_eq!(got.text(), "ok", "{}", got.head);
    let peaks = [before, between, peak()];
    assert!(peaks[2] < 100_000, "{peaks:?} kB");
    peaks
}

#[test]
#[ignore = "measures"]
fn a_gigabyte_streams_through() {
    let upstream = [format!("http://{}", gigabyte())];
    let peaks = down_and_up(&Door::quiet_proxy("Access.allow();", &upstream));
    println!("1 GB down and up: {peaks:?} kB");
}

/// A service over HTTP that sends back what it gets, piece by piece.
fn mirror() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut ahead = Vec::new();
                let mut bytes = vec![0; 1 << 16];
                while !ahead.windows(4).any(|window| window == b"\r\n\r\n") {
                    let n = stream.read(&mut bytes).unwrap_or(0);
                    if n == 0 {
                        return;
                    }
                    ahead.extend_from_slice(&bytes[..n]);
                }
                let end = ahead.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
                let head = "HTTP/1.1 200 OK\r\nContent-Type: message/http\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
                stream.write_all(head.as_bytes()).unwrap();
                stream.write_all(&ahead[end..]).unwrap();
                let mut last = ahead;
                // The chunks go back as they came.
                while !last.ends_with(b"0\r\n\r\n") {
                    let n = stream.read(&mut bytes).unwrap();
                    assert!(n > 0);
                    stream.write_all(&bytes[..n]).unwrap();
                    last.extend_from_slice(&bytes[..n]);
                    last.drain(..last.len().saturating_sub(5));
                }
            });
        }
    });
    address
}

/// A service adapts 1 GB in both directions: the original and its answer are kept in files.
#[test]
#[ignore = "measures"]
fn a_gigabyte_is_adapted() {
    let registry = format!(
        "[[service]]\nuri = \"opes://x/mirror\"\nkind = \"http\"\nurl = \"http://{}/\"\nmax_body = {}\ntimeout_ms = 400000\n",
        mirror(),
        2_u64 << 30
    );
    let applies = "Services.applyOne(Services.findOne(\"opes://x/mirror\")); Access.allow();";
    let for_responses = format!("3:{applies}");
    let upstream = [format!("http://{}", gigabyte())];
    let door = Door::quiet_with(&[applies, &for_responses], &registry, &upstream);
    println!("1 GB adapted down and up: {:?} kB", down_and_up(&door));
}
