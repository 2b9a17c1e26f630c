//! The functions of the stdlib module, those of version 9 and those of version 8 and before.
//!
//! They are there only if the environment has a module `stdlib` that offers them: [`find`] gives the function that
//! stands in for one file of that module. Nothing else of the module is here; its types are read from its own files.
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
mod known;
mod legacy;
mod network;
mod nine;
mod nine_checks;
mod numbers;
mod offers;
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

use kukla_compiler::{Function, Kind};

/// A kind of file that a module keeps functions in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum File {
    /// `lib/puppet/parser/functions/name.rb`, the old way to write functions in Ruby.
    Old,
    /// `lib/puppet/functions/name.rb` and `lib/puppet/functions/stdlib/name.rb`, which is `stdlib::name`.
    New,
    /// `functions/name.pp`, which is `stdlib::name`.
    Puppet,
}

/// Versions of stdlib that have the same functions under the same names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generation {
    /// Version 8 and those before.
    Eight,
    /// Version 9, which calls most functions `stdlib::name`.
    Nine,
}

impl Generation {
    /// The generation of a version, as it stands in the `metadata.json` of the module.
    pub fn of(version: &str) -> Self {
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_some_and(|major| major < 9) { Self::Eight } else { Self::Nine }
    }
}

/// The function that stands in for a file of stdlib of this text; `None` if Ruby has to run it.
pub fn stand_in(
    name: &str,
    file: File,
    generation: Generation,
    text: &str,
) -> Option<&'static Function> {
    find(name, file, generation).filter(|_| known::is_known(name, file, generation, text))
}

/// The function that stands in for a file of stdlib; `None` if there is none, and Ruby has to run the file.
///
/// `name` is the name that the file defines. Where a module has one name in several kinds of files, Puppet takes
/// [`File::New`] before [`File::Puppet`] before [`File::Old`], and so must the caller. Most old files of which there is
/// a new one are not here.
///
/// ```
/// use kukla_stdlib::module::{File, Generation, find};
///
/// assert!(find("pick", File::Old, Generation::of("8.5.0")).is_some());
/// assert!(find("has_key", File::Old, Generation::of("9.7.0")).is_none());
/// ```
pub fn find(name: &str, file: File, generation: Generation) -> Option<&'static Function> {
    let is_offered = offers::OFFERS.iter().any(|(kind, generations, names)| {
        *kind == file && generations.contains(&generation) && names.contains(&name)
    });
    let mut rows = tables(generation).flatten();
    rows.find(|row| is_offered && row.name == name && fits(row, file))
}

/// All functions that [`find`] knows of a generation, by name; one of each name, the one that Puppet takes.
pub fn functions(generation: Generation) -> Vec<&'static Function> {
    let mut names: Vec<&'static str> = offers::OFFERS
        .iter()
        .filter(|(_, generations, _)| generations.contains(&generation))
        .flat_map(|(_, _, names)| names.iter().copied())
        .collect();
    names.sort_unstable();
    names.dedup();
    let in_order = [File::New, File::Puppet, File::Old];
    names
        .into_iter()
        .filter_map(|name| in_order.iter().find_map(|file| find(name, *file, generation)))
        .collect()
}

/// Whether a row is written for such a file.
fn fits(row: &Function, file: File) -> bool {
    matches!(row.kind, Kind::Untyped { .. }) == (file == File::Old)
}

/// The tables of a generation; what is first counts.
fn tables(generation: Generation) -> impl Iterator<Item = &'static [Function]> {
    let own: &[&[Function]] = match generation {
        Generation::Eight => &[],
        Generation::Nine => &[nine::FUNCTIONS, ensure::NINE, nine_checks::FUNCTIONS],
    };
    own.iter().copied().chain(TABLES.iter().copied())
}

/// The functions of stdlib 8, and all that stdlib 9 calls `stdlib::name`.
const TABLES: &[&[Function]] = &[
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
