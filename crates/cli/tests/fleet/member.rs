//! One server of the fleet.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::network;

/// The time in which a server must listen or end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A way for a server to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It is told to stop, as for an update.
    Stop,
    /// It is killed.
    Kill,
    /// Its cable is pulled; it goes on.
    Cut,
}

/// A server.
pub(crate) struct Member {
    pub(crate) number: usize,
    pub(crate) name: String,
    pub(crate) address: String,
    pub(crate) port: u16,
    pub(crate) directory: PathBuf,
    pub(crate) is_in_namespace: bool,
    process: Mutex<Option<Child>>,
}

impl Member {
    pub(crate) fn new(
        number: usize,
        address: String,
        port: u16,
        directory: PathBuf,
        is_in_namespace: bool,
    ) -> Self {
        let name = format!("server{}.test", number + 1);
        let process = Mutex::default();
        Self { number, name, address, port, directory, is_in_namespace, process }
    }

    /// Starts it, or puts its cable back.
    pub(crate) fn start(&self) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        if process.is_some() {
            network::connect(self.number, true);
            return;
        }
        let mut command = Command::new("env");
        if self.is_in_namespace {
            command.args(["ip", "netns", "exec", &network::namespace(self.number)]);
        }
        let log = std::fs::File::options().create(true).append(true).open(self.log_path());
        let log = log.expect("a log");
        command
            .arg(env!("CARGO_BIN_EXE_kukla"))
            .args(["serve", "--listen", &format!("{}:{}", self.address, self.port)])
            .args(["--proxy", "balancer.test", "--confdir"])
            .arg(self.directory.join("conf"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log);
        let mut child = command.spawn().expect("the server starts");
        let start = Instant::now();
        let n_before = self.n_starts();
        while self.n_starts() == n_before {
            let state = child.try_wait().expect("a state");
            assert!(state.is_none() && start.elapsed() < PATIENCE, "{}: {}", self.name, self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
        *process = Some(child);
    }

    /// Returns how often it has begun to listen.
    fn n_starts(&self) -> usize {
        self.log().matches("listening at").count()
    }

    /// Returns whether a process is this server.
    pub(crate) fn has_process(&self, id: u32) -> bool {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.as_ref().is_some_and(|child| child.id() == id)
    }

    /// Ends it.
    pub(crate) fn end(&self, end: End) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        if end == End::Cut {
            network::connect(self.number, false);
            return;
        }
        let Some(mut child) = process.take() else { return };
        match end {
            End::Stop => {
                let id = child.id().to_string();
                let status = Command::new("kill").arg(id).status().expect("`kill` runs");
                assert!(status.success(), "{} has ended by itself: {}", self.name, self.log());
            }
            _ => child.kill().expect("killed"),
        }
        let start = Instant::now();
        while child.try_wait().expect("a state").is_none() {
            assert!(start.elapsed() < PATIENCE, "{} does not end: {}", self.name, self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn log_path(&self) -> PathBuf {
        self.directory.join("server.log")
    }

    /// Returns everything that it said.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut child) = process {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
