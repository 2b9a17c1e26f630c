//! Real Puppet, Debian's modules, nginx and Caddy, installed if they are missing and that is possible.

use std::process::{Command, Stdio};

use anyhow::Result;
use kukla_tests::{Oracle, modules};

use crate::shell::{output_of, run, say, succeeds};

/// What is there to compare with.
#[derive(Debug)]
pub(crate) struct Packages {
    /// Puppet's version; `None`: no Puppet.
    pub(crate) puppet: Option<String>,
    /// Whether any module package is installed.
    pub(crate) modules: bool,
    /// Whether nginx and Caddy are there, which ask the endpoint of P.
    proxies: bool,
}

/// Looks what is there, installing what is missing.
pub(crate) fn ensure() -> Packages {
    if !found().is_complete()
        && let Err(reason) = install()
    {
        say(&format!("  cannot install Debian packages: {reason:#}"));
    }
    found()
}

fn found() -> Packages {
    let puppet = Oracle::start().ok().map(|oracle| oracle.version.clone());
    let nginx = ["nginx", "/usr/sbin/nginx"].iter().any(|nginx| succeeds(nginx, &["-v"]));
    let proxies = nginx && succeeds("caddy", &["version"]);
    Packages { puppet, modules: !modules::packages().is_empty(), proxies }
}

impl Packages {
    fn is_complete(&self) -> bool {
        self.puppet.is_some() && self.modules && self.proxies
    }
}

fn install() -> Result<()> {
    anyhow::ensure!(succeeds("apt-get", &["--version"]), "this system has no `apt-get`");
    anyhow::ensure!(output_of("id", &["-u"])?.trim() == "0", "that needs root");
    say("  installing puppet-agent, nginx, caddy and all puppet-module-* packages");
    anyhow::ensure!(apt_get(&["update"])?, "`apt-get update` failed");
    let known = output_of("apt-cache", &["search", "--names-only", "^puppet-module-"])?;
    let names = known.lines().filter_map(|line| line.split(' ').next());
    let mut packages: Vec<&str> = names.collect();
    packages.sort_unstable();
    packages.splice(0..0, ["puppet-agent", "nginx", "caddy"]);
    let arguments = [&["install", "--yes", "--no-install-recommends"], &packages[..]].concat();
    anyhow::ensure!(apt_get(&arguments)?, "`apt-get install` failed");
    Ok(())
}

fn apt_get(arguments: &[&str]) -> Result<bool> {
    let mut command = Command::new("apt-get");
    command.args(["-qq", "-o", "Dpkg::Use-Pty=0"]).args(arguments);
    // Nothing that is installed starts by itself: tests start what they need.
    command.env("RUNLEVEL", "1");
    command.env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).stdout(Stdio::null());
    run(&mut command)
}
