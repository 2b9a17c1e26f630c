//! Trees that were written to a file and read back.

mod damage;
mod envelope;
mod equal;
mod round_trip;
mod sources;
