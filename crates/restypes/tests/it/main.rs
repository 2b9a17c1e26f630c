//! Resource types from the outside: one program for all tests, one module per subject.

mod read;
mod types;
