//! The command, as its users see it.

mod others;
mod support;
mod validate;
mod xpp;
