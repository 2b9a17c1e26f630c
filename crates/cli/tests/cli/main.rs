//! The command, as its users see it.

mod compile;
mod data;
mod eval;
mod exports;
mod nodes;
mod others;
mod p;
mod support;
mod validate;
mod warm;
mod xpp;
