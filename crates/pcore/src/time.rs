//! Points in time and durations.

/// A point in time: nanoseconds since the beginning of 1970.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Timestamp(pub i128);

/// A duration in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Timespan(pub i128);
