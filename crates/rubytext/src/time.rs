//! Timestamps and timespans: nanoseconds, and the texts they are read from and printed to.
//!
//! [`timestamp`] and [`timespan`] are what Puppet's types of that name do; [`mod@strftime`] and [`strptime`] are Ruby's.
//! All numbers of nanoseconds are `i128`, so that sums of what fits in 64 bits never overflow.

pub mod civil;
pub mod strftime;
pub mod strptime;
pub mod timespan;
pub mod timestamp;
pub mod zone;
mod zone_table;

/// Nanoseconds of a second.
pub const SECOND: i128 = 1_000_000_000;
