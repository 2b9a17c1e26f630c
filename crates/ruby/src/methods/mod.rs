//! Ruby's own methods: one file per class, each with a table of its rows.
//!
//! [`mod@registry`] puts the rows together, by the class of the receiver. To add a method, add a row to the file of its class.

mod array;
mod array_change;
mod array_combine;
mod arrays;
mod big;
mod byte_texts;
mod bytes;
mod chars;
mod class;
mod comparable;
mod constructors;
mod enumerable_all;
mod enumerable_groups;
mod enumerable_order;
mod enumerable_some;
mod enumerator;
mod exception;
mod float;
mod format;
mod hash;
mod hash_change;
mod hash_select;
mod integer;
mod kernel;
mod module;
mod number;
mod object;
pub(crate) mod pack;
mod proc;
mod puppet;
mod range;
mod receiver;
mod regexp;
mod registry;
mod scalar;
mod scope;
mod set;
mod string;
mod string_change;
mod string_convert;
mod string_index;
mod string_match;
mod string_set;
mod structs;
pub(crate) mod table;
pub(crate) mod tools;

pub(crate) use regexp::escape;
pub(crate) use registry::registry;
pub(crate) use scope::texts;
