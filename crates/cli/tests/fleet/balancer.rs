//! HAProxy, which speaks TLS with agents, shows their certificates to the servers, and tries another one if a server fails.
//!
//! The book has the same configuration; a test compares them.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::member::Member;

/// The configuration of the book.
const BOOK: &str = include_str!("../../../../docs/src/guides/serve-fleet.md");

/// How TLS gets to the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// HAProxy speaks TLS with agents: the first configuration of the book.
    Ended,
    /// It passes connections on: the second one.
    PassedThrough,
}

/// A balancer that ends with the test.
pub(crate) struct Balancer {
    child: Child,
}

impl Balancer {
    /// Starts it with the configuration of the book, whose names and paths are replaced.
    pub(crate) fn start(
        directory: &Path,
        (address, port): (&str, u16),
        members: &[Member],
        way: Way,
    ) -> Self {
        let path = directory.join("haproxy.cfg");
        let text = configuration(directory, (address, port), members, way);
        std::fs::write(&path, text).expect("written");
        let log = std::fs::File::create(directory.join("haproxy.log")).expect("a log");
        let mut child = Command::new("haproxy")
            .args(["-db", "-f"])
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("HAProxy starts");
        let start = Instant::now();
        while std::net::TcpStream::connect((address, port)).is_err() {
            let state = child.try_wait().expect("a state");
            let log = || std::fs::read_to_string(directory.join("haproxy.log"));
            let is_late = start.elapsed() > Duration::from_secs(30);
            assert!(state.is_none() && !is_late, "HAProxy does not start: {:?}", log());
            std::thread::sleep(Duration::from_millis(10));
        }
        Self { child }
    }
}

fn configuration(
    directory: &Path,
    (address, port): (&str, u16),
    members: &[Member],
    way: Way,
) -> String {
    let rest = BOOK.split("```haproxy\n").nth(1 + way as usize);
    let (text, _) = rest.expect("a configuration in the book").split_once("```").expect("its end");
    let mut out = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("server ") {
            continue;
        }
        // What a service has and a process of a test has not.
        let is_of_service = ["user ", "group ", "log ", "stats "];
        if is_of_service.iter().any(|word| line.trim_start().starts_with(word)) {
            continue;
        }
        let line = line.replace("/etc/haproxy/puppet", &directory.display().to_string());
        let line = line.replace("bind :8140", &format!("bind {address}:{port}"));
        let _ = writeln!(out, "{line}");
    }
    for Member { name, address, port, .. } in members {
        let _ = writeln!(out, "    server {name} {address}:{port}");
    }
    out
}

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
