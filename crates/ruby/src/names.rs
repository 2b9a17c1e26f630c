//! Which methods Ruby's own classes have, whether or not the interpreter knows them.
//!
//! Only asked when a method was not found, so it need not be quick. `tests/oracle/ruby/names.rb` writes the table.

const TABLE: &str = include_str!("names/methods.txt");

fn line(head: &str, mark: char) -> impl Iterator<Item = &'static str> {
    let found = TABLE.lines().find_map(|line| line.strip_prefix(head)?.strip_prefix(mark));
    found.unwrap_or_default().split_ascii_whitespace()
}

/// Whether instances of a class have a method, not counting what it inherits.
pub(crate) fn has_method(class: &str, name: &str) -> bool {
    line(class, '#').any(|known| known == name)
}

/// Whether a class or module itself has a method.
pub(crate) fn has_own_method(class: &str, name: &str) -> bool {
    line(class, '.').any(|known| known == name)
}

/// Whether it is a function that can be called without a receiver.
pub(crate) fn is_kernel_function(name: &str) -> bool {
    line("Kernel", '!').any(|known| known == name)
}

/// Whether Ruby has a constant of that name at the top.
pub(crate) fn is_constant(name: &str) -> bool {
    line("constants", ' ').any(|known| known == name)
}

/// Whether any class of Ruby's or Puppet's has a method of that name.
pub(crate) fn is_anywhere(name: &str) -> bool {
    let methods = TABLE.lines().filter(|line| !line.starts_with("constants "));
    methods.flat_map(|line| line.split_ascii_whitespace().skip(1)).any(|known| known == name)
}
