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
mod nine;
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

/// The functions of stdlib 8, and all that stdlib 9 calls `stdlib::name`.
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

/// What stdlib 9 does differently: these replace those of [`STDLIB`] that have the same name.
pub const STDLIB_9: &[&[Function]] = &[nine::FUNCTIONS];
