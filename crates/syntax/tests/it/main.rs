//! The parser from the outside: one program for all tests, one module per subject.

mod explain;
mod limits;
mod recovery;
