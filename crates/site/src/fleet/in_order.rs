//! Parallel work whose results are consumed in order, with a bounded number of results waiting.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;

/// The distance that each thread may be ahead of the consumer: enough that one slow piece of work blocks no other
/// thread.
const AHEAD: usize = 4;

/// Runs `work` for all numbers below `n` and passes the results to `take` in their order, on this thread.
pub(super) fn in_order<T: Send, E>(
    n: usize,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let n_threads = rayon::current_num_threads().clamp(1, n.max(1));
    let (next, gate) = (AtomicUsize::new(0), Gate::new(AHEAD * n_threads));
    thread::scope(|scope| {
        let (results, ready) = mpsc::channel();
        for _ in 0..n_threads {
            let results = results.clone();
            let (next, gate, work) = (&next, &gate, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= n
                        || !gate.pass(number)
                        || results.send((number, work(number))).is_err()
                    {
                        return;
                    }
                }
            });
        }
        drop(results);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (number, result) in ready {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&due) {
                if let Err(error) = take(result) {
                    gate.open_to(None);
                    return Err(error);
                }
                due += 1;
                gate.open_to(Some(due));
            }
        }
        Ok(())
    })
}

/// Admits numbers that the consumer needs soon.
struct Gate {
    /// The number of results that were consumed; `None` once the consumer has given up.
    taken: Mutex<Option<usize>>,
    has_moved: Condvar,
    width: usize,
}

impl Gate {
    fn new(width: usize) -> Self {
        Self { taken: Mutex::new(Some(0)), has_moved: Condvar::new(), width }
    }

    /// Waits until a number is near; returns `false` once the consumer has given up.
    fn pass(&self, number: usize) -> bool {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_far = |taken: &mut Option<usize>| taken.is_some_and(|n| number >= n + self.width);
        let taken = self.has_moved.wait_while(taken, is_far);
        taken.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn open_to(&self, n: Option<usize>) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = n;
        self.has_moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::in_order;

    #[test]
    fn results_come_in_order() {
        let mut taken = Vec::new();
        let work = |n: usize| {
            kukla_world::clock::pause(Duration::from_micros((n as u64 * 7919) % 300));
            n
        };
        in_order(200, work, |n| {
            taken.push(n);
            Ok::<(), ()>(())
        })
        .expect("nothing fails");
        assert_eq!(taken, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn the_consumer_may_give_up() {
        let mut n_taken = 0;
        let result = in_order(
            1_000,
            |n| n,
            |n| {
                n_taken += 1;
                if n < 10 { Ok(()) } else { Err("enough") }
            },
        );
        assert!(result.is_err());
        assert_eq!(n_taken, 11);
    }
}
