//! Timing on a shared machine: the minimum of many short measurements.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::Decide;

/// Duration of a measurement.
const BATCH: Duration = Duration::from_millis(2);
/// Number of rounds, in each of which all are measured.
const ROUNDS: usize = 25;

/// Returns the nanoseconds of each.
pub fn nanoseconds(all: &mut [Decide]) -> Vec<f64> {
    let counts: Vec<u32> = all.iter_mut().map(count).collect();
    let mut least = vec![f64::INFINITY; all.len()];
    for _ in 0..ROUNDS {
        for ((decide, count), least) in all.iter_mut().zip(&counts).zip(&mut least) {
            let start = Instant::now();
            for _ in 0..*count {
                black_box(decide());
            }
            *least = least.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(*count));
        }
    }
    least
}

/// Returns the number of calls that fit in a batch.
fn count(decide: &mut Decide) -> u32 {
    let mut count = 1;
    loop {
        let start = Instant::now();
        for _ in 0..count {
            black_box(decide());
        }
        if start.elapsed() > BATCH || count > 1 << 20 {
            return count;
        }
        count *= 2;
    }
}
