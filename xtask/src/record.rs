//! `cargo xtask record`: records answers of real Puppet, for tests without Puppet.

use anyhow::{Context, Result, ensure};
use clap::ValueEnum as _;
use kukla_tests::digests::{Digests, Line};
use kukla_tests::eval::{self, EvalSpec, Modules, STDLIB_9};
use kukla_tests::oracle::{ask_all, evaluate_all};
use kukla_tests::spec::{self, Spec};
use kukla_tests::{Case, Oracle, View, generator, modules};

use crate::shell::{progress, say};
use crate::{catalog_record, catalog_specs};

/// Ask real Puppet again and record its answers. Read the diff before you commit it.
///
/// Needs Ruby and Puppet (Debian: `puppet-agent`), and for digests all `puppet-module-*` packages.
#[derive(Debug, clap::Args)]
pub(crate) struct Record {
    /// Kinds of records [default: all]
    what: Vec<Kind>,
    /// Only the specs of evaluation and catalogs whose topic contains this, such as `eval/functions/`
    #[arg(long = "topic", value_name = "PART")]
    topics: Vec<String>,
    /// Only the catalogs on these fact sets of tests/facts
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    facts: Vec<String>,
    /// Number of generated programs to record
    #[arg(long, default_value_t = 2000)]
    count: u64,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    /// tests/spec/invalid
    Invalid,
    /// tests/spec/valid
    Valid,
    /// tests/spec/eval
    Eval,
    /// tests/digests/debian-modules.txt
    Digests,
    /// tests/digests/generated.txt
    Generated,
    /// tests/digests/resource-types.txt
    ResourceTypes,
    /// tests/spec/catalog
    CatalogSpecs,
    /// tests/digests/catalogs; continues an interrupted recording
    Catalogs,
}

impl Record {
    pub(crate) fn run(&self) -> Result<bool> {
        let version = Oracle::start().context("there is no Puppet to ask")?.version.clone();
        let kinds = if self.what.is_empty() { Kind::value_variants() } else { &self.what };
        let mut good = true;
        for kind in kinds {
            good &= match kind {
                Kind::Invalid => record_specs("invalid")?,
                Kind::Valid => record_specs("valid")?,
                Kind::Eval => record_eval(&self.topics, &version)?,
                Kind::Digests => record_modules(&version)?,
                Kind::Generated => record_generated(self.count, &version)?,
                Kind::ResourceTypes => record_resource_types()?,
                Kind::Catalogs => catalog_record::catalogs(&self.facts, &self.topics, &version)?,
                Kind::CatalogSpecs => catalog_specs::specs(&self.topics)?,
            };
        }
        Ok(good)
    }
}

fn record_eval(topics: &[String], puppet: &str) -> Result<bool> {
    let wanted = |topic: &str| topics.is_empty() || topics.iter().any(|part| topic.contains(part));
    let mut good = true;
    for modules in [Modules::None, Modules::Stdlib, Modules::Stdlib9] {
        let mut specs = eval::specs(wanted)?;
        specs.retain(|spec| spec.modules == modules);
        if modules.path().is_none() && !specs.is_empty() {
            say(&format!(
                "eval: {} files left alone, {modules:?} is not here; `{STDLIB_9}` names the folder of stdlib 9",
                specs.len()
            ));
            good = false;
            continue;
        }
        let versions: Vec<String> =
            [Some(format!("Puppet {puppet}")), modules.version()].into_iter().flatten().collect();
        record_values(&specs, modules, &versions.join(", "))?;
    }
    Ok(good)
}

fn record_values(specs: &[EvalSpec], modules: Modules, versions: &str) -> Result<()> {
    if specs.is_empty() {
        return Ok(());
    }
    let cases: Vec<String> = specs.iter().flat_map(EvalSpec::cases).cloned().collect();
    let answers = evaluate_all(&cases, modules, &|done| progress("eval", done, cases.len()))?;
    let answers: Vec<String> = answers.iter().map(ToString::to_string).collect();
    let mut rest = &answers[..];
    for spec in specs {
        let (own, others) = rest.split_at(spec.cases().count());
        rest = others;
        std::fs::write(&spec.path, spec.with_answers(own, versions))
            .with_context(|| format!("cannot write `{}`", spec.path.display()))?;
    }
    say(&format!("eval: {} expressions in {} files recorded", cases.len(), specs.len()));
    Ok(())
}

/// Records the specs of a folder; false if a spec is in the wrong folder.
fn record_specs(folder: &str) -> Result<bool> {
    let specs = spec::folder(folder)?;
    let tests = specs.iter().flat_map(|spec| &spec.tests);
    let cases: Vec<Case> = tests.map(|test| test.case.clone()).collect();
    let views = ask_all(&cases, &|done| progress(folder, done, cases.len()))?;
    let mut rest = &views[..];
    let mut good = true;
    for spec in &specs {
        let (views, others) = rest.split_at(spec.tests.len());
        rest = others;
        std::fs::write(&spec.path, spec.with_records(views))
            .with_context(|| format!("cannot write `{}`", spec.path.display()))?;
        good &= check_folder(spec, views);
    }
    say(&format!("{folder}: {} specs in {} files recorded", cases.len(), specs.len()));
    Ok(good)
}

fn check_folder(spec: &Spec, views: &[View]) -> bool {
    let wants_valid = spec.topic.starts_with("valid/");
    let mut good = true;
    for (test, view) in spec.tests.iter().zip(views) {
        let fits = match wants_valid {
            true => view.is_valid() && view.failure.is_none(),
            false => !view.issues.is_empty(),
        };
        if !fits {
            let says = if wants_valid { view.issue_lines() } else { "nothing\n".to_owned() };
            say(&format!("  {}: {}: Puppet says {}", spec.topic, test.title, says.trim_end()));
            good = false;
        }
    }
    good
}

fn record_modules(version: &str) -> Result<bool> {
    let files = modules::installed();
    ensure!(!files.is_empty(), "no `puppet-module-*` package is installed");
    let cases: Vec<Case> = files.iter().map(modules::ModuleFile::case).collect::<Result<_>>()?;
    let names = files.into_iter().map(|file| file.name).collect();
    let mut head = vec![
        format!("What Puppet {version} says about the manifests and templates of Debian's packages."),
        "Written by `cargo xtask record digests`, never by hand.".to_owned(),
        "Columns: digests of the source, PN, JSON, nodes and complaints; the path below /usr/share."
            .to_owned(),
    ];
    head.extend(modules::packages());
    record_digests("debian-modules.txt", head, names, &cases)
}

fn record_resource_types() -> Result<bool> {
    let n_types = kukla_tests::restypes::record()?;
    say(&format!("resource-types.txt: {n_types} recorded"));
    Ok(true)
}

fn record_generated(count: u64, version: &str) -> Result<bool> {
    let cases: Vec<Case> = (1..=count).map(generator::program).collect();
    let names = (1..=count).map(|seed| seed.to_string()).collect();
    let head = vec![
        format!("What Puppet {version} says about generated programs."),
        "Written by `cargo xtask record generated`, never by hand.".to_owned(),
        "Columns: digests of the source, PN, JSON, nodes and complaints; the seed.".to_owned(),
    ];
    record_digests("generated.txt", head, names, &cases)
}

fn record_digests(
    name: &str,
    head: Vec<String>,
    names: Vec<String>,
    cases: &[Case],
) -> Result<bool> {
    let views = ask_all(cases, &|done| progress(name, done, cases.len()))?;
    let line = |((name, case), view): ((String, &Case), &View)| Line::new(name, &case.bytes, view);
    let lines = names.into_iter().zip(cases).zip(&views).map(line).collect();
    Digests { head, lines }.write(name)?;
    let n_valid = views.iter().filter(|view| view.is_valid()).count();
    say(&format!("{name}: {} recorded, {n_valid} of them valid", cases.len()));
    for (case, view) in cases.iter().zip(&views) {
        if let Some(failure) = &view.failure {
            say(&format!("  no answer for {}: {failure}", case.file_name()));
        }
    }
    Ok(true)
}
