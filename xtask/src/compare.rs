//! `cargo xtask compare`: compares Kukla with real Puppet, live.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use kukla_tests::eval::Modules;
use kukla_tests::{Case, generator, modules, spec};

use crate::catalog_specs;
use crate::catalogs::{self, Catalogs};
use crate::compare_eval;
use crate::restypes;
use crate::ruby;
use crate::survey::{Survey, survey};
use crate::types;
use crate::xpp;

/// Compare Kukla with real Puppet and print the differences, most frequent causes first.
///
/// Needs Ruby and Puppet (Debian: `puppet-agent`). Exits with 1 if anything differs.
#[derive(Debug, clap::Args)]
pub(crate) struct Compare {
    /// `catalogs` (classes of Debian's modules, and nodes of our own), `catalog-specs` (tests/spec/catalog), `eval` (values
    /// of generated programs), `environments` (catalogs of generated environments), `stdlib` and `stdlib9` (calls of the functions of Debian's stdlib, and of the one in the folder
    /// that `KUKLA_STDLIB_9` names), `modules` (Debian's module packages), `generated` (trees of generated programs), `specs`
    /// (the sources of tests/spec), `types` (generated questions about types), `restypes` (resource types of Puppet and of
    /// Debian's modules), `erb` and `functions` (the Ruby of Debian's modules in the interpreter and in a real Ruby), or
    /// files; `xpp`: our XPP files of all these, read by Puppet
    #[arg(
        required = true,
        value_name = "catalogs|catalog-specs|eval|environments|stdlib|stdlib9|modules|generated|specs|types|restypes|erb|functions|xpp|FILE"
    )]
    what: Vec<String>,
    /// The first seed of generated programs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of generated programs
    #[arg(long, default_value_t = 2000)]
    count: u64,
    /// For `xpp`: Puppet's own slow Deserializer reads one file in so many
    #[arg(long, default_value_t = 1)]
    stock_one_in: usize,
    /// Number of causes to print
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// Print the sources without comparing them
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    catalogs: Catalogs,
}

impl Compare {
    pub(crate) fn run(&self) -> Result<bool> {
        if self.what == ["catalogs"] {
            return self.catalogs.compare(self.show);
        }
        if self.what == ["catalog-specs"] {
            catalogs::build()?;
            return catalog_specs::compare(&self.catalogs.filter, self.catalogs.keep);
        }
        if self.what == ["eval"] {
            return compare_eval::generated(self.seed, self.count, self.show);
        }
        if self.what == ["environments"] {
            catalogs::build()?;
            return compare_eval::environments(self.seed, self.count, self.show);
        }
        if self.what == ["erb"] {
            return ruby::erb(&self.catalogs.filter, self.show);
        }
        if self.what == ["functions"] {
            return ruby::functions(&self.catalogs.filter, self.show);
        }
        if self.what == ["restypes"] {
            return restypes::compare();
        }
        for (name, modules) in [("stdlib", Modules::Stdlib), ("stdlib9", Modules::Stdlib9)] {
            if self.what == [name] {
                return compare_eval::stdlib(modules, self.seed, self.count, self.show);
            }
        }
        if self.what == ["types"] {
            return types::compare(self.seed, self.count, self.show);
        }
        let is_xpp = |what: &&String| *what == "xpp";
        let same_files = !self.what.iter().any(|what| is_xpp(&what)) || self.compare_xpp()?;
        let sources: Vec<&String> = self.what.iter().filter(|what| !is_xpp(what)).collect();
        Ok((sources.is_empty() || self.compare_sources(&sources)?) && same_files)
    }

    fn compare_xpp(&self) -> Result<bool> {
        let extent =
            xpp::Extent { seed: self.seed, count: self.count, stock_one_in: self.stock_one_in };
        let found = xpp::compare(extent)?;
        found.tell(self.show);
        Ok(found.differences.is_empty())
    }

    fn compare_sources(&self, sources: &[&String]) -> Result<bool> {
        let mut cases = Vec::new();
        for what in sources {
            cases.extend(match what.as_str() {
                "modules" => module_cases()?,
                "generated" => generated_cases(self.seed, self.count),
                "specs" => spec_cases()?,
                file => vec![file_case(file)?],
            });
        }
        if self.print {
            print(&cases);
            return Ok(true);
        }
        let found = survey("compared", cases)?;
        found.tell(self.show)?;
        Ok(found.findings.is_empty())
    }
}

/// Compares all manifests and templates of the installed module packages.
pub(crate) fn compare_modules() -> Result<Survey> {
    survey("modules", module_cases()?)
}

/// Compares programs of the seeds from `seed` on.
pub(crate) fn compare_generated(seed: u64, count: u64) -> Result<Survey> {
    survey("generated programs", generated_cases(seed, count))
}

/// Compares the sources of all specs.
pub(crate) fn compare_specs() -> Result<Survey> {
    survey("specs", spec_cases()?)
}

fn module_cases() -> Result<Vec<(String, Case)>> {
    let files = modules::installed();
    ensure!(!files.is_empty(), "no `puppet-module-*` package is installed");
    files.into_iter().map(|file| Ok((file.name.clone(), file.case()?))).collect()
}

pub(crate) fn generated_cases(seed: u64, count: u64) -> Vec<(String, Case)> {
    let case = |seed| (format!("seed {seed}"), generator::program(seed));
    (seed..seed.saturating_add(count)).map(case).collect()
}

pub(crate) fn spec_cases() -> Result<Vec<(String, Case)>> {
    let mut cases = Vec::new();
    for spec in [spec::folder("invalid")?, spec::folder("valid")?].into_iter().flatten() {
        let topic = &spec.topic;
        let case = |test: &spec::Test| (format!("{topic}: {}", test.title), test.case.clone());
        cases.extend(spec.tests.iter().map(case));
    }
    Ok(cases)
}

fn file_case(file: &str) -> Result<(String, Case)> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read `{file}`"))?;
    let template = Path::new(file).extension().is_some_and(|extension| extension == "epp");
    Ok((file.to_owned(), Case { template, ..Case::manifest(bytes) }))
}

#[expect(clippy::print_stdout, reason = "the sources are what was asked for")]
fn print(cases: &[(String, Case)]) {
    for (name, case) in cases {
        println!("--- {name}\n{}", case.text());
    }
}
