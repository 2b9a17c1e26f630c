//! Functions and compilations from the outside: one program for all tests, one module per subject.

mod builder;
mod errors;
mod explain;
mod limits;
mod module;
mod support;
