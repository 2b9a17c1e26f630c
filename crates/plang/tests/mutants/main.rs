//! The checker finds defects that are put into good policies.
//!
//! Every operator is applied at every possible place of the fifty policies of `tests/policies.md`. A defect counts as
//! found when the checker reports anything: it reports nothing about the policies themselves.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

mod operators;

use std::collections::BTreeMap;

use kukla_plang::{Options, Registry, check};
use operators::OPERATORS;

struct Policy {
    title: String,
    text: String,
}

fn policies() -> (Vec<Policy>, Options) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/policies.md");
    let text = std::fs::read_to_string(path).expect("the policies can be read");
    let mut policies = Vec::new();
    let mut options = Options::default();
    for section in text.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap_or_default().to_owned();
        let block = section.split("```").nth(1).expect("a section has a block");
        let (kind, text) = block.split_once('\n').expect("a block has lines");
        match kind {
            "toml" => options.registry = Some(Registry::parse(text).expect("it is valid")),
            _ => policies.push(Policy { title, text: text.to_owned() }),
        }
    }
    (policies, options)
}

#[test]
fn good_policies_have_no_complaints() {
    let (policies, options) = policies();
    assert!(policies.len() >= 50, "there are {}", policies.len());
    let mut complaints = Vec::new();
    for Policy { title, text } in &policies {
        let checked = check(text, &options);
        assert!(checked.program.is_some(), "{title}");
        let found = checked.diagnostics.iter();
        complaints.extend(found.map(|diagnostic| format!("{title}: {}", diagnostic.message)));
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn most_defects_are_found() {
    let (policies, options) = policies();
    let (mut n_seeded, mut n_found) = (0, 0);
    let mut missed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Policy { title, text } in &policies {
        for (name, operator) in OPERATORS {
            for mutant in operator(text) {
                n_seeded += 1;
                if check(&mutant, &options).diagnostics.is_empty() {
                    missed.entry(name).or_default().push(format!("{title}:\n{mutant}"));
                } else {
                    n_found += 1;
                }
            }
        }
    }
    let counts: Vec<String> =
        missed.iter().map(|(name, list)| format!("{name}: {}", list.len())).collect();
    println!("{n_found} of {n_seeded} found; missed {counts:?}");
    for (name, list) in &missed {
        println!("--- {name}\n{}", list.first().map_or("", String::as_str));
    }
    assert!(n_seeded >= 200, "{n_seeded}");
    assert!(n_found * 100 >= n_seeded * 95, "{n_found} of {n_seeded}; missed {counts:?}");
}
