//! Methods that Ruby's own classes have, whether or not the interpreter has them.
//!
//! They tell a method that is missing here from one that is missing in Ruby too, and answer `respond_to?`.
//! `tests/oracle/ruby/names.rb` writes the table.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

const TABLE: &str = include_str!("names/methods.txt");

type Words = HashSet<&'static str, FixedState>;

/// The lines of the table, by what they begin with: `Array#`, `File.`, `Kernel!`, `constants`.
static LINES: LazyLock<HashMap<&'static str, Words, FixedState>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(head, names)| (head, names.split_ascii_whitespace().collect())).collect()
});

/// The names in all lines that list methods.
static METHODS: LazyLock<Words> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with("constants "));
    lines.flat_map(|line| line.split_ascii_whitespace().skip(1)).collect()
});

fn has(head: &str, name: &str) -> bool {
    LINES.get(head).is_some_and(|names| names.contains(name))
}

/// Returns whether instances of a class have a method, not counting what it inherits.
pub(crate) fn has_method(class: &str, name: &str) -> bool {
    METHODS.contains(name) && has(&format!("{class}#"), name)
}

/// Returns whether a class or module itself has a method.
pub(crate) fn has_own_method(class: &str, name: &str) -> bool {
    METHODS.contains(name) && has(&format!("{class}."), name)
}

/// Returns whether it is a function that can be called without a receiver.
pub(crate) fn is_kernel_function(name: &str) -> bool {
    has("Kernel!", name)
}

/// Returns whether Ruby has a constant of that name at the top.
pub(crate) fn is_constant(name: &str) -> bool {
    has("constants", name)
}

/// Returns whether any class of Ruby's or Puppet's has a method of that name.
pub(crate) fn is_anywhere(name: &str) -> bool {
    METHODS.contains(name)
}
