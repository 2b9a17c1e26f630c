//! Unit tests of the whole interface, with answers of Ruby.

mod limits;
mod strings;
mod validity;
