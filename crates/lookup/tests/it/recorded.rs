//! Lookups compared with recorded answers of real Puppet: values, errors, explanations and logs.
//!
//! The answers are recorded by `tests/oracle/lookup.rb record`. `KUKLA_SHOW=N` shows more differences, and
//! `KUKLA_LOOKUPS=FILE` names another file of cases with answers.

use crate::support::{check, check_file};

#[test]
fn functions_give_data() {
    check("backends");
}

#[test]
fn arguments_of_lookup() {
    check("calls");
}

#[test]
fn configuration_of_version_5() {
    check("config");
}

#[test]
fn encrypted_values() {
    check("eyaml");
}

#[test]
fn interpolation_in_values() {
    check("interpolate");
}

#[test]
fn keys_with_dots_and_quotes() {
    check("keys");
}

#[test]
fn layers_and_default_hierarchy() {
    check("layers");
}

#[test]
fn paths_globs_uris_and_mapped_paths() {
    check("locations");
}

#[test]
fn merges() {
    check("merge");
}

#[test]
fn options_in_data() {
    check("options");
}

#[test]
fn versions_3_and_4() {
    check("versions");
}

#[test]
fn yaml_as_psych_reads_it() {
    check("yaml");
}

#[test]
fn backends_hierarchies_and_merges_of_old() {
    check("old");
}

#[test]
fn options_of_all_layers_conversions_and_json() {
    check("together");
}

#[test]
fn data_of_others() {
    if let Some(path) = std::env::var_os("KUKLA_LOOKUPS") {
        check_file(path.as_ref());
    }
}
