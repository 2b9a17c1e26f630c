//! Native versions of the functions of the stdlib module, for version 9 and for versions up to 8.
//!
//! They exist only if the environment has a module `stdlib` that offers them: [`find`] returns the native version of one file
//! of that module. The module's types are read from its own files. Functions of stdlib with the name of a built-in one are
//! left out, since Puppet prefers the built-in one.

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

/// The kinds of files in which a module has functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum File {
    /// `lib/puppet/parser/functions/name.rb`, a Ruby function of the 3.x API.
    Old,
    /// `lib/puppet/functions/name.rb` and `lib/puppet/functions/stdlib/name.rb`, which is `stdlib::name`.
    New,
    /// `functions/name.pp`, which is `stdlib::name`.
    Puppet,
}

/// Generations of stdlib, with equal functions and names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generation {
    /// Version 8 and those before.
    Eight,
    /// Version 9, which calls most functions `stdlib::name`.
    Nine,
}

impl Generation {
    /// Returns the generation of a version, as in the `metadata.json` of the module.
    pub fn of(version: &str) -> Self {
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_some_and(|major| major < 9) { Self::Eight } else { Self::Nine }
    }
}

/// Returns the native version of a file of stdlib with this text; `None` if Ruby has to run it.
pub fn stand_in(
    name: &str,
    file: File,
    generation: Generation,
    text: &str,
) -> Option<&'static Function> {
    find(name, file, generation).filter(|_| known::is_known(name, file, generation, text))
}

/// Returns the native version of a file of stdlib; `None` if there is none, and Ruby has to run the file.
///
/// `name` is the name that the file defines. If a module has one name in several kinds of files, Puppet prefers
/// [`File::New`] to [`File::Puppet`] to [`File::Old`], and so must the caller. Most old files with a new counterpart are not
/// covered.
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

/// Returns all functions of [`find`] for a generation, one per name: the one that Puppet prefers.
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

/// Returns true if a row is for such a file.
fn fits(row: &Function, file: File) -> bool {
    matches!(row.kind, Kind::Untyped { .. }) == (file == File::Old)
}

/// Returns the tables of a generation; the first match counts.
fn tables(generation: Generation) -> impl Iterator<Item = &'static [Function]> {
    let own: &[&[Function]] = match generation {
        Generation::Eight => &[],
        Generation::Nine => &[nine::FUNCTIONS, ensure::NINE, nine_checks::FUNCTIONS],
    };
    own.iter().copied().chain(TABLES.iter().copied())
}

/// The functions of stdlib 8, and all that are `stdlib::name` in stdlib 9.
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
