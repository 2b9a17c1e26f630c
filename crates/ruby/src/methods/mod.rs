//! Ruby's own methods, a file a class.
//!
//! Each `…_method` gives `None` for a name that it does not have, so that the next class in line is asked.

mod array;
mod array_change;
mod arrays;
mod big;
mod bytes;
mod chars;
mod class;
mod enumerable;
mod enumerable_all;
mod enumerable_groups;
mod enumerable_order;
mod enumerable_some;
mod exception;
mod float;
mod format;
mod hash;
mod hash_change;
mod integer;
mod kernel;
mod known;
mod numbers;
mod object;
pub(crate) mod pack;
mod proc;
mod puppet;
mod range;
mod regexp;
mod scalar;
mod string;
mod string_index;
mod string_match;
mod string_set;
mod tools;

pub(crate) use enumerable::is_iterator;
pub(crate) use regexp::escape;
