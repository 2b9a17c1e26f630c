//! The authority beside OpenSSL, Ruby and the answers of real Puppet Server.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests make directories and run OpenSSL, and fail by panicking"
)]

mod autosign;
mod crash;
mod directories;
mod hostile;
mod needs_openssl;
mod needs_ruby;
mod requests;
mod scratch;
mod upper;
