//! Fuzzing without libFuzzer: mutated seeds on all cores, the same ones for the same `--seed`.
//!
//! Input number `n` depends on the seed and `n` alone, so a failure can be reproduced with
//! `--from n --count 1`.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use kukla_fuzz::Target;
use kukla_fuzz::mutate::mutate;
use kukla_fuzz::random::Random;
use kukla_fuzz::seeds::Seeds;

/// The number of inputs that a thread takes at a time.
const BLOCK: u64 = 1_000;
/// The time that an input may take, whatever its length.
const PATIENCE: Duration = Duration::from_millis(50);
/// The deadline after which an input counts as a hang.
const HANG: Duration = Duration::from_secs(20);
/// The maximum number of failures that are kept.
const MAX_KEPT: usize = 200;

thread_local! {
    /// The location of the last panic of this thread.
    static PANIC: Cell<String> = const { Cell::new(String::new()) };
}

/// The options of the command line.
struct Arguments {
    seed: u64,
    from: u64,
    count: u64,
    threads: u64,
    only: Option<Target>,
}

/// The state that all threads share.
struct Run {
    arguments: Arguments,
    seeds: Seeds,
    started: Instant,
    next: AtomicU64,
    done: AtomicU64,
    bytes: AtomicU64,
    /// The number of the input that each thread is at, and its start in ms.
    current: Vec<(AtomicU64, AtomicU64)>,
    failures: Mutex<Vec<String>>,
}

fn main() -> Result<ExitCode> {
    let arguments = arguments()?;
    std::panic::set_hook(Box::new(|panic| PANIC.set(panic.to_string().replace('\n', ": "))));
    let run = Run {
        seeds: Seeds::gather()?,
        started: Instant::now(),
        next: AtomicU64::new(arguments.from),
        done: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        current: (0..arguments.threads).map(|_| Default::default()).collect(),
        failures: Mutex::default(),
        arguments,
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            run.current.iter().map(|current| scope.spawn(|| run.work(current))).collect();
        let mut ticks = 0;
        while !threads.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            std::thread::sleep(Duration::from_millis(100));
            ticks += 1;
            if ticks % 100 == 0 {
                println!("{}", run.rate());
                run.watch();
            }
        }
    });
    println!("{}", run.rate());
    let failures = run.failures.into_inner().unwrap_or_default();
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn arguments() -> Result<Arguments> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut all = Arguments { seed: 0, from: 0, count: 1_000_000, threads, only: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("`{word}` wants a value"))?;
        let number = || value.parse().with_context(|| format!("`{value}` is no number"));
        match word.as_str() {
            "--seed" => all.seed = number()?,
            "--from" => all.from = number()?,
            "--count" => all.count = number()?,
            "--threads" => all.threads = number()?.max(1),
            "--target" => {
                let target = Target::ALL.into_iter().find(|target| target.name() == value);
                all.only = Some(target.with_context(|| format!("no target is named `{value}`"))?);
            }
            _ => bail!("`{word}` is none of --seed, --from, --count, --threads, --target"),
        }
    }
    Ok(all)
}

impl Run {
    fn work(&self, (number_now, since): &(AtomicU64, AtomicU64)) {
        let end = self.arguments.from + self.arguments.count;
        loop {
            let first = self.next.fetch_add(BLOCK, Ordering::Relaxed);
            if first >= end {
                return;
            }
            for number in first..end.min(first + BLOCK) {
                number_now.store(number, Ordering::Relaxed);
                since.store(self.millis(), Ordering::Relaxed);
                self.one(number);
            }
            // Waiting for the others is no hang.
            since.store(u64::MAX, Ordering::Relaxed);
        }
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }

    fn one(&self, number: u64) {
        let (target, input) = self.input(number);
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| target.run(&input)));
        let limit = PATIENCE + Duration::from_micros(input.len() as u64);
        if outcome.is_err() {
            self.fail(number, target, &input, &PANIC.take());
        } else if started.elapsed() > limit && is_slow(target, &input, limit) {
            self.fail(number, target, &input, &format!("took {:?}", started.elapsed()));
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(input.len() as u64, Ordering::Relaxed);
    }

    /// Returns the input of that number, and its target.
    fn input(&self, number: u64) -> (Target, Vec<u8>) {
        let mut random = Random::new(self.arguments.seed, number);
        let target = self.arguments.only.unwrap_or_else(|| match random.below(16) {
            0..6 => Target::Manifest,
            6..8 => Target::Template,
            8 => Target::Regexp,
            9 => Target::Json,
            10 => Target::Xpp,
            11 | 12 => Target::Compile,
            13 => Target::Request,
            14 => match random.below(4) {
                0 => Target::AuthConf,
                1 => Target::H1,
                2 => Target::Icap,
                _ => Target::Query,
            },
            _ => Target::Eval,
        });
        (target, mutate(target, self.seeds.of(target), &mut random))
    }

    /// Stores an input that failed, unless one failed in the same way before.
    fn fail(&self, number: u64, target: Target, input: &[u8], how: &str) {
        // Numbers in messages differ from input to input.
        let kind: String = how.chars().filter(|char| !char.is_ascii_digit()).take(90).collect();
        let Ok(mut failures) = self.failures.lock() else { return };
        if failures.contains(&kind) || failures.len() >= MAX_KEPT {
            return;
        }
        failures.push(kind);
        let path = keep(&format!("{}-{}-{number}", target.name(), self.arguments.seed), input);
        println!("FAILED {}: {how}\n  {:?}", path.display(), String::from_utf8_lossy(input));
    }

    /// Ends the process if an input hangs: a thread can't be stopped.
    fn watch(&self) {
        for (number, since) in &self.current {
            let taken = self.millis().saturating_sub(since.load(Ordering::Relaxed));
            if u128::from(taken) > HANG.as_millis() {
                let number = number.load(Ordering::Relaxed);
                let (target, input) = self.input(number);
                self.fail(number, target, &input, "hangs");
                std::process::exit(1);
            }
        }
    }

    fn rate(&self) -> String {
        let done = self.done.load(Ordering::Relaxed);
        let seconds = self.started.elapsed().as_secs_f64();
        format!(
            "{done} inputs, {} MB, {:.0} inputs/s, {} failures",
            self.bytes.load(Ordering::Relaxed) / 1_000_000,
            done as f64 / seconds,
            self.failures.lock().map_or(0, |failures| failures.len()),
        )
    }
}

/// Returns whether the input is slow repeatedly, not only because the machine is busy.
fn is_slow(target: Target, input: &[u8], limit: Duration) -> bool {
    (0..10).all(|_| {
        std::thread::sleep(Duration::from_millis(20));
        let started = Instant::now();
        target.run(input);
        started.elapsed() > limit
    })
}

fn keep(name: &str, input: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts");
    let path = folder.join(name);
    // The input is printed too.
    let _ = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input));
    path
}
