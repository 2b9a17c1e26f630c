//! Real Puppet, Debian's modules, nginx, Caddy, Squid, c-icap, HAProxy, PostgreSQL, strace and OpenSSL; installed if they are missing and that is possible.

use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use kukla_tests::{Oracle, modules};

use crate::shell::{output_of, run, say, succeeds};

/// Programs and modules of this machine that tests need.
#[derive(Debug)]
pub(crate) struct Packages {
    /// Whether Ruby is installed.
    pub(crate) ruby: bool,
    /// Puppet's version; `None`: no Puppet.
    pub(crate) puppet: Option<String>,
    /// Whether any module package is installed.
    pub(crate) modules: bool,
    /// Whether nginx, a client of P's endpoint, is installed.
    pub(crate) nginx: bool,
    /// Whether Caddy, another client of P's endpoint, is installed.
    pub(crate) caddy: bool,
    /// Whether Squid, a client of ICAP, is installed.
    pub(crate) squid: bool,
    /// Whether c-icap, a service of ICAP, is installed.
    pub(crate) c_icap: bool,
    /// Whether HAProxy, which is asked about hostile messages, is installed.
    pub(crate) haproxy: bool,
    /// Whether PostgreSQL, an engine of the store, is installed.
    pub(crate) postgresql: bool,
    /// Whether strace, which lists the files that a compilation opens, is installed.
    pub(crate) strace: bool,
    /// Whether OpenSSL's command, which makes requests and verifies certificates, is installed.
    pub(crate) openssl: bool,
    /// Whether the command line of Puppet Server's CA is installed.
    pub(crate) ca_cli: bool,
    /// The reason why installable packages are missing.
    pub(crate) failure: Option<String>,
}

/// Installs missing packages if possible.
pub(crate) fn ensure_installed() -> Packages {
    let packages = installed();
    if packages.is_complete() {
        return packages;
    }
    if let Err(reason) = can_install() {
        say(&format!("  cannot install Debian packages: {reason:#}"));
        return packages;
    }
    let result = install(NAMES, &[MODULES]);
    let packages = installed();
    let failure = match result {
        Err(reason) => Some(format!("{reason:#}")),
        Ok(()) if packages.is_complete() => None,
        Ok(()) => Some("installed packages can't be used".to_owned()),
    };
    Packages { failure, ..packages }
}

/// Returns the installed packages.
pub(crate) fn installed() -> Packages {
    let puppet = Oracle::start().ok().map(|oracle| oracle.version.clone());
    Packages {
        ruby: succeeds("ruby", &["-v"]),
        puppet,
        modules: !modules::packages().is_empty(),
        nginx: ["nginx", "/usr/sbin/nginx"].iter().any(|nginx| succeeds(nginx, &["-v"])),
        caddy: succeeds("caddy", &["version"]),
        squid: ["squid", "/usr/sbin/squid"].iter().any(|squid| succeeds(squid, &["-v"])),
        c_icap: succeeds("c-icap", &["-V"]),
        haproxy: ["haproxy", "/usr/sbin/haproxy"].iter().any(|path| succeeds(path, &["-v"])),
        postgresql: has_postgresql(),
        strace: succeeds("strace", &["-V"]),
        openssl: succeeds("openssl", &["version"]),
        ca_cli: succeeds("ruby", &["-e", "require 'puppetserver/ca/cli'"]),
        failure: None,
    }
}

impl Packages {
    fn is_complete(&self) -> bool {
        let has_servers = self.nginx
            && self.caddy
            && self.squid
            && self.c_icap
            && self.haproxy
            && self.postgresql;
        let has_tools = self.strace && self.openssl && self.ca_cli;
        self.ruby && self.puppet.is_some() && self.modules && has_servers && has_tools
    }
}

/// Packages that tests need, beside the modules.
const NAMES: &[&str] = &[
    "puppet-agent",
    "ruby-puppetserver-ca-cli",
    "nginx",
    "caddy",
    "squid",
    "c-icap",
    "haproxy",
    "postgresql",
    "strace",
    "openssl",
];

/// Returns whether a server of PostgreSQL is installed, where Debian puts it.
fn has_postgresql() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.into_iter().any(|version| version.path().join("bin/initdb").exists())
}

/// The pattern of all module packages.
pub(crate) const MODULES: &str = "^puppet-module-";

/// Fails with the reason if packages can't be installed here.
pub(crate) fn can_install() -> Result<()> {
    ensure!(succeeds("apt-get", &["--version"]), "this system has no `apt-get`");
    ensure!(output_of("id", &["-u"])?.trim() == "0", "that needs root");
    Ok(())
}

/// Installs packages by name, and all whose names match one of the patterns.
pub(crate) fn install(names: &[&str], patterns: &[&str]) -> Result<()> {
    say(&format!("  installing {}", [names, patterns].concat().join(", ")));
    ensure!(apt_get(&["update"])?, "`apt-get update` failed");
    let mut packages: Vec<String> = names.iter().map(ToString::to_string).collect();
    for pattern in patterns {
        let listed = output_of("apt-cache", &["search", "--names-only", pattern])?;
        let names = listed.lines().filter_map(|line| line.split(' ').next());
        packages.extend(names.map(str::to_owned));
    }
    let options = ["install", "--yes", "--no-install-recommends"].into_iter();
    let arguments: Vec<&str> = options.chain(packages.iter().map(String::as_str)).collect();
    ensure!(apt_get(&arguments)?, "`apt-get install` failed");
    Ok(())
}

fn apt_get(arguments: &[&str]) -> Result<bool> {
    let mut command = Command::new("apt-get");
    command.args(["-qq", "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=300"]).args(arguments);
    // No installed service may start by itself: tests start what they need.
    command.env("RUNLEVEL", "1");
    command.env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).stdout(Stdio::null());
    run(&mut command)
}
