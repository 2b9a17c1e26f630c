//! `cargo xtask test`: everything, cheapest first.

use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use crate::packages::Packages;
use crate::shell::{Stream, cargo, run, run_heard, say, succeeds};
use crate::survey::Survey;
use crate::{catalogs, compare, packages, reference, xpp};

/// Run everything: format, lints, tests, docs, and the comparison with real Puppet.
///
/// Installs Debian's `puppet-agent`, `nginx`, `caddy` and `puppet-module-*` when they are missing, this is Debian and
/// you are root; otherwise says what it skipped. Exits with 1 if anything failed.
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// How many generated programs are compared with real Puppet
    #[arg(long, default_value_t = 3000)]
    generated: u64,
    /// Neither install nor ask Puppet
    #[arg(long)]
    offline: bool,
}

/// Generated programs start behind those whose answers are kept.
const FIRST_SEED: u64 = 100_001;
/// What Puppet alone is asked to read of our XPP files; `cargo xtask compare xpp` asks for all.
const SOME_FILES: xpp::Extent = xpp::Extent { seed: FIRST_SEED, count: 500, stock_one_in: 20 };

/// What has passed, failed and been left out.
#[derive(Debug, Default)]
struct Score {
    passed: usize,
    failed: usize,
    skipped: Vec<String>,
}

impl Test {
    pub(crate) fn run(&self) -> Result<bool> {
        let mut score = Score::default();
        score.step("format", || run(cargo().args(["fmt", "--all", "--check"])))?;
        score.step("lints", || run(&mut clippy()))?;
        let packages = if self.offline { None } else { Some(puppet()) };
        score.tests()?;
        score.step("documentation", || run(&mut rustdoc()))?;
        score.step("generated pages", reference::are_current)?;
        match &packages {
            None => score.skip("the comparison with real Puppet (--offline)"),
            Some(packages) => self.compare(packages, &mut score)?,
        }
        score.tell();
        Ok(score.failed == 0)
    }

    fn compare(&self, packages: &Packages, score: &mut Score) -> Result<()> {
        let Some(version) = &packages.puppet else {
            score.skip("the comparison with real Puppet: there is none (Debian: puppet-agent)");
            return Ok(());
        };
        say(&format!("comparing with Puppet {version}"));
        score.survey("specs, live", compare::compare_specs)?;
        if packages.modules {
            score.survey("Debian's modules, live", compare::compare_modules)?;
        } else {
            score.skip("Debian's modules: no puppet-module-* package is installed");
        }
        let generated = || compare::compare_generated(FIRST_SEED, self.generated);
        score.survey("generated programs, live", generated)?;
        if packages.modules {
            score.step("catalogs, recorded", catalogs::have_not_sunk)?;
            score.step("catalogs, live", catalogs::live_sample)?;
            score.step("catalogs, applied by Puppet", catalogs::some_are_applied)?;
        }
        score.files()?;
        score.plugin()
    }
}

fn puppet() -> Packages {
    say("== Puppet and Debian's modules");
    let packages = packages::ensure();
    let version = packages.puppet.as_deref().unwrap_or("none");
    let modules = if packages.modules { "installed" } else { "none" };
    say(&format!("  Puppet: {version}; module packages: {modules}"));
    packages
}

fn clippy() -> Command {
    let mut command = cargo();
    command.args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    command
}

fn rustdoc() -> Command {
    let mut command = cargo();
    command.args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"]);
    // Links to private items lead somewhere here, since these are documented too.
    command.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
    command
}

impl Score {
    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<bool>) -> Result<()> {
        say(&format!("== {name}"));
        let start = Instant::now();
        let good = work()?;
        self.count(usize::from(good), usize::from(!good));
        let verdict = if good { "ok" } else { "FAILED" };
        say(&format!("  {name}: {verdict} ({:.1} s)", start.elapsed().as_secs_f64()));
        Ok(())
    }

    fn survey(&mut self, name: &str, work: impl FnOnce() -> Result<Survey>) -> Result<()> {
        say(&format!("== {name}"));
        let start = Instant::now();
        let found = work()?;
        found.tell(10)?;
        self.count(found.n_cases - found.findings.len(), found.findings.len());
        say(&format!("  {name}: {:.1} s", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// The tests of the workspace, by nextest where it is installed.
    fn tests(&mut self) -> Result<()> {
        say("== tests");
        let (mut passed, mut failed) = (0, 0);
        let mut hear = |line: &str| {
            let (some_passed, some_failed) = counted(line);
            passed += some_passed;
            failed += some_failed;
        };
        let good = if succeeds("cargo-nextest", &["--version"]) {
            let nextest = ["nextest", "run", "--workspace", "--no-fail-fast", "--color=never"];
            let levels = ["--status-level=fail", "--final-status-level=fail"];
            run_heard(cargo().args(nextest).args(levels), Stream::Error, &mut hear)?
        } else {
            let test = ["test", "--quiet", "--workspace", "--no-fail-fast"];
            run_heard(cargo().args(test), Stream::Output, &mut hear)?
        };
        // A failure that no summary tells of: it did not compile, or there was no test.
        let failed = if good { failed } else { failed.max(1) };
        self.count(passed, failed);
        say(&format!("  tests: {passed} passed, {failed} failed"));
        Ok(())
    }

    /// XPP files, read by Puppet.
    fn files(&mut self) -> Result<()> {
        say("== XPP files, read by Puppet");
        let start = Instant::now();
        let found = xpp::compare(SOME_FILES)?;
        found.tell(10);
        self.count(found.n_same, found.differences.len());
        say(&format!("  XPP files: {:.1} s", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// The tests of the plugin that reads XPP files in Puppet.
    fn plugin(&mut self) -> Result<()> {
        say("== the plugin for Puppet");
        let start = Instant::now();
        let (mut passed, mut failed) = (0, 0);
        let good = xpp::plugin_tests(|line| {
            let (some_passed, some_failed) = counted_by_minitest(line);
            passed += some_passed;
            failed += some_failed;
        })?;
        let failed = if good { failed } else { failed.max(1) };
        self.count(passed, failed);
        let seconds = start.elapsed().as_secs_f64();
        say(&format!("  plugin: {passed} passed, {failed} failed ({seconds:.1} s)"));
        Ok(())
    }

    fn count(&mut self, passed: usize, failed: usize) {
        self.passed += passed;
        self.failed += failed;
    }

    fn skip(&mut self, what: &str) {
        say(&format!("== skipped: {what}"));
        self.skipped.push(what.to_owned());
    }

    #[expect(clippy::print_stdout, reason = "the result of the chore")]
    fn tell(&self) {
        for what in &self.skipped {
            println!("skipped: {what}");
        }
        println!("{} passed, {} failed", self.passed, self.failed);
    }
}

/// How many tests passed and failed, if the line is a summary of nextest or of Rust's own harness.
fn counted(line: &str) -> (usize, usize) {
    let is_summary = line.trim_start().starts_with("Summary") || line.starts_with("test result:");
    if !is_summary {
        return (0, 0);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let before = |name: &str| {
        let pairs = words.windows(2);
        let mut counts = pairs.filter(|pair| pair[1].trim_matches([',', ';']) == name);
        counts.find_map(|pair| pair[0].parse::<usize>().ok()).unwrap_or_default()
    };
    (before("passed"), before("failed") + before("timed"))
}

/// The same for a summary of Ruby's minitest.
fn counted_by_minitest(line: &str) -> (usize, usize) {
    if !line.contains(" runs, ") || !line.contains(" assertions, ") {
        return (0, 0);
    }
    let number = |words: &str| words.trim().split(' ').next().and_then(|n| n.parse().ok());
    let counts: Vec<usize> = line.split(',').filter_map(number).collect();
    let [runs, _assertions, failures, errors, skips] = counts[..] else { return (0, 0) };
    let failed = failures + errors;
    (runs.saturating_sub(failed + skips), failed)
}

#[cfg(test)]
mod tests {
    use super::{counted, counted_by_minitest};

    #[test]
    fn summaries_of_minitest_are_counted() {
        let line = "154 runs, 4260 assertions, 1 failures, 2 errors, 7 skips";
        assert_eq!(counted_by_minitest(line), (144, 3));
        assert_eq!(counted_by_minitest("154 runs"), (0, 0));
        assert_eq!(counted_by_minitest("a lot of runs, no assertions, none"), (0, 0));
    }

    #[test]
    fn summaries_are_counted() {
        let nextest = "     Summary [  15.6s] 2503 tests run: 2411 passed, 92 failed, 3 skipped";
        assert_eq!(counted(nextest), (2411, 92));
        assert_eq!(
            counted("     Summary [ 0.1s] 7 tests run: 7 passed (1 slow), 0 skipped"),
            (7, 0)
        );
        assert_eq!(counted("test result: FAILED. 5 passed; 2 failed; 0 ignored"), (5, 2));
    }

    #[test]
    fn other_lines_are_not_counted() {
        assert_eq!(counted("    test result: ok. 5 passed; 0 failed"), (0, 0));
        assert_eq!(counted("5 passed"), (0, 0));
    }
}
