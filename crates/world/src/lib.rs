//! The machine outside of a compilation: files, clock, randomness, processes, threads.

mod pool;

pub use pool::Pool;
