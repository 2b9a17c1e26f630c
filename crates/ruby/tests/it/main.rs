//! The interpreter from the outside: one program for all tests, one module per subject.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

mod changes;
mod expressions;
mod limits;
mod process;
