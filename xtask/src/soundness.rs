//! `cargo xtask soundness`: whether every change of a catalog shows in its record.

use anyhow::Result;
use kukla_tests::soundness::{self, Plan};

use crate::shell::{progress, say};

/// Change files, data and facts of real nodes at random: a change of the catalog has to show in its record.
///
/// Needs Debian's `puppet-module-*`. Exits with 1 if a catalog changes though no answer in its record does.
#[derive(Debug, clap::Args)]
pub(crate) struct Soundness {
    /// How many changes are made, each to a copy of its own
    #[arg(long, default_value_t = SOME)]
    mutations: u64,
    /// The number of the first; another one makes other changes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take the questions of this kind out of all records, to see that the check finds what is missing then
    #[arg(long, value_name = "KIND")]
    without: Option<String>,
}

/// So many take less than a minute in a debug build.
const SOME: u64 = 1000;

impl Soundness {
    pub(crate) fn run(&self) -> Result<bool> {
        let Self { mutations, seed, without } = self;
        check(Plan { mutations: *mutations, seed: *seed, without: without.as_deref() })
    }
}

/// Whether some records are sound.
pub(crate) fn some_are_sound() -> Result<bool> {
    check(Plan { mutations: SOME, seed: 1, without: None })
}

fn check(plan: Plan<'_>) -> Result<bool> {
    let total = usize::try_from(plan.mutations).unwrap_or(usize::MAX);
    let done = |n: u64| progress("mutations", usize::try_from(n).unwrap_or(0), total);
    let report = soundness::check(plan, &done)?;
    report.to_string().lines().for_each(|line| say(&format!("  {line}")));
    Ok(report.violations.is_empty())
}
