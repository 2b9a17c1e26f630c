//! Tests of the whole: text in, what Ruby said out.

mod limits;
mod strings;
mod validity;
