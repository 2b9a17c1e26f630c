//! Counts of passed, failed and skipped tests in `cargo xtask test`.

use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow};

use crate::needs::Need;
use crate::shell::{cargo, run_heard, say};
use crate::survey::Survey;
use crate::xpp;

/// Numbers of passed, failed and skipped tests.
#[derive(Debug, Default)]
pub(crate) struct Score {
    passed: usize,
    failed: usize,
    skipped: Vec<String>,
}

/// Counts in the summary of a test program.
#[derive(Debug, Default, PartialEq, Eq)]
struct Summary {
    passed: usize,
    failed: usize,
    ignored: usize,
    left_out: usize,
}

impl Score {
    /// Runs a step that passes or fails as a whole.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> Result<bool>) -> Result<()> {
        say(&format!("== {name}"));
        let start = Instant::now();
        let good = work()?;
        self.count(usize::from(good), usize::from(!good));
        let verdict = if good { "ok" } else { "FAILED" };
        say(&format!("  {name}: {verdict} ({:.1} s)", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Runs a comparison of many sources with Puppet.
    pub(crate) fn survey(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<Survey>,
    ) -> Result<()> {
        say(&format!("== {name}"));
        let start = Instant::now();
        let found = work()?;
        found.tell(10)?;
        self.count(found.n_cases - found.findings.len(), found.findings.len());
        say(&format!("  {name}: {:.1} s", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Runs the tests of the workspace, except those whose needs are not met.
    pub(crate) fn tests(&mut self, missing: &[Need]) -> Result<()> {
        say("== tests");
        let start = Instant::now();
        let mut all = Summary::default();
        let mut command = cargo();
        command.args(["test", "--quiet", "--workspace", "--no-fail-fast", "--"]);
        command.args(missing.iter().flat_map(|need| ["--skip", need.filter]));
        let good = run_heard(&mut command, |line| all.add(line))?;
        // A failure without a summary: the tests did not compile, or there were none.
        let failed = if good { all.failed } else { all.failed.max(1) };
        self.count(all.passed, failed);
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|need| need.name).collect();
            self.skip(&format!("{} tests that need {}", all.left_out, names.join(", ")));
        }
        if all.ignored > 0 {
            self.skip(&format!("{} tests that are marked `#[ignore]`", all.ignored));
        }
        let seconds = start.elapsed().as_secs_f64();
        say(&format!("  tests: {} passed, {failed} failed ({seconds:.1} s)", all.passed));
        Ok(())
    }

    /// Compares XPP files, read by Puppet.
    pub(crate) fn files(&mut self, extent: xpp::Extent) -> Result<()> {
        say("== XPP files, read by Puppet");
        let start = Instant::now();
        let found = xpp::compare(extent)?;
        found.tell(10);
        self.count(found.n_same, found.differences.len());
        say(&format!("  XPP files: {:.1} s", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Runs the tests of the plugin that reads XPP files in Puppet.
    pub(crate) fn plugin(&mut self) -> Result<()> {
        say("== the plugin for Puppet");
        let start = Instant::now();
        let mut all = Summary::default();
        let good = xpp::plugin_tests(|line| all.add_minitest(line))?;
        let failed = if good { all.failed } else { all.failed.max(1) };
        self.count(all.passed, failed);
        if all.left_out > 0 {
            self.skip(&format!("{} tests of the plugin", all.left_out));
        }
        let seconds = start.elapsed().as_secs_f64();
        say(&format!("  plugin: {} passed, {failed} failed ({seconds:.1} s)", all.passed));
        Ok(())
    }

    /// Runs two chains of steps on two threads and adds both counts. Their lines are mixed; each names its step.
    pub(crate) fn both(
        &mut self,
        first: impl FnOnce(&mut Self) -> Result<()> + Send,
        second: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut other = Self::default();
        let (one, two) = thread::scope(|scope| {
            let one = scope.spawn(|| first(&mut other));
            let two = second(self);
            (one.join(), two)
        });
        one.map_err(|_| anyhow!("a step panicked"))??;
        two?;
        self.count(other.passed, other.failed);
        self.skipped.append(&mut other.skipped);
        Ok(())
    }

    fn count(&mut self, passed: usize, failed: usize) {
        self.passed += passed;
        self.failed += failed;
    }

    /// Counts a failure outside of any step.
    pub(crate) fn fail(&mut self, reason: &str) {
        say(&format!("== FAILED: {reason}"));
        self.failed += 1;
    }

    /// Notes a skipped part.
    pub(crate) fn skip(&mut self, what: &str) {
        say(&format!("== skipped: {what}"));
        self.skipped.push(what.to_owned());
    }

    /// Prints the sums; returns true if nothing failed.
    #[expect(clippy::print_stdout, reason = "the result of the chore")]
    pub(crate) fn print(&self) -> bool {
        for what in &self.skipped {
            println!("skipped: {what}");
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        self.failed == 0
    }
}

impl Summary {
    /// Adds a line of a test program, if it is a summary of Rust's harness.
    fn add(&mut self, line: &str) {
        if !line.starts_with("test result:") {
            return;
        }
        let parts = line.split([';', '.']).map(str::trim);
        for part in parts {
            let Some((number, name)) = part.split_once(' ') else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match name {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                "filtered out" => self.left_out += number,
                _ => (),
            }
        }
    }

    /// Adds a line of a test program, if it is a summary of Ruby's minitest.
    fn add_minitest(&mut self, line: &str) {
        if !line.contains(" runs, ") || !line.contains(" assertions, ") {
            return;
        }
        let number = |words: &str| words.trim().split(' ').next().and_then(|n| n.parse().ok());
        let counts: Vec<usize> = line.split(',').filter_map(number).collect();
        let [runs, _assertions, failures, errors, skips] = counts[..] else { return };
        self.passed += runs.saturating_sub(failures + errors + skips);
        self.failed += failures + errors;
        self.left_out += skips;
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    fn summary(passed: usize, failed: usize, ignored: usize, left_out: usize) -> Summary {
        Summary { passed, failed, ignored, left_out }
    }

    #[test]
    fn summaries_of_minitest_are_counted() {
        let add = |line: &str| {
            let mut all = Summary::default();
            all.add_minitest(line);
            all
        };
        let line = "154 runs, 4260 assertions, 1 failures, 2 errors, 7 skips";
        assert_eq!(add(line), summary(144, 3, 0, 7));
        assert_eq!(add("154 runs"), Summary::default());
        assert_eq!(add("a lot of runs, no assertions, none"), Summary::default());
    }

    #[test]
    fn summaries_are_counted() {
        let mut all = Summary::default();
        all.add("test result: FAILED. 5 passed; 2 failed; 1 ignored; 0 measured; 3 filtered out; finished in 8.34s");
        assert_eq!(all, summary(5, 2, 1, 3));
        all.add("test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(all, summary(10, 2, 1, 3));
    }

    #[test]
    fn other_lines_are_not_counted() {
        let mut all = Summary::default();
        all.add("    test result: ok. 5 passed; 0 failed");
        all.add("5 passed");
        assert_eq!(all, Summary::default());
    }
}
