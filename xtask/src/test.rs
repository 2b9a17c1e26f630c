//! `cargo xtask test`: runs everything, cheapest first.

use std::process::Command;
use std::thread;

use anyhow::{Result, anyhow};

use crate::packages::{self, Packages};
use crate::score::Score;
use crate::shell::{cargo, run, say};
use crate::{browsers, catalog_checks, compare, needs, peers, reference, soundness, xpp};

/// Run everything: format, lints, tests, docs, and the comparison with real Puppet.
///
/// Installs Debian's packages that the tests need (`puppet-agent`, `puppet-module-*`, nginx, PostgreSQL, HAProxy and
/// others) if they are missing, this is Debian and you are root; it is a failure if that fails. On other systems, and
/// with `--offline`, tests whose needs are not met are skipped, and the last lines of the output list them. Exits with 1
/// if anything failed.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Number of generated programs to compare with real Puppet
    #[arg(long, default_value_t = 3000)]
    generated: u64,
    /// Neither install packages nor ask Puppet
    #[arg(long)]
    offline: bool,
    /// Also run the tests beside other servers that take minutes; installs Debian's `puppetserver`
    ///
    /// The variable KUKLA_AGENT names the source tree of another agent (OpenVox 8), KUKLA_CA_CLI that of a later command
    /// line of the CA.
    #[arg(long, conflicts_with = "offline")]
    peers: bool,
}

/// The first seed of compared programs, after those whose answers are recorded.
const FIRST_SEED: u64 = 100_001;
/// The XPP files that Puppet alone reads; `cargo xtask compare xpp` uses all.
const SOME_FILES: xpp::Extent = xpp::Extent { seed: FIRST_SEED, count: 500, stock_one_in: 20 };

impl Test {
    pub(crate) fn run(&self) -> Result<bool> {
        let mut score = Score::default();
        let look = if self.offline { packages::installed } else { packages::ensure_installed };
        // Downloads and lints wait for different resources.
        let setup = thread::spawn(look);
        score.step("format", || run(cargo().args(["fmt", "--all", "--check"])))?;
        score.step("lints", || run(&mut clippy()))?;
        let packages = setup.join().map_err(|_| anyhow!("the set-up panicked"))?;
        report(&packages);
        if let Some(reason) = &packages.failure {
            score.fail(&format!("Debian's packages are not installed: {reason}"));
        }
        score.tests(&needs::missing(&packages))?;
        if self.peers {
            score.step("tests beside other servers", peers::run_all)?;
            score.step("PuppetDB as the store", browsers::compare_engines)?;
            score.step("exports and archives beside PuppetDB", browsers::compare_exports)?;
            score.step("puppetboard and the page in Chromium", browsers::run_all)?;
        }
        score.step("documentation", || run(&mut rustdoc()))?;
        score.step("generated pages", reference::are_current)?;
        match self.offline {
            true => score.skip("the comparison with real Puppet (--offline)"),
            false => self.compare(&packages, &mut score)?,
        }
        Ok(score.print())
    }

    fn compare(&self, packages: &Packages, score: &mut Score) -> Result<()> {
        let Some(version) = &packages.puppet else {
            score.skip("the comparison with real Puppet: there is none (Debian: puppet-agent)");
            return Ok(());
        };
        say(&format!("comparing with Puppet {version}"));
        score.survey("specs, live", compare::compare_specs)?;
        let generated = || compare::compare_generated(FIRST_SEED, self.generated);
        score.survey("generated programs, live", generated)?;
        if packages.modules {
            score.survey("Debian's modules, live", compare::compare_modules)?;
            score.step("catalogs, recorded", catalog_checks::are_as_recorded)?;
            score.step("catalogs, live", catalog_checks::live_sample)?;
            score.step("catalogs, origins of values", catalog_checks::values_are_traced)?;
            score.step("records of catalogs", soundness::some_are_sound)?;
        } else {
            score.skip("Debian's modules and catalogs: no puppet-module-* package is installed");
        }
        score.files(SOME_FILES)?;
        // Each waits for one Ruby process after the other.
        match packages.modules {
            true => score.both(apply, Score::plugin),
            false => score.plugin(),
        }
    }
}

fn apply(score: &mut Score) -> Result<()> {
    score.step("catalogs, applied by Puppet", catalog_checks::some_are_applied)
}

fn report(packages: &Packages) {
    let version = packages.puppet.as_deref().unwrap_or("none");
    let modules = if packages.modules { "installed" } else { "none" };
    say(&format!("Puppet: {version}; module packages: {modules}"));
}

fn clippy() -> Command {
    let mut command = cargo();
    command.args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    command
}

fn rustdoc() -> Command {
    let mut command = cargo();
    command.args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"]);
    // Links to private items are valid here, since these are documented too.
    command.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
    command
}
