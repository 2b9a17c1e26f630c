//! Lookups from the outside: one program for all tests, one module per subject.

mod fast_path;
mod hostile;
mod pdl;
mod recorded;
mod support;
