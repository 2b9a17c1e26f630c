//! `cargo xtask bench`: how fast, beside real Puppet.

use anyhow::Result;

use crate::shell::{cargo, run, say};

/// Measure speed and memory, beside real Puppet where there is one.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    /// What the benchmark takes (`cargo xtask bench -- --help`)
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl Bench {
    pub(crate) fn run(&self) -> Result<bool> {
        say("building in release mode");
        // One build for both, so that they share the features of their dependencies.
        let build = ["build", "--quiet", "--release", "--package=kukla", "--package=kukla-bench"];
        if !run(cargo().args(build))? {
            return Ok(false);
        }
        let bench = ["run", "--quiet", "--release", "--package=kukla-bench", "--"];
        run(cargo().args(bench).args(&self.arguments))
    }
}
