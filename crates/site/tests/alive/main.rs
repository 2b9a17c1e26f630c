//! A process that stays alive: deadlines, panics, memory, names that only data has, content that environments share.

mod code;
mod deadlines;
mod panics;
mod ruby;
mod sharing;
mod soak;
mod symbols;
