//! The command, as its users see it.

mod compile;
mod data;
mod eval;
mod others;
mod p;
mod support;
mod validate;
mod xpp;
