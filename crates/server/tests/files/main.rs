//! Files, buckets, reports and code information, function by function: answers are compared with recorded ones of
//! Puppet 7.23 (`tests/oracle/agents/agents.rb`).

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

mod attacks;
mod bucket;
mod code;
mod recorded;
mod reports;
mod speed;
mod tree;
