//! The command, as its users see it.

mod others;
mod p;
mod support;
mod validate;
mod xpp;
