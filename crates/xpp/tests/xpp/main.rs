//! Trees that were written to a file and read back.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

mod damage;
mod envelope;
mod equal;
mod round_trip;
mod sources;
