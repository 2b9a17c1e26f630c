//! Measures requests a second, latency, CPU time and memory.

use std::net::SocketAddr;
use std::process::{Command, Stdio};

/// The number of rounds; the best of each front counts, so that other work on the machine does not.
pub(super) const ROUNDS: usize = 5;

/// The processes or threads that serve a front.
#[derive(Clone, Copy, Debug)]
pub(super) enum Who {
    /// The workers of this process.
    Own,
    /// A process and its children.
    Tree(u32),
}

/// Something that answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    pub(super) name: &'static str,
    pub(super) address: SocketAddr,
    pub(super) who: Who,
}

/// The best of all rounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    /// Requests a second.
    pub(super) rate: f64,
    /// Microseconds of CPU time for a request.
    pub(super) cpu: f64,
    /// Microseconds until half of the requests were answered.
    pub(super) median: f64,
}

impl Default for Best {
    fn default() -> Self {
        Self { rate: 0.0, cpu: f64::MAX, median: f64::MAX }
    }
}

/// Loads the fronts in turn, round by round; returns the best of each.
pub(super) fn rounds(fronts: &[Front], path: &str, n_connections: usize) -> Vec<Best> {
    let mut best = vec![Best::default(); fronts.len()];
    for round in 0..ROUNDS {
        for turn in 0..fronts.len() {
            let at = (round + turn) % fronts.len();
            let (front, best) = (&fronts[at], &mut best[at]);
            let before = cpu(front.who);
            let (rate, n_requests, median) = wrk(front.address, path, n_connections);
            let used = (cpu(front.who) - before) * 1e6 / n_requests;
            best.rate = best.rate.max(rate);
            best.cpu = best.cpu.min(used);
            best.median = best.median.min(median);
        }
    }
    best
}

/// Prints the best of each front.
#[expect(clippy::print_stdout, reason = "the result of the measurement")]
pub(super) fn print(title: &str, fronts: &[Front], best: &[Best]) {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{title} (load {})", load.split(' ').next().unwrap_or_default());
    for (front, best) in fronts.iter().zip(best) {
        println!(
            "  {:8} {:8.0} requests/s, {:7.1} us CPU, median {:6.0} us",
            front.name, best.rate, best.cpu, best.median
        );
    }
}

/// Runs wrk; returns requests a second, their number, and the median latency in microseconds.
fn wrk(address: SocketAddr, path: &str, n_connections: usize) -> (f64, f64, f64) {
    let seconds = std::env::var("SECONDS").unwrap_or_else(|_| "2".to_owned());
    let mut command = Command::new("wrk");
    command.args(["-t1", &format!("-c{n_connections}"), "--latency", &format!("-d{seconds}s")]);
    command.arg(format!("http://{address}{path}"));
    let output =
        command.stdin(Stdio::null()).output().expect("wrk is installed: run `apt-get install wrk`");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("Non-2xx") && !text.contains("Socket errors"), "{text}");
    let line = |name: &str| {
        let line = text.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name} in {text}")).trim()
    };
    let rate = line("Requests/sec").split_whitespace().last().unwrap().parse().unwrap();
    let n_requests = line("requests in").split(' ').next().unwrap().parse().unwrap();
    // Other lines have per cents, too.
    let median = text.lines().find_map(|line| line.trim().strip_prefix("50%")).unwrap().trim();
    let units = [("us", 1.0), ("ms", 1e3), ("s", 1e6)];
    let (unit, factor) = units.iter().find(|(unit, _)| median.ends_with(unit)).unwrap();
    (rate, n_requests, median.strip_suffix(unit).unwrap().parse::<f64>().unwrap() * factor)
}

/// Returns the seconds of CPU time that have been used.
pub(super) fn cpu(who: Who) -> f64 {
    let ticks: u64 = match who {
        Who::Own => {
            let threads = own_threads();
            let stats = threads.iter().filter_map(|id| stat_of(id));
            stats.map(|stat| spent(&stat).1).sum()
        }
        Who::Tree(root) => {
            let stats = numbers("/proc").into_iter().filter_map(|id| {
                let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
                let (parent, ticks) = spent(&stat);
                (id == root.to_string() || parent == u64::from(root)).then_some(ticks)
            });
            stats.sum()
        }
    };
    ticks as f64 / 100.0
}

/// Returns the numbers of the threads of this process that serve.
pub(super) fn own_threads() -> Vec<String> {
    let serves = |stat: &str| stat.contains("(tokio-") || stat.contains("(connections-");
    let all = numbers("/proc/self/task").into_iter();
    all.filter(|id| stat_of(id).is_some_and(|stat| serves(&stat))).collect()
}

fn stat_of(thread: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()
}

/// Returns the entries of a folder that are numbers.
fn numbers(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).collect()
}

/// Returns the parent and the ticks of a process or thread.
fn spent(stat: &str) -> (u64, u64) {
    let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let numbers: Vec<u64> =
        rest.split(' ').skip(1).map(|number| number.parse().unwrap_or(0)).collect();
    (numbers[0], numbers[10] + numbers[11])
}

/// Returns the resident memory of this process in kB.
pub(super) fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
