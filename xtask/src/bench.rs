//! `cargo xtask bench`: how fast, beside real Puppet.

use anyhow::Result;

use crate::shell::{cargo, run, say};
use crate::xpp;

/// Measure speed and memory, beside real Puppet where there is one.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    /// Only measure what the plugin puppet-xpp saves in Puppet
    #[arg(long)]
    plugin: bool,
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
        Ok((self.plugin || self.measure()?) && xpp::plugin_bench()?)
    }

    fn measure(&self) -> Result<bool> {
        let bench = ["run", "--quiet", "--release", "--package=kukla-bench", "--"];
        run(cargo().args(bench).args(&self.arguments))
    }
}
