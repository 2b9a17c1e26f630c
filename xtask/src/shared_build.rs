//! Test: `cargo xtask` shares its build with `cargo test --workspace`.
//!
//! Cargo unites the features that all selected packages request. If the workspace requests more than this package, such
//! as `extra_traits` of libc, dependencies with other features are different crates, and everything above them is built
//! twice: a minute of every run in a clean checkout.

use std::collections::{BTreeMap, BTreeSet};

use crate::shell::cargo;

/// Returns the features of each third-party package by name and version.
fn features(selection: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut command = cargo();
    command.args(["tree", "--locked", "--prefix=none", "--no-dedupe"]);
    command.args(["--format", "{p}|{f}"]).args(selection);
    let output = command.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("names are text");
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.contains(" (/")) {
        let Some((package, features)) = line.split_once('|') else { continue };
        let features = features.split(',').filter(|feature| !feature.is_empty());
        packages.entry(package.to_owned()).or_default().extend(features.map(str::to_owned));
    }
    packages
}

#[test]
fn dependencies_have_the_features_that_the_workspace_asks_for() {
    let own = features(&["--package=xtask", "--edges=normal,build"]);
    let all = features(&["--workspace", "--edges=normal,build,dev"]);
    assert!(own.len() > 20, "{} packages", own.len());
    let missing: Vec<String> = own
        .iter()
        .filter_map(|(package, features)| {
            let missing: Vec<&str> =
                all.get(package)?.difference(features).map(String::as_str).collect();
            (!missing.is_empty()).then(|| format!("{package}: {}", missing.join(", ")))
        })
        .collect();
    assert!(missing.is_empty(), "xtask/Cargo.toml must ask for these features too: {missing:#?}");
}
