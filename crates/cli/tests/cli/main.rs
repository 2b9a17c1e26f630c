//! The command, as its users see it.

mod eval;
mod others;
mod support;
mod validate;
mod xpp;
