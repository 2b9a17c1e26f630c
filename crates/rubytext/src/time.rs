//! Timestamps and timespans in nanoseconds: parsing and printing.
//!
//! [`timestamp`] and [`timespan`] implement Puppet's types of that name; [`mod@strftime`] and [`strptime`] are Ruby's. All
//! numbers of nanoseconds are `i128`, so that sums of 64-bit numbers never overflow.

pub mod civil;
pub mod strftime;
pub mod strptime;
pub mod timespan;
pub mod timestamp;
pub mod zone;
mod zone_table;

/// Nanoseconds per second.
pub const SECOND: i128 = 1_000_000_000;
