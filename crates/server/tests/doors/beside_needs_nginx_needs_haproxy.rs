//! Hostile messages beside nginx and HAProxy: what either of them refuses does not pass here.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::hygiene::{bad_chunks, borderline, hostile};
use crate::origin::{Server, response};
use crate::running::{Door, connect};

/// A proxy of others; it ends with the test.
pub(crate) struct Peer {
    child: Child,
    pub(crate) address: SocketAddr,
    origin: Server,
}

impl Peer {
    /// Returns the number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // nginx ends its workers if it is asked to end, and leaves them behind if it is killed.
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        for _ in 0..100 {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn origin() -> Server {
    Server::start(|got| response("200 OK", "", &got.body))
}

pub(crate) fn start(
    name: &str,
    arguments: &[&str],
    config: &str,
    folder: &Path,
    address: SocketAddr,
    origin: Server,
) -> Peer {
    let path = folder.join(format!("{name}.conf"));
    std::fs::write(&path, config).unwrap();
    let child = [name.to_owned(), format!("/usr/sbin/{name}")].iter().find_map(|program| {
        let mut command = Command::new(program);
        command.args(arguments).arg(&path);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok()
    });
    let child = child.unwrap_or_else(|| {
        panic!("`{name}` is not installed: run `apt-get install {name}`, or `cargo xtask test`, which does it; `cargo test -- --skip needs_{name}` leaves this test out")
    });
    let peer = Peer { child, address, origin };
    let start = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(start.elapsed() < Duration::from_secs(20), "{name} does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    peer
}

fn nginx(folder: &Path) -> Peer {
    let (address, origin) = (free(), origin());
    let (at, upstream) = (folder.display(), origin.address);
    let config = format!(
        "daemon off; master_process off; pid {at}/nginx.pid; error_log {at}/nginx.log;\n\
         events {{}}\nhttp {{ access_log off; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
         fastcgi_temp_path {at}/f; uwsgi_temp_path {at}/u; scgi_temp_path {at}/s; client_header_timeout 1s; client_body_timeout 1s;\n\
         server {{ listen {address}; location / {{ proxy_pass http://{upstream}; proxy_http_version 1.1; }} }} }}\n"
    );
    start("nginx", &["-c"], &config, folder, address, origin)
}

fn haproxy(folder: &Path) -> Peer {
    let (address, origin) = (free(), origin());
    let upstream = origin.address;
    let config = format!(
        "defaults\n mode http\n timeout client 2s\n timeout server 2s\n timeout connect 2s\n timeout http-request 1s\n\
         frontend f\n bind {address}\n default_backend b\nbackend b\n server s {upstream}\n"
    );
    start("haproxy", &["-db", "-f"], &config, folder, address, origin)
}

/// Sends bytes and keeps the connection open; returns what comes back.
fn open(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    stream.set_read_timeout(Some(Duration::from_millis(1500))).unwrap();
    let _ = stream.write_all(bytes);
    let (mut out, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(n @ 1..) = stream.read(&mut piece) {
        out.extend_from_slice(&piece[..n]);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The reaction of a proxy: its status, and whether the origin got a whole request.
fn seen(address: SocketAddr, origin: &Server, bytes: &[u8]) -> (u16, usize) {
    let n_before = origin.all().len();
    let text = open(address, bytes);
    let status = text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, origin.all().len() - n_before)
}

#[test]
fn nothing_passes_that_a_peer_refuses() {
    let folder: PathBuf = std::env::temp_dir().join(format!("kukla-beside-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (nginx, haproxy) = (nginx(&folder), haproxy(&folder));
    let own = origin();
    let door = Door::proxy(&["Access.allow();"], "", &[format!("http://{}", own.address)]);
    let all: Vec<_> = [hostile(), bad_chunks(), borderline()].concat();
    assert!(all.len() >= 150, "{}", all.len());
    let mut table = String::from("| message | Kukla | nginx | HAProxy |\n|---|---|---|---|\n");
    let mut wrong = Vec::new();
    for (name, bytes) in &all {
        let (ours, theirs, others) = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| seen(nginx.address, &nginx.origin, bytes));
            let others = scope.spawn(|| seen(haproxy.address, &haproxy.origin, bytes));
            let ours = seen(door.address, &own, bytes);
            (ours, theirs.join().unwrap(), others.join().unwrap())
        });
        let word = |(status, n_passed): (u16, usize)| match (status, n_passed) {
            (status, 0) => format!("{status}"),
            (status, n) => format!("{status}, {n} passed"),
        };
        let name = name.replace('|', "\\|");
        let _ =
            writeln!(table, "| {name} | {} | {} | {} |", word(ours), word(theirs), word(others));
        let is_refused = theirs.1 == 0 || others.1 == 0;
        // A request that a peer passes on as one must not be two here.
        if (is_refused && ours.1 > 0) || ours.1 > theirs.1.max(others.1) {
            wrong.push(format!("{name}: ours {ours:?}, nginx {theirs:?}, HAProxy {others:?}"));
        }
    }
    if let Ok(path) = std::env::var("TABLE") {
        std::fs::write(path, table).unwrap();
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
