//! Points in time and durations.

use std::fmt;

use kukla_rubytext::time::{timespan, timestamp};

/// A point in time: nanoseconds since the beginning of 1970.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Timestamp(pub i128);

/// A duration in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Timespan(pub i128);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&timestamp::to_s(self.0).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Display for Timespan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&timespan::to_s(self.0).map_err(|_| fmt::Error)?)
    }
}
