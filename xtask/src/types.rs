//! `cargo xtask compare types`: the type system, compared with real Puppet.

use std::collections::BTreeMap;

use anyhow::Result;
use kukla_tests::types::{self, Parting};

use crate::shell::say;

/// Compares the answers to `count` questions and prints the differences, most frequent first.
pub(crate) fn compare(seed: u64, count: u64, show: usize) -> Result<bool> {
    let seeds = seed..seed.saturating_add(count);
    let accesses = types::access::compare(seed..seed.saturating_add(count / 4))?;
    let mut outcome = types::compare(seeds)?;
    outcome.extend(accesses);
    let mut by_what: BTreeMap<&str, Vec<&Parting>> = BTreeMap::new();
    for parting in &outcome.partings {
        by_what.entry(&parting.what).or_default().push(parting);
    }
    for (what, mut partings) in by_what {
        say(&format!("{what}: {} differ", partings.len()));
        partings.sort_by_key(|parting| {
            let question = &parting.question;
            question.a.len() + question.b.len() + question.value.len()
        });
        for parting in partings.into_iter().take(show) {
            let question = &parting.question;
            say(&format!("  a: {}\n  b: {}\n  value: {}", question.a, question.b, question.value));
            say(&format!("    puppet: {}\n    kukla:  {}", parting.puppet, parting.ours));
        }
    }
    say(&format!(
        "{} questions, {} answers compared, {} differ; Puppet breaks down at {}",
        outcome.n_questions,
        outcome.n_answers,
        outcome.partings.len(),
        outcome.n_broken
    ));
    Ok(outcome.partings.is_empty())
}
