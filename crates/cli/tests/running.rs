//! `kukla serve` as a process: restarts, kills and other faults.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

#[path = "running/fake_puppetdb.rs"]
mod fake_puppetdb;
#[path = "running/faults.rs"]
mod faults;
#[path = "running/foreign.rs"]
mod foreign;
#[path = "running/looking.rs"]
mod looking;
#[path = "running/lost.rs"]
mod lost;
#[path = "../../store/tests/support/postgres.rs"]
#[expect(dead_code, reason = "other tests open stores")]
mod needs_postgresql;
#[path = "running/queue.rs"]
mod queue;
#[path = "running/restarts.rs"]
mod restarts;
#[path = "running/server.rs"]
mod server;

/// Shows how far a long test is.
#[expect(clippy::print_stderr, reason = "the test harness shows it with a failure only")]
fn say(text: &str) {
    eprintln!("{text}");
}
