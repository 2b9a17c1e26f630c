//! XPP files, read by real Puppet with the plugin `puppet-xpp` and without it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use kukla_tests::xpp::{Question, Reading, edges, manifests, read_all};

use crate::compare::{generated_cases, spec_cases};
use crate::shell::{cargo, progress, root, run, run_heard, say, succeeds};

/// Extent of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The first seed of generated programs.
    pub(crate) seed: u64,
    /// Number of generated programs.
    pub(crate) count: u64,
    /// Puppet's own Deserializer reads one file in this many.
    pub(crate) stock_one_in: usize,
}

/// Result of a comparison.
#[derive(Debug)]
pub(crate) struct Findings {
    /// Number of equal trees.
    pub(crate) n_same: usize,
    /// `source: reader: first difference`.
    pub(crate) differences: Vec<String>,
    n_sources: usize,
    n_without_tree: usize,
}

/// Compares edge cases, Debian's modules, the sources of specs and generated programs, in every encoding.
pub(crate) fn compare(extent: Extent) -> Result<Findings> {
    let questions = questions(extent)?;
    let readings =
        read_all(&questions, &|done| progress("files read by Puppet", done, questions.len()))?;
    let is_empty = |reading: &&Reading| reading.n_same == 0 && reading.differences.is_empty();
    let named = questions.iter().zip(&readings);
    let differences = named.flat_map(|(question, reading)| {
        reading.differences.iter().map(|found| format!("{}: {found}", question.name))
    });
    Ok(Findings {
        n_same: readings.iter().map(|reading| reading.n_same).sum(),
        differences: differences.collect(),
        n_sources: questions.len(),
        n_without_tree: readings.iter().filter(is_empty).count(),
    })
}

impl Findings {
    /// Prints the number of equal trees, and the first differences.
    pub(crate) fn tell(&self, most: usize) {
        let Self { n_same, differences, n_sources, n_without_tree } = self;
        say(&format!(
            "{n_same} trees of {n_sources} sources are the same from flat, json, msgpack and by \
             Puppet alone; {} differ; {n_without_tree} sources have no tree",
            differences.len()
        ));
        for difference in differences.iter().take(most) {
            say(&format!("  {difference}"));
        }
    }
}

fn questions(extent: Extent) -> Result<Vec<Question>> {
    let generated = generated_cases(extent.seed, extent.count);
    let cases = spec_cases()?.into_iter().chain(generated);
    let others = cases.map(|(name, case)| Question { name, case, parse_only: false, stock: false });
    let others = manifests()?.into_iter().chain(others).enumerate();
    let others = others.map(|(index, question)| Question {
        stock: index.is_multiple_of(extent.stock_one_in.max(1)),
        ..question
    });
    Ok(edges()?.into_iter().chain(others).collect())
}

/// Runs the plugin's own tests with the `kukla` of this workspace; passes every line to `hear`.
pub(crate) fn plugin_tests(hear: impl FnMut(&str)) -> Result<bool> {
    if !run(cargo().args(["build", "--quiet", "--package=kukla"]))? {
        return Ok(false);
    }
    run_heard(&mut plugin_script("spec/all.rb", "debug")?, hear)
}

/// Measures the gain of the plugin, with the `kukla` of `cargo xtask dist`.
pub(crate) fn plugin_bench() -> Result<bool> {
    if !succeeds("ruby", &["-e", "require 'puppet'"]) {
        say("there is no Puppet to load the plugin");
        return Ok(true);
    }
    run(&mut plugin_script("spec/bench.rb", "dist")?)
}

/// Returns a Ruby script of the plugin, with the `kukla` of that profile in `KUKLA`.
fn plugin_script(script: &str, profile: &str) -> Result<Command> {
    let this = std::env::current_exe().context("this program does not know where it is")?;
    let target = this.parent().and_then(Path::parent).context("this program is in no folder")?;
    let mut ruby = Command::new("ruby");
    ruby.args(["-Ilib", script]).current_dir(root().join("ruby/puppet-xpp"));
    ruby.env("KUKLA", target.join(profile).join("kukla"));
    Ok(ruby)
}
