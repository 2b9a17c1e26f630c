//! A process that stays alive: deadlines, panics, memory, names that only data has, content that environments share.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::format_push_string,
    clippy::print_stdout,
    reason = "tests read and write files, run programs, measure time and print what they measure"
)]

mod code;
mod deadlines;
mod panics;
mod queries;
mod ruby;
mod sharing;
mod soak;
mod symbols;
