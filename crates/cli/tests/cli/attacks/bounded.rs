//! Runs of the command that may use little memory and time.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The most memory of a run: files are read up to 256 MB, in buffers that double.
pub(super) const MEMORY: u64 = 700 << 20;

/// The longest time of a run.
pub(super) const TIME: Duration = Duration::from_secs(40);

/// Result of a run that ended by itself.
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) output: Vec<u8>,
    pub(super) error: Vec<u8>,
}

impl Ended {
    /// Returns everything that was printed.
    pub(super) fn printed(&self) -> String {
        let [output, error] = [&self.output, &self.error].map(|it| String::from_utf8_lossy(it));
        format!("{output}{error}")
    }
}

/// Runs a command; an error says which bound it passed.
pub(super) fn run(command: &mut Command) -> Result<Ended, String> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let output = gathered(child.stdout.take().expect("it is piped"));
    let error = gathered(child.stderr.take().expect("it is piped"));
    let ended = watch(&mut child);
    let [output, error] = [output, error].map(|it| it.join().expect("the thread ends"));
    ended.map(|code| Ended { code, output, error })
}

/// Reads everything in a thread of its own.
fn gathered(mut from: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.by_ref().take(64 << 20).read_to_end(&mut bytes);
        bytes
    })
}

fn watch(child: &mut Child) -> Result<Option<i32>, String> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it is a child") {
            return status.code().map(Some).ok_or_else(|| format!("ended by a signal: {status}"));
        }
        let peak = peak(child.id());
        let problem = if peak > MEMORY {
            Some(format!("{} MB", peak >> 20))
        } else if start.elapsed() > TIME {
            Some(format!("did not end within {TIME:?}"))
        } else {
            None
        };
        if let Some(problem) = problem {
            child.kill().expect("it runs");
            child.wait().expect("it ends");
            return Err(problem);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the most memory that a process has used.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    kilobytes.unwrap_or_default() << 10
}
