//! Names of the methods of Ruby's own classes, also of those that the interpreter lacks.
//!
//! They distinguish a method that only the interpreter lacks from one that Ruby lacks too, and answer `respond_to?`.
//! `tests/oracle/ruby/names.rb` writes the table.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

const TABLE: &str = include_str!("names/methods.txt");

type Words = HashSet<&'static str, FixedState>;

/// The lines of the table, by their first word: `Array#`, `File.`, `Kernel!`, `constants`.
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

/// Returns true if a class defines an instance method itself, not by inheritance.
pub(crate) fn has_method(class: &str, name: &str) -> bool {
    METHODS.contains(name) && has(&format!("{class}#"), name)
}

/// Returns true if a class or module has a class method.
pub(crate) fn has_own_method(class: &str, name: &str) -> bool {
    METHODS.contains(name) && has(&format!("{class}."), name)
}

/// Returns true for a function that can be called without a receiver.
pub(crate) fn is_kernel_function(name: &str) -> bool {
    has("Kernel!", name)
}

/// Returns true if Ruby has a top-level constant of that name.
pub(crate) fn is_constant(name: &str) -> bool {
    has("constants", name)
}

/// Returns true if any class of Ruby or Puppet has a method of that name.
pub(crate) fn is_anywhere(name: &str) -> bool {
    METHODS.contains(name)
}
