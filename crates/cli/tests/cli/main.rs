//! The command, as its users see it.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

mod access;
mod attacks;
mod ca;
mod compile;
mod convert;
mod data;
mod data_nodes;
mod editions;
mod errors;
mod eval;
mod exports;
mod nodes;
mod opened;
mod origins;
mod others;
mod p;
mod p_doors;
mod p_mail;
mod pdl;
mod real_ruby;
mod requests;
mod store;
mod support;
mod validate;
mod warm;
mod xpp;
