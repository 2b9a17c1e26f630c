//! The interpreter from the outside: one program for all tests, one module per subject.

mod changes;
mod expressions;
mod limits;
