//! The machine's clocks: deadlines, durations and pauses.
//!
//! Code that a compilation runs asks [`World::now`](crate::World::now) for the time of day, which is recorded.

use std::time::{Duration, Instant, SystemTime};

/// Returns the deadline that is `after` from now; none if the clock can't count that far.
pub fn deadline(after: Duration) -> Option<Instant> {
    Instant::now().checked_add(after)
}

/// Returns whether a deadline has passed.
pub fn is_past(deadline: Instant) -> bool {
    Instant::now() >= deadline
}

/// Returns the time of day, to be compared with times of files.
pub fn time_of_day() -> SystemTime {
    SystemTime::now()
}

/// Stops this thread for a while.
pub fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// A clock that counts from its start.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts to count.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
