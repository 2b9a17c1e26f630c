//! Checks of `cargo xtask test` on catalogs of Debian's modules.

use anyhow::Result;
use kukla_tests::catalog::{corpus, digests, origins};
use kukla_tests::known_differences::CATALOGS;
use kukla_tests::modules;

use crate::catalogs::{Catalogs, build};
use crate::shell::say;

/// Number of cases that both sides compile.
const SAMPLE: usize = 60;
/// Nodes of tests/spec/catalogs whose catalogs Puppet's agent applies: one takes seconds.
const APPLIED: [&str; 3] = ["node plain1.", "node web1.", "node pg1."];

/// Whether all catalogs equal the digests, except for known differences.
pub(crate) fn are_as_recorded() -> Result<bool> {
    build()?;
    let recorded = Catalogs::default().with_digests()?;
    say(&recorded.score.to_string());
    let faults = CATALOGS.faults(&recorded.cases, &recorded.differing)?;
    faults.iter().for_each(|fault| say(&format!("  {fault}")));
    if !faults.is_empty() {
        say_other_packages()?;
    }
    Ok(faults.is_empty())
}

/// Lists packages whose installed version differs from the recorded one.
fn say_other_packages() -> Result<()> {
    let installed = modules::packages();
    for package in digests::packages(corpus::FACTS[0])? {
        if !installed.contains(&package) {
            say(&format!("  recorded with `{package}`, which is not installed"));
        }
    }
    Ok(())
}

/// Whether real Puppet accepts some of our catalogs.
pub(crate) fn some_are_applied() -> Result<bool> {
    build()?;
    let filter = APPLIED.iter().map(ToString::to_string).collect();
    Catalogs { filter, facts: vec!["debian12".to_owned()], ..Catalogs::default() }.apply()
}

/// Whether the digests equal Puppet's current answers, and both sides agree as before, on a few cases.
pub(crate) fn live_sample() -> Result<bool> {
    build()?;
    let sample = Catalogs { sample: Some(SAMPLE), needs_ruby: Some(false), ..Catalogs::default() };
    let (live, recorded) = (sample.live()?, sample.with_digests()?);
    say(&live.score.to_string());
    let changed: Vec<&String> = live.differing.symmetric_difference(&recorded.differing).collect();
    changed
        .iter()
        .for_each(|name| say(&format!("  {name}: Puppet no longer says what was recorded")));
    Ok(changed.is_empty())
}

/// Whether at least 99 % of the values of real nodes are traced to the place where they were written.
pub(crate) fn values_are_traced() -> Result<bool> {
    build()?;
    let found = origins::count()?;
    found.others.iter().for_each(|other| say(&format!("  not traced: {other}")));
    say(&format!("  {} of {} parameters are traced", found.traced(), found.all));
    Ok(found.traced() * 100 >= found.all * 99)
}
