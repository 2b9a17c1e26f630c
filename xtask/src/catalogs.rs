//! `cargo xtask compare catalogs`: catalogs of Debian's modules, compared with real Puppet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use kukla_tests::Oracle;
use kukla_tests::catalog::answer_cache::{self, AnswerCache};
use kukla_tests::catalog::corpus::{self, Case, Corpus};
use kukla_tests::catalog::digests::{self, Line};
use kukla_tests::catalog::score::{Kind, Score};
use kukla_tests::catalog::{Kukla, ORACLE};
use kukla_tests::cores::on_all_cores;
use kukla_tests::digests::digest;
use kukla_tests::known_differences::CATALOGS;
use serde_json::{Value, json};

use crate::catalog_checks;
use crate::shell::{cargo, progress, run, say};

/// Selection of catalogs, and the side to compare with.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Catalogs {
    /// For `catalogs`, `erb` and `functions`: only those whose name contains this, such as `apache::` or `node web`
    #[arg(long, value_name = "PART")]
    pub(crate) filter: Vec<String>,
    /// For `catalogs`: only this many, spread over all
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// For `catalogs`: only these fact sets of tests/facts
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) facts: Vec<String>,
    /// For `catalogs`: compare with answers that `cargo xtask record catalogs` cached below target/, and ask only for the rest
    #[arg(long)]
    pub(crate) kept: bool,
    /// For `catalogs`: compare with the digests, without Puppet; prints counts, but no causes
    #[arg(long)]
    pub(crate) recorded: bool,
    /// For `catalogs`: only those for which Puppet needs ERB or Ruby functions (`true`), or does not (`false`)
    #[arg(long, value_name = "BOOL")]
    pub(crate) needs_ruby: Option<bool>,
    /// For `catalogs`: Ruby code that a real Ruby runs: `off`, `auto` or `always`
    #[arg(long, value_name = "MODE", value_parser = ["off", "auto", "always"])]
    pub(crate) ruby_worker: Option<String>,
    /// For `catalogs`: list the names of those that differ
    #[arg(long)]
    pub(crate) names: bool,
    /// For `catalogs --recorded` and `catalog-specs`: list the cases that differ now as known differences
    #[arg(long)]
    pub(crate) keep: bool,
    /// For `catalogs`: instead, count the values of ten nodes that are traced to the place where they were written
    #[arg(long)]
    pub(crate) origins: bool,
    /// For `catalogs`: instead, pass ours to `puppet apply --noop --catalog`
    #[arg(long)]
    pub(crate) apply: bool,
}

/// Result of comparing catalogs.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// Counts by kind.
    pub(crate) score: Score,
    /// The names of all cases.
    pub(crate) cases: BTreeSet<String>,
    /// The names of those that differ.
    pub(crate) differing: BTreeSet<String>,
}

impl Catalogs {
    /// Returns the selected fact sets.
    pub(crate) fn facts(&self) -> Vec<&str> {
        let wanted =
            |name: &&str| self.facts.is_empty() || self.facts.iter().any(|one| one == name);
        corpus::FACTS.into_iter().filter(wanted).collect()
    }

    /// Returns the selected recorded cases.
    fn lines(&self) -> Result<Vec<(Case, Line)>> {
        let mut all = Vec::new();
        for facts in self.facts() {
            for line in digests::read(facts)? {
                let by_name = || self.filter.iter().any(|part| line.name.contains(part));
                let by_ruby = self.needs_ruby.is_none_or(|needs| needs == line.needs_ruby);
                if by_ruby && (self.filter.is_empty() || by_name()) {
                    all.push((Case { name: line.name.clone(), facts: facts.to_owned() }, line));
                }
            }
        }
        ensure!(!all.is_empty(), "no catalog has such a name and such facts");
        let step = self.sample.map_or(1, |sample| all.len().div_ceil(sample.max(1)));
        Ok(all.into_iter().step_by(step).collect())
    }

    /// Compares, and prints the causes of differences.
    pub(crate) fn compare(&self, show: usize) -> Result<bool> {
        build()?;
        if self.apply {
            return self.apply();
        }
        if self.origins {
            return catalog_checks::values_are_traced();
        }
        let verdicts = match std::env::var("MODULEPATH") {
            Ok(module_path) => self.foreign(&module_path)?,
            Err(_) if self.recorded => self.with_digests()?,
            Err(_) => self.live()?,
        };
        if self.names {
            verdicts.differing.iter().for_each(|name| say(&format!("differs: {name}")));
        }
        tell(&verdicts.score, show);
        if self.recorded && self.keep {
            ensure!(
                self.is_everything(),
                "`--keep` is for all catalogs: leave out what picks some"
            );
            CATALOGS.write(&verdicts.differing)?;
        }
        Ok(verdicts.differing.is_empty())
    }

    /// Compares both sides live.
    pub(crate) fn live(&self) -> Result<Verdicts> {
        let lines = self.lines()?;
        let corpus = Corpus::new()?;
        let caches = self.cached_answers()?;
        let (mut kukla, mut oracle) = (Kukla::start()?, None);
        let mut verdicts = Verdicts::default();
        // Libraries that Puppet's process loaded for earlier cases affect later ones, so one process is asked in the order of
        // the list.
        for (n_done, (case, _)) in (1..).zip(&lines) {
            let answer = match caches.get(&case.facts) {
                Some(cache) => cache.answer(&corpus, case)?.cloned(),
                None => None,
            };
            let puppet = match answer {
                Some(answer) => answer,
                None => answer_cache::ask(&corpus, warm(&mut oracle)?, case)?,
            };
            verdicts.add(case, &puppet, &self.ours(&corpus, &mut kukla, case)?);
            progress("catalogs", n_done, lines.len());
        }
        Ok(verdicts)
    }

    /// Returns Puppet's cached answers by fact sets, if they are wanted.
    fn cached_answers(&self) -> Result<BTreeMap<String, AnswerCache>> {
        let wanted = if self.kept { self.facts() } else { Vec::new() };
        wanted.into_iter().map(|facts| Ok((facts.to_owned(), AnswerCache::read(facts)?))).collect()
    }

    /// Compares both sides on the classes and examples of other modules; caches Puppet's answers below target/.
    fn foreign(&self, module_path: &str) -> Result<Verdicts> {
        let corpus = Corpus::of(module_path)?;
        let (mut kukla, mut oracle) = (Kukla::start()?, Oracle::start_script(ORACLE)?);
        let mut verdicts = Verdicts::default();
        for facts in self.facts() {
            let mut cache = AnswerCache::read(&format!("{facts}-{}", digest(module_path)))?;
            let mut cases = corpus.foreign_cases(&mut oracle, module_path, facts)?;
            cases.retain(|case| {
                self.filter.is_empty() || self.filter.iter().any(|part| case.name.contains(part))
            });
            let step = self.sample.map_or(1, |sample| cases.len().div_ceil(sample.max(1)));
            let n_cases = cases.len();
            for (index, case) in cases.iter().enumerate().step_by(step) {
                let puppet = match cache.ask(&corpus, &mut oracle, case) {
                    Ok(answer) => answer.clone(),
                    Err(error) => {
                        say(&format!("Puppet gives no answer to {}: {error:#}", case.name));
                        oracle = Oracle::start_script(ORACLE)?;
                        continue;
                    }
                };
                if puppet.get("unstable").is_none() {
                    let ours = self.ours(&corpus, &mut kukla, case)?;
                    verdicts.add(case, &puppet, &ours);
                }
                progress(facts, index + 1, n_cases);
            }
        }
        Ok(verdicts)
    }

    /// Passes our catalogs to real Puppet's agent, which inspects this machine, but changes nothing.
    pub(crate) fn apply(&self) -> Result<bool> {
        let corpus = Corpus::new()?;
        let mut kukla = Kukla::start()?;
        let work = std::env::temp_dir().join(format!("kukla-apply-{}", std::process::id()));
        std::fs::create_dir_all(&work)?;
        let mut good = true;
        for (case, _) in self.lines()? {
            let answer = kukla.ask(&corpus.question(&case))?;
            let Some(catalog) = answer.get("catalog") else { continue };
            let is_accepted = accepts(&work, catalog)?;
            let verdict = if is_accepted { "accepted" } else { "REFUSED" };
            say(&format!("{verdict}: {case}"));
            good &= is_accepted;
        }
        std::fs::remove_dir_all(&work)?;
        Ok(good)
    }

    /// Compares our catalogs with the digests.
    pub(crate) fn with_digests(&self) -> Result<Verdicts> {
        let lines = self.lines()?;
        let corpus = Corpus::new()?;
        let ask = |kukla: &mut Kukla, (case, line): &(Case, Line)| {
            let ours = self.ours(&corpus, kukla, case)?;
            Ok((line.agrees(&ours), ours.get("catalog").is_some()))
        };
        let done = |n_done| progress("catalogs", n_done, lines.len());
        let answers = on_all_cores(&lines, &Kukla::start, &ask, &done)?;
        let mut verdicts = Verdicts::default();
        for ((case, line), (is_equal, is_catalog)) in lines.iter().zip(answers) {
            let kind = Kind::of(line.resources.is_some(), line.needs_ruby);
            verdicts.score.count(kind, is_equal, is_catalog);
            verdicts.note(case, is_equal);
        }
        Ok(verdicts)
    }
}

impl Verdicts {
    /// Counts a case with the answers of both sides.
    fn add(&mut self, case: &Case, puppet: &Value, ours: &Value) {
        let n_before = self.score.all().equal;
        self.score.add(&case.to_string(), puppet, ours);
        self.note(case, self.score.all().equal > n_before);
    }

    fn note(&mut self, case: &Case, is_equal: bool) {
        if !is_equal {
            self.differing.insert(case.to_string());
        }
        self.cases.insert(case.to_string());
    }
}

impl Catalogs {
    /// Whether no option restricts the selection.
    fn is_everything(&self) -> bool {
        self.filter.is_empty()
            && self.facts.is_empty()
            && self.sample.is_none()
            && self.needs_ruby.is_none()
            && self.ruby_worker.is_none()
    }

    /// Returns our answer; restarts a process that has died, and counts the case as a failure.
    fn ours(&self, corpus: &Corpus, kukla: &mut Kukla, case: &Case) -> Result<Value> {
        let mut question = corpus.question(case);
        if let Some(mode) = &self.ruby_worker {
            question["ruby_worker"] = json!(mode);
        }
        match kukla.ask(&question) {
            Ok(answer) => Ok(corpus.normal(case, &answer)),
            Err(error) => {
                *kukla = Kukla::start()?;
                Ok(json!({ "error": format!("crash: {error:#}"), "logs": [] }))
            }
        }
    }
}

/// Builds the compared program, unless the variable `KUKLA` names one.
pub(crate) fn build() -> Result<()> {
    if std::env::var_os("KUKLA").is_none() {
        ensure!(run(cargo().args(["build", "--quiet", "-p", "kukla"]))?, "`kukla` can't be built");
    }
    Ok(())
}

/// Whether `puppet apply --noop --catalog` processes a whole catalog.
fn accepts(work: &Path, catalog: &Value) -> Result<bool> {
    let file = work.join("catalog.json");
    std::fs::write(&file, catalog.to_string())?;
    let output = Command::new("puppet")
        .args(["apply", "--noop", "--color=false", "--catalog"])
        .arg(&file)
        .arg(format!("--confdir={}", work.join("conf").display()))
        .arg(format!("--vardir={}", work.join("var").display()))
        .output()
        .context("cannot start `puppet`")?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success() && text.contains("Applied catalog in"))
}

fn warm(oracle: &mut Option<Oracle>) -> Result<&mut Oracle> {
    if oracle.is_none() {
        *oracle = Some(Oracle::start_script(ORACLE)?);
    }
    oracle.as_mut().context("it was started")
}

#[expect(clippy::print_stdout, reason = "the result of the chore")]
fn tell(score: &Score, show: usize) {
    for found in score.causes().into_iter().take(show) {
        let kukla_tests::catalog::score::CauseCount { n_cases, n_alone, example, cause, .. } =
            found;
        println!("{n_cases} catalogs, {n_alone} of them for this alone: {}", cause.kind);
        println!("  {example}: {}", cause.at);
        println!("  puppet {}\n  kukla  {}", short(&cause.puppet), short(&cause.kukla));
    }
    println!("{score}");
}

fn short(text: &str) -> String {
    let text = text.replace('\n', "\\n");
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
