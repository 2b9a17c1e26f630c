//! A server in a directory of its own, and a client that speaks plain HTTP as a proxy would.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// A running server.
pub(crate) struct Server {
    child: Child,
    /// The process that serves now.
    pub(crate) process: u32,
    pub(crate) plain: u16,
    pub(crate) tls: u16,
    pub(crate) directory: PathBuf,
    log: Arc<Mutex<Vec<String>>>,
    is_kept: bool,
}

/// Returns a new empty directory.
pub(crate) fn scratch(name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("kukla-{name}-{}-{number}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(directory.join("server")).expect("a directory");
    directory
}

/// Returns the command of a server.
pub(crate) fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--plain", "127.0.0.1:0"])
        .args(["--allow-header-cert-info", "--settle", "0.1", "--confdir"])
        .arg(directory.join("server"))
        .args(["--set", "keylength=2048"]);
    command
}

impl Server {
    /// Starts a server in a directory of its own.
    pub(crate) fn start(name: &str, options: &[&str]) -> Self {
        Self::start_in(scratch(name), options)
    }

    /// Starts a server in a directory.
    pub(crate) fn start_in(directory: PathBuf, options: &[&str]) -> Self {
        let mut command = command(&directory);
        command.args(options);
        Self::spawn(directory, command)
    }

    /// Starts a server by a command.
    pub(crate) fn spawn(directory: PathBuf, mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("kukla starts");
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let (stream, lines) = (child.stderr.take().expect("a pipe"), Arc::clone(&log));
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                lines.lock().expect("a log").push(line);
            }
        });
        let process = child.id();
        let mut server = Self { child, process, plain: 0, tls: 0, directory, log, is_kept: false };
        server.tls = server.port("(TLS)");
        server.plain = server.port("(plain HTTP)");
        server
    }

    fn port(&self, kind: &str) -> u16 {
        let line = self.line(|line| line.starts_with("listening at") && line.ends_with(kind));
        let port = line.split_once("127.0.0.1:").and_then(|(_, rest)| rest.split(' ').next());
        port.and_then(|port| port.parse().ok()).expect("a port")
    }

    /// Waits for a line of the log.
    pub(crate) fn line(&self, fits: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            if let Some(line) = self.log().iter().find(|line| fits(line)) {
                return line.clone();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("no such line: {:#?}", self.log());
    }

    /// Returns the log.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().expect("a log").clone()
    }

    /// Returns the directory of an environment.
    pub(crate) fn environment(&self, name: &str) -> PathBuf {
        self.directory.join("server/code/environments").join(name)
    }

    /// Ends the server; its directory stays.
    pub(crate) fn keep_directory(mut self) {
        self.is_kept = true;
    }

    /// Sends a signal to the process that serves.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(pid(self.process), signal).expect("the process is there");
    }

    /// Lets a new process take over.
    pub(crate) fn hand_over(&mut self) {
        let n_before = self.successors().len();
        self.signal(Signal::HUP);
        let start = Instant::now();
        while self.successors().len() == n_before {
            assert!(start.elapsed() < Duration::from_secs(60), "{:#?}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
        self.process = *self.successors().last().expect("a process");
    }

    fn successors(&self) -> Vec<u32> {
        let number = |line: &String| line.strip_prefix("handed over to process ")?.parse().ok();
        self.log().iter().filter_map(number).collect()
    }

    /// Connects as a node.
    pub(crate) fn connect(&self, node: &str) -> Connection {
        Connection::open(self.plain, node).expect("a connection")
    }
}

fn pid(number: u32) -> Pid {
    Pid::from_raw(i32::try_from(number).expect("a number")).expect("a process")
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = kill_process(pid(self.process), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
        let start = Instant::now();
        while test_kill_process(pid(self.process)).is_ok()
            && start.elapsed() < Duration::from_secs(2)
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}

/// A connection of a node.
pub(crate) struct Connection {
    stream: TcpStream,
    node: String,
    /// Whether the server has said that the connection ends.
    pub(crate) is_over: bool,
}

impl Connection {
    pub(crate) fn open(port: u16, node: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { stream, node: node.to_owned(), is_over: false })
    }

    /// Sends a request; returns status and body of the answer.
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> io::Result<(u16, String)> {
        let Self { node, .. } = &self;
        let body = body.unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\
             Content-Type: application/json\r\nX-Client-Verify: SUCCESS\r\nX-Client-DN: CN={node}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        self.stream.write_all(format!("{head}{body}").as_bytes())?;
        self.receive()
    }

    /// Asks for the catalog of the node.
    pub(crate) fn catalog(&mut self, environment: &str) -> io::Result<(u16, String)> {
        let path = format!("/puppet/v3/catalog/{}?environment={environment}", self.node);
        self.request("GET", &path, None)
    }

    fn receive(&mut self) -> io::Result<(u16, String)> {
        let mut bytes = Vec::new();
        let mut piece = [0; 16 << 10];
        loop {
            if let Some(answer) = self.parse(&bytes) {
                return Ok(answer);
            }
            match self.stream.read(&mut piece)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => bytes.extend_from_slice(&piece[..n]),
            }
        }
    }

    fn parse(&mut self, bytes: &[u8]) -> Option<(u16, String)> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let lines: Vec<String> = lines.map(str::to_ascii_lowercase).collect();
        let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.unwrap_or("0").parse().ok()?;
        self.is_over = lines.iter().any(|line| line == "connection: close");
        (body.len() >= length).then(|| (status, body.to_owned()))
    }
}

/// Returns a report of a node.
pub(crate) fn report(node: &str, marker: &str) -> String {
    format!(
        r#"{{"host":"{node}","time":"2026-11-18T10:00:00.000000000+00:00","configuration_version":1,
        "transaction_uuid":"{marker}","report_format":12,"puppet_version":"7.23.0","status":"unchanged",
        "transaction_completed":true,"noop":false,"noop_pending":false,"environment":"production",
        "logs":[],"metrics":{{}},"resource_statuses":{{}},"corrective_change":false,
        "catalog_uuid":"x","cached_catalog_status":"not_used"}}"#
    )
}
