//! `cargo xtask profile`: runs Kukla once with counters in its code, for the compiler (profile/README.md).

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{cargo, root, run, say, succeeds};

/// Count what runs how often, for the optimiser
///
/// Builds Kukla with counters, runs the benchmarks without Puppet, and writes profile/kukla.profdata, which every
/// release build uses. Needs Debian's modules and its package `llvm-19`.
#[derive(Debug, clap::Args)]
pub(crate) struct Profile {
    /// The program that merges the counts
    #[arg(long, value_name = "PROGRAM", default_value = "llvm-profdata-19")]
    merge_with: String,
}

/// What is counted: what users wait for. Each list is one run of the benchmark.
///
/// What counts little beside all else is taken for rare: so loading, which is over in no time, is run for longer.
const RUNS: [&[&str]; 5] = [
    &["--catalogs"],
    &["--erb"],
    &["--eval", "--seconds", "0.1"],
    &["--data", "--seconds", "0.1"],
    &["--loading", "--seconds", "1.5"],
];

impl Profile {
    pub(crate) fn run(&self) -> Result<bool> {
        let merge = &self.merge_with;
        let install = "Debian's package `llvm-19` has it";
        anyhow::ensure!(succeeds(merge, &["merge", "--help"]), "cannot start `{merge}`: {install}");
        let target = root().join("target/counting");
        let counts = target.join("counts");
        if counts.exists() {
            std::fs::remove_dir_all(&counts)
                .context("cannot remove the counts of the last time")?;
        }
        say("building with counters");
        let build = ["build", "--quiet", "--release", "--package=kukla", "--package=kukla-bench"];
        let mut build_command = cargo();
        build_command.args(build).arg("--target-dir").arg(&target);
        if !run(build_command.env("KUKLA_COUNT_INTO", &counts))? {
            return Ok(false);
        }
        for arguments in RUNS {
            say(&format!("counting: {}", arguments.join(" ")));
            let mut bench = Command::new(target.join("release/kukla-bench"));
            bench.args(arguments).arg("--no-puppet").current_dir(root());
            if !run(bench.env("KUKLA", target.join("release/kukla")))? {
                return Ok(false);
            }
        }
        self.merge(&counts)
    }

    /// Writes the profile, under another name first.
    fn merge(&self, counts: &Path) -> Result<bool> {
        let profile = root().join("profile/kukla.profdata");
        let new = profile.with_extension("new");
        let mut merge = Command::new(&self.merge_with);
        merge.args(["merge", "--sparse", "--output"]).arg(&new).arg(counts);
        let is_merged = run(&mut merge)?;
        if is_merged {
            std::fs::rename(&new, &profile).context("cannot rename the profile")?;
            say(
                "profile/kukla.profdata is written; `cargo clean --release`, and the next build uses it",
            );
        }
        Ok(is_merged)
    }
}
