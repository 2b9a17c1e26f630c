//! Measuring time and memory.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Returns the CPU time of this thread; wall-clock time where the system does not provide it.
pub(crate) fn cpu_time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    let before = on_cpu();
    work();
    match (before, on_cpu()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => start.elapsed(),
    }
}

/// Returns the CPU time of this thread, as Linux counts it.
fn on_cpu() -> Option<Duration> {
    // Without a yield the kernel's count lags behind by up to a tick.
    std::thread::yield_now();
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(counts.split(' ').next()?.parse().ok()?))
}

/// Returns the shortest of many runs, repeated for `seconds`, at least three times.
///
/// The shortest, since other work on the machine only ever adds time.
pub(crate) fn shortest(seconds: f64, mut run: impl FnMut() -> Duration) -> Duration {
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut n_runs = 0;
    while n_runs < 3 || start.elapsed().as_secs_f64() < seconds {
        best = best.min(run());
        n_runs += 1;
    }
    best
}

/// Returns the median of an odd number of runs.
pub(crate) fn median(n_runs: usize, mut run: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut times: Vec<Duration> = (0..n_runs).map(|_| run()).collect::<Result<_>>()?;
    times.sort();
    times.get(n_runs / 2).copied().context("at least one run")
}

/// Returns the wall-clock time of a program; its output is discarded.
pub(crate) fn wall_time(command: &mut Command) -> Result<Duration> {
    let start = Instant::now();
    quiet(command)?.wait()?;
    Ok(start.elapsed())
}

/// Returns the peak memory of a program in bytes.
///
/// The system discards it when the program ends, so it is polled until then.
pub(crate) fn peak_memory(command: &mut Command) -> Result<u64> {
    let mut child = quiet(command)?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        peak = peak.max(high_water_mark(&text).unwrap_or_default());
    }
    Ok(peak)
}

fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Starts a program whose output is discarded.
pub(crate) fn quiet(command: &mut Command) -> Result<Child> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().with_context(|| format!("cannot start `{name}`"))
}
