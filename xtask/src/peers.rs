//! `cargo xtask test --peers`: tests beside other servers, which take minutes.

use std::path::Path;

use anyhow::Result;

use crate::packages;
use crate::shell::{cargo, run, say};

/// Puppet Server of Debian's package.
const PUPPET_SERVER: &str = "/usr/share/puppetserver/puppetserver.jar";

/// Runs all tests whose names begin with `peers_`; they are marked `#[ignore]`.
pub(crate) fn run_all() -> Result<bool> {
    if !Path::new(PUPPET_SERVER).exists() {
        packages::can_install()?;
        packages::install(&["puppetserver"], &[])?;
    }
    say("  Puppet Server takes a minute or more to start");
    let mut are_passed = true;
    // Scenarios of agents, and servers that fail while agents run.
    for test in ["agents", "fleet", "running"] {
        let mut command = cargo();
        command.args(["test", "--quiet", "--package", "kukla", "--test", test, "--"]);
        are_passed &= run(command.args(["--ignored", "peers_", "--test-threads", "1"]))?;
    }
    // What was accepted of ten thousand runs is stored once, though servers and PostgreSQL are killed.
    let mut command = cargo();
    command.args(["test", "--quiet", "--release", "--package", "kukla-store"]);
    command.args(["--test", "killed_postgres", "--", "--ignored", "--nocapture"]);
    Ok(run(&mut command)? && are_passed)
}
