//! `cargo xtask bench`: measures speed, compared with real Puppet.

use std::process::Command;

use anyhow::Result;

use crate::shell::{root, run};
use crate::{dist, gain, xpp};

/// Measure speed and memory of target/dist/kukla, compared with real Puppet if it is installed.
///
/// Builds the program by `cargo xtask dist` if it is missing.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    /// Only measure the gain of the plugin puppet-xpp in Puppet
    #[arg(long)]
    plugin: bool,
    /// Only measure the gain of the profile `dist` over `release`
    #[arg(long)]
    dist: bool,
    /// Arguments of the benchmark (`cargo xtask bench -- --help`)
    #[arg(last = true)]
    arguments: Vec<String>,
}

impl Bench {
    pub(crate) fn run(&self) -> Result<bool> {
        if self.dist {
            return gain::measure();
        }
        if !dist::ensure_built()? {
            return Ok(false);
        }
        Ok((self.plugin || self.measure()?) && xpp::plugin_bench()?)
    }

    fn measure(&self) -> Result<bool> {
        let mut bench = Command::new(dist::program("kukla-bench"));
        run(bench.args(&self.arguments).current_dir(root()))
    }
}
