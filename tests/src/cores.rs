//! Parallel work on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, anyhow};

/// Processes each item with the helpers that `start` creates, one per core; results are in the order of the items.
///
/// Calls `done` with the number of items that were begun.
pub fn on_all_cores<I: Sync, H, R: Send>(
    items: &[I],
    start: &(dyn Fn() -> Result<H> + Sync),
    work: &(dyn Fn(&mut H, &I) -> Result<R> + Sync),
    done: &(dyn Fn(usize) + Sync),
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(items.iter().map(|_| None).collect::<Vec<_>>());
    let n_helpers = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    std::thread::scope(|scope| -> Result<()> {
        let run = || -> Result<()> {
            let mut helper = start()?;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(index) else { return Ok(()) };
                let result = work(&mut helper, item)?;
                results.lock().expect("no thread panics with the lock")[index] = Some(result);
                done(index + 1);
            }
        };
        let running: Vec<_> = (0..n_helpers).map(|_| scope.spawn(run)).collect();
        for thread in running {
            thread.join().map_err(|_| anyhow!("a thread panicked"))??;
        }
        Ok(())
    })?;
    let results = results.into_inner().expect("no thread panics with the lock");
    results.into_iter().map(|result| result.context("an item was left out")).collect()
}
