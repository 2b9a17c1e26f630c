//! Lookups from the outside: one program for all tests, one module per subject.

mod hostile;
mod pdl;
mod recorded;
mod short;
mod support;
