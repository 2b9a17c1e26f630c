//! The files of the stdlib module that have native versions.

use kukla_compiler::Kind;
use kukla_stdlib::module::{File, Generation, find, functions};

#[test]
fn a_version_has_a_generation() {
    assert_eq!(Generation::of("4.25.1"), Generation::Eight);
    assert_eq!(Generation::of("8.5.0"), Generation::Eight);
    assert_eq!(Generation::of("9.0.0"), Generation::Nine);
    assert_eq!(Generation::of("10.1.0-rc1"), Generation::Nine);
}

#[test]
fn the_kind_of_file_decides() {
    let is_native = |name, file, generation| find(name, file, generation).is_some();
    assert!(is_native("merge", File::New, Generation::Eight));
    assert!(!is_native("stdlib::merge", File::New, Generation::Eight));
    assert!(is_native("stdlib::merge", File::New, Generation::Nine));
    assert!(is_native("fqdn_rotate", File::Old, Generation::Eight));
    assert!(!is_native("fqdn_rotate", File::New, Generation::Eight));
    assert!(is_native("fqdn_rotate", File::New, Generation::Nine));
    assert!(is_native("stdlib::ensure", File::Puppet, Generation::Eight));
    assert!(!is_native("stdlib::time", File::Puppet, Generation::Eight));
    assert!(!is_native("no_such", File::Old, Generation::Nine));
}

#[test]
fn old_files_have_functions_of_the_old_kind() {
    for generation in [Generation::Eight, Generation::Nine] {
        for row in functions(generation) {
            let is_old = find(row.name, File::Old, generation).is_some();
            assert_eq!(is_old, matches!(row.kind, Kind::Untyped { .. }), "{}", row.name);
        }
    }
}

#[test]
fn every_function_of_both_generations_is_there() {
    // Counted in stdlib 8.5.0 and 9.7.0, without functions with the names of built-in ones, and without `glob`,
    // `validate_augeas`, `validate_cmd` and `validate_x509_rsa_key_pair`, whose files are run as Ruby.
    assert_eq!(functions(Generation::Eight).len(), 132);
    assert_eq!(functions(Generation::Nine).len(), 128);
}
