//! Functions from the outside: one program for all tests, one module per subject.

mod limits;
mod module;
