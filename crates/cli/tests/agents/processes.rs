//! Processes that end with the test.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server that is stopped when it is dropped.
pub(crate) struct Serving {
    child: Child,
}

impl Serving {
    /// Starts a program and waits until it prints a line with some words.
    pub(crate) fn start(command: &mut Command, log: &Path, words: &str) -> Self {
        let file = std::fs::File::create(log).expect("a log");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .expect("the server starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let is_said_in =
            |path: &Path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(words));
        // Some servers print to standard output, others to standard error.
        let log = log.to_owned();
        let reader = std::thread::spawn({
            let words = words.to_owned();
            move || output.by_ref().map_while(Result::ok).any(|line| line.contains(&words))
        });
        loop {
            let is_gone = child.try_wait().expect("a state").is_some();
            if is_said_in(&log) {
                return Self { child };
            }
            if reader.is_finished() {
                let is_said = reader.join().expect("a reader");
                let text = std::fs::read_to_string(&log).unwrap_or_default();
                assert!(is_said || is_said_in(&log), "the server ended: {text}");
                return Self { child };
            }
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            assert!(!is_gone, "the server ended: {text}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // The one that runs Puppet Server ends it when its input ends.
        drop(self.child.stdin.take());
        for _ in 0..100 {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            let id = self.child.id().to_string();
            let _ = Command::new("kill").arg(id).stderr(Stdio::null()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a port that is free now.
pub(crate) fn free_port() -> u16 {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
    socket.local_addr().expect("an address").port()
}

/// A directory that is removed when it is dropped.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let name = format!("kukla-agents-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a directory");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("a mode");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::env::var_os("KEEP").is_none() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
