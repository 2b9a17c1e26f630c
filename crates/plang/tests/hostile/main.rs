//! Hostile sources: each is checked quickly, in little memory, and in time proportional to its size.
//!
//! `cargo test --release -p kukla-plang --test hostile` uses sources of 1 MiB, which must take at most one second and
//! 64 MiB. Debug builds use smaller sources and ten seconds. `SHOW=1` prints the figures of each.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]
#![expect(clippy::print_stdout, reason = "figures are asked for with `SHOW=1`")]

mod shapes;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use bumpalo::Bump;
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::message::{Message, Request};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::{Options, Registry, check, reference};
use libtest_mimic::{Arguments, Failed, Trial};
use shapes::SHAPES;

/// Size of a source.
const SIZE: usize = if cfg!(debug_assertions) { 256 << 10 } else { 1 << 20 };
/// Maximum time per source.
const TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });
/// Maximum memory per source, in KiB.
const MEMORY: u64 = 64 << 10;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Memory is measured for the whole process.
    arguments.test_threads = Some(1);
    let trials = SHAPES.iter().map(|(name, shape)| {
        let shape = *shape;
        Trial::test(*name, move || judged(shape))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn judged(shape: fn(usize) -> String) -> Result<(), Failed> {
    // A few bytes less than the limit, above which sources are rejected.
    let (text, half) = (shape(SIZE - 200), shape(SIZE / 2 - 200));
    assert!(text.len() <= SIZE, "the source is too large to be looked at");
    // Resets the peak memory of the process, where the kernel allows it.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmRSS:").unwrap_or(0);
    // The first run also pays for memory that the process did not have yet.
    let [took, shorter] = [&text, &half].map(|text| judge_deep(text).min(judge_deep(text)));
    let grown = memory("VmHWM:").map_or(0, |peak| peak.saturating_sub(before));
    if std::env::var_os("SHOW").is_some() {
        let (bytes, memory) = (text.len(), grown >> 10);
        println!("{bytes} bytes in {took:?}, half of it in {shorter:?}; {memory} MiB");
    }
    // The larger source may exceed another limit, and so be quicker.
    if took.max(shorter) > TIME {
        return Err(Failed::from(format!("took {took:?}, half of it {shorter:?}")));
    }
    if took > TIME / 20 && took > shorter * 3 {
        return Err(Failed::from(format!("took {took:?}, half of it {shorter:?}")));
    }
    if grown > MEMORY { Err(Failed::from(format!("took {grown} KiB"))) } else { Ok(()) }
}

/// Like [`judge`], but on a small stack, as threads of servers have.
fn judge_deep(text: &str) -> Duration {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(2 << 20);
        let thread = builder.spawn_scoped(scope, || judge(text)).expect("a thread starts");
        thread.join().expect("nothing panics")
    })
}

/// Returns the CPU time of checking and compiling.
fn judge(text: &str) -> Duration {
    let options = Options { registry: Some(Registry::default()), ..Options::default() };
    let start = Timer::start();
    let checked = check(text, &options);
    let compiled = checked.program.map(Compiled::new);
    let took = start.took();
    // Longer runs take long without optimizations, and this test is about checking.
    if let Some(compiled) = compiled.filter(|compiled| compiled.program.cost.steps < 30_000) {
        run(&compiled);
    }
    took
}

/// Runs a program on both back ends.
fn run(compiled: &Compiled) {
    let arena = Bump::new();
    let message = Message::new(Request { method: b"GET", path: b"/", ..Request::default() });
    let start = || Transaction::new(&message, &arena, &compiled.program.limits);
    let one = reference::run(&compiled.program, start(), &mut NoServices).outcome;
    let other = compiled::run(compiled, start(), &mut NoServices);
    assert_eq!(one.ending, other.ending, "both agree");
}

/// A clock of CPU time, so that other processes do not count.
struct Timer(Option<u64>, Instant);

impl Timer {
    fn start() -> Self {
        Self(used(), Instant::now())
    }

    fn took(&self) -> Duration {
        match (self.0, used()) {
            (Some(before), Some(now)) => Duration::from_nanos(now - before),
            _ => self.1.elapsed(),
        }
    }
}

/// Returns the CPU time of this thread in nanoseconds.
fn used() -> Option<u64> {
    // Without a yield the kernel's count lags behind by up to a tick.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// Returns memory of the process in KiB.
fn memory(which: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(which))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
