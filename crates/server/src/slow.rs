//! Work that takes microseconds with most programs, and milliseconds with some.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Handle, RuntimeFlavor};

/// The CPU time from which other connections must not wait for a run.
const LONG: Duration = Duration::from_micros(500);
/// The number of runs behind a long one for which others do not wait.
const BEHIND: u32 = 10_000;
/// The age at which the CPU time of a thread is asked for again.
const FRESH: Duration = Duration::from_millis(1);

thread_local! {
    /// A time, and the CPU time of this thread at it.
    static MARK: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// Runs that may turn out to take long.
///
/// After a long run others are done beside the connections of the thread. A short run costs less than this, so that
/// every program begins with short ones.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// The number of runs until they count as short again.
    n_beside: AtomicU32,
}

impl Runs {
    /// Does a run, which gets the time at which it starts.
    pub(crate) fn time<T>(&self, run: impl FnOnce(Instant) -> T) -> T {
        let start = Instant::now();
        let n_beside = self.n_beside.load(Ordering::Relaxed);
        let mark = mark(start);
        let (result, end) = match n_beside {
            0 => (run(start), Instant::now()),
            _ => {
                // Threads that count at the same time only make it last a little longer.
                self.n_beside.store(n_beside - 1, Ordering::Relaxed);
                beside(|| (run(start), Instant::now()))
            }
        };
        if end - start > LONG && is_long(start, mark) {
            self.n_beside.store(BEHIND, Ordering::Relaxed);
        }
        result
    }
}

/// Does work for which the connections of this thread need not wait.
fn beside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// Returns a time before the run, and the CPU time at it.
fn mark(start: Instant) -> (Instant, Duration) {
    let fresh = MARK.get().filter(|(time, _)| start.saturating_duration_since(*time) < FRESH);
    fresh.unwrap_or_else(|| {
        let mark = (start, used());
        MARK.set(Some(mark));
        mark
    })
}

/// Whether a run needed much CPU time, rather than that the thread had to wait for a core.
fn is_long(start: Instant, (marked, before): (Instant, Duration)) -> bool {
    used().saturating_sub(before) > start.saturating_duration_since(marked) + LONG
}

/// Returns the CPU time of this thread.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanoseconds.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_beside(runs: &Runs) -> bool {
        runs.n_beside.load(Ordering::Relaxed) > 0
    }

    fn work(time: Duration) {
        let before = used();
        while used() - before < time {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn only_work_makes_a_run_long() {
        let runs = Runs::default();
        for _ in 0..100 {
            runs.time(|_| work(Duration::from_micros(20)));
        }
        runs.time(|_| std::thread::sleep(Duration::from_millis(5)));
        assert!(!is_beside(&runs));
        runs.time(|_| work(Duration::from_millis(3)));
        assert!(is_beside(&runs));
    }

    /// Long runs leave the only thread of a runtime to others, and after many short ones nothing is left to others.
    #[test]
    fn others_go_on_beside_long_runs() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let runs = std::sync::Arc::new(Runs::default());
        let (own, (done, is_done)) = (std::sync::Arc::clone(&runs), std::sync::mpsc::channel());
        let long = runtime.spawn(async move {
            own.time(|_| work(Duration::from_millis(3)));
            // It goes on until the other task was there.
            own.time(|_| is_done.recv_timeout(Duration::from_secs(20)).is_ok())
        });
        let other = runtime.spawn(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            done.send(()).is_ok()
        });
        assert!(
            runtime.block_on(async { long.await.expect("it ran") && other.await.expect("it ran") })
        );
        for _ in 0..=BEHIND {
            runs.time(|_| ());
        }
        assert!(!is_beside(&runs));
    }
}
