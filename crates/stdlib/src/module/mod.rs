//! The functions of the stdlib module, those of version 9 and those of version 8 and before.
//!
//! They are there only if the environment has a module `stdlib` that offers them.
//! What stdlib has under the name of a built-in function is not here, since Puppet takes the built-in one.

mod arrays;
mod booleans;
mod catalog;
mod crypt;
mod encodings;
mod ensure;
mod facts;
mod files;
mod hashes;
mod legacy;
mod network;
mod numbers;
mod paths;
mod predicates;
mod random;
mod ranges;
mod removal;
mod ruby_like;
mod selection;
mod sensitive;
mod strings;
mod transliterate;
mod types;
mod validation;

use kukla_compiler::Function;

/// The functions of the stdlib module.
pub const STDLIB: &[&[Function]] = &[
    arrays::FUNCTIONS,
    booleans::FUNCTIONS,
    catalog::FUNCTIONS,
    crypt::FUNCTIONS,
    encodings::FUNCTIONS,
    ensure::FUNCTIONS,
    facts::FUNCTIONS,
    files::FUNCTIONS,
    hashes::FUNCTIONS,
    legacy::FUNCTIONS,
    network::FUNCTIONS,
    numbers::FUNCTIONS,
    paths::FUNCTIONS,
    predicates::FUNCTIONS,
    random::FUNCTIONS,
    ranges::FUNCTIONS,
    removal::FUNCTIONS,
    selection::FUNCTIONS,
    sensitive::FUNCTIONS,
    strings::FUNCTIONS,
    types::FUNCTIONS,
    validation::FUNCTIONS,
];
