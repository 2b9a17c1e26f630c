//! `cargo xtask compare catalogs`: catalogs of Debian's modules, Kukla's beside real Puppet's.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use kukla_tests::catalog::corpus::{self, Case, Corpus};
use kukla_tests::catalog::counts;
use kukla_tests::catalog::digests::{self, Line};
use kukla_tests::catalog::kept::{self, Kept};
use kukla_tests::catalog::origins;
use kukla_tests::catalog::score::{Kind, Score};
use kukla_tests::catalog::{Kukla, ORACLE};
use kukla_tests::digests::digest;
use kukla_tests::{Oracle, modules};
use serde_json::{Value, json};

use crate::shell::{cargo, progress, run, say};

/// Which catalogs are compared, and with what.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Catalogs {
    /// Of `catalogs`, `erb` and `functions`: only those whose name contains this, such as `apache::` or `node web`
    #[arg(long, value_name = "PART")]
    pub(crate) filter: Vec<String>,
    /// Of `catalogs`: only so many, spread over all
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Of `catalogs`: only these fact sets of tests/facts
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) facts: Vec<String>,
    /// Of `catalogs`: compare with what `cargo xtask record catalogs` kept below target/, and ask only for the rest
    #[arg(long)]
    pub(crate) kept: bool,
    /// Of `catalogs`: compare with the digests, without Puppet; tells counts, but no causes
    #[arg(long)]
    pub(crate) recorded: bool,
    /// Of `catalogs`: only those for which Puppet needs ERB or Ruby functions (`true`), or does not (`false`)
    #[arg(long, value_name = "BOOL")]
    pub(crate) needs_ruby: Option<bool>,
    /// Of `catalogs`: which Ruby code a real Ruby runs: `off`, `auto` or `always`
    #[arg(long, value_name = "MODE", value_parser = ["off", "auto", "always"])]
    pub(crate) ruby_worker: Option<String>,
    /// Of `catalogs`: names those that differ
    #[arg(long)]
    pub(crate) names: bool,
    /// Of `catalogs --recorded` and `catalog-specs`: write down what holds now, below which tests may not sink
    #[arg(long)]
    pub(crate) keep: bool,
    /// Of `catalogs`: count the values of ten nodes that are followed to where they were written first instead
    #[arg(long)]
    pub(crate) origins: bool,
    /// Of `catalogs`: give ours to `puppet apply --noop --catalog` instead
    #[arg(long)]
    pub(crate) apply: bool,
}

impl Catalogs {
    fn facts(&self) -> Vec<&str> {
        let wanted =
            |name: &&str| self.facts.is_empty() || self.facts.iter().any(|one| one == name);
        corpus::FACTS.into_iter().filter(wanted).collect()
    }

    /// The kept cases that are wanted.
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

    /// Compares, and tells the causes of differences.
    pub(crate) fn compare(&self, show: usize) -> Result<bool> {
        build()?;
        if self.apply {
            return self.apply();
        }
        if self.origins {
            return values_are_traced();
        }
        if let Ok(module_path) = std::env::var("MODULEPATH") {
            let score = self.foreign(&module_path)?;
            tell(&score, show);
            return Ok(score.all().different + score.all().failed == 0);
        }
        let score = if self.recorded { self.with_digests()? } else { self.live()? };
        tell(&score, show);
        if self.recorded && self.keep {
            counts::write(&score)?;
        }
        let all = score.all();
        Ok(all.different + all.failed == 0)
    }

    /// Both sides, live.
    pub(crate) fn live(&self) -> Result<Score> {
        let lines = self.lines()?;
        let corpus = Corpus::new()?;
        let (mut kukla, mut oracle) = (Kukla::start()?, None);
        let mut score = Score::default();
        let mut kept: Option<(String, Kept)> = None;
        for (index, (case, _)) in lines.iter().enumerate() {
            if self.kept && kept.as_ref().is_none_or(|(facts, _)| *facts != case.facts) {
                kept = Some((case.facts.clone(), Kept::read(&case.facts)?));
            }
            let known = match &kept {
                Some((_, kept)) => kept.answer(&corpus, case)?,
                None => None,
            };
            let puppet = match known {
                Some(answer) => answer.clone(),
                None => kept::ask(&corpus, warm(&mut oracle)?, case)?,
            };
            let ours = self.ours(&corpus, &mut kukla, case)?;
            self.add(&mut score, case, &puppet, &ours);
            progress("catalogs", index + 1, lines.len());
        }
        Ok(score)
    }

    /// Both sides, on the classes and examples of other modules; what Puppet says is kept below target/.
    fn foreign(&self, module_path: &str) -> Result<Score> {
        let corpus = Corpus::of(module_path)?;
        let (mut kukla, mut oracle) = (Kukla::start()?, Oracle::start_script(ORACLE)?);
        let mut score = Score::default();
        for facts in self.facts() {
            let mut kept = Kept::read(&format!("{facts}-{}", digest(module_path)))?;
            let mut cases = corpus.foreign_cases(&mut oracle, module_path, facts)?;
            cases.retain(|case| {
                self.filter.is_empty() || self.filter.iter().any(|part| case.name.contains(part))
            });
            let step = self.sample.map_or(1, |sample| cases.len().div_ceil(sample.max(1)));
            let n_cases = cases.len();
            for (index, case) in cases.iter().enumerate().step_by(step) {
                let puppet = match kept.ask(&corpus, &mut oracle, case) {
                    Ok(answer) => answer.clone(),
                    Err(error) => {
                        say(&format!("Puppet gives no answer to {}: {error:#}", case.name));
                        oracle = Oracle::start_script(ORACLE)?;
                        continue;
                    }
                };
                if puppet.get("unstable").is_none() {
                    let ours = self.ours(&corpus, &mut kukla, case)?;
                    self.add(&mut score, case, &puppet, &ours);
                }
                progress(facts, index + 1, n_cases);
            }
        }
        Ok(score)
    }

    fn add(&self, score: &mut Score, case: &Case, puppet: &Value, ours: &Value) {
        let n_before = score.all().equal;
        score.add(&format!("{} @ {}", case.name, case.facts), puppet, ours);
        if self.names && score.all().equal == n_before {
            say(&format!("differs: {} @ {}", case.name, case.facts));
        }
    }

    /// Ours, given to real Puppet's agent; it looks at this machine, but changes nothing.
    fn apply(&self) -> Result<bool> {
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
            say(&format!("{verdict}: {} @ {}", case.name, case.facts));
            good &= is_accepted;
        }
        std::fs::remove_dir_all(&work)?;
        Ok(good)
    }

    /// Ours beside the digests.
    pub(crate) fn with_digests(&self) -> Result<Score> {
        let lines = self.lines()?;
        let corpus = Corpus::new()?;
        let mut kukla = Kukla::start()?;
        let mut score = Score::default();
        for (index, (case, line)) in lines.iter().enumerate() {
            let ours = self.ours(&corpus, &mut kukla, case)?;
            let kind = Kind::of(line.resources.is_some(), line.needs_ruby);
            let is_equal = line.agrees(&ours);
            score.count(kind, is_equal, ours.get("catalog").is_some());
            if self.names && !is_equal {
                say(&format!("differs: {} @ {}", case.name, case.facts));
            }
            progress("catalogs", index + 1, lines.len());
        }
        Ok(score)
    }
}

impl Catalogs {
    /// Our answer; a process that has gone is started again, and the case is a failure.
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

/// How many cases of `cargo xtask test` are put to both sides.
const SAMPLE: usize = 60;

/// Whether no fewer catalogs are equal to the digests than was written down.
pub(crate) fn have_not_sunk() -> Result<bool> {
    build()?;
    let score = Catalogs::default().with_digests()?;
    say(&score.to_string());
    let sunk = counts::sunk(&score)?;
    sunk.iter().for_each(|line| say(&format!("  {line}")));
    Ok(sunk.is_empty())
}

/// Nodes of tests/spec/catalogs whose catalogs `cargo xtask test` gives to Puppet's agent: one costs seconds.
const APPLIED: [&str; 3] = ["node plain1.", "node web1.", "node pg1."];

/// Whether real Puppet takes some of our catalogs.
pub(crate) fn some_are_applied() -> Result<bool> {
    build()?;
    let filter = APPLIED.iter().map(ToString::to_string).collect();
    Catalogs { filter, facts: vec!["debian12".to_owned()], ..Catalogs::default() }.apply()
}

/// Whether digests are still what Puppet says, and both sides agree where they did, on a few cases.
pub(crate) fn live_sample() -> Result<bool> {
    build()?;
    let sample = Catalogs { sample: Some(SAMPLE), needs_ruby: Some(false), ..Catalogs::default() };
    let (live, recorded) = (sample.live()?, sample.with_digests()?);
    say(&live.to_string());
    Ok(live.all() == recorded.all())
}

/// Whether nearly all values of real nodes are followed to where they were written first: 99 of 100.
pub(crate) fn values_are_traced() -> Result<bool> {
    build()?;
    let found = origins::count()?;
    say(&format!("  {} of {} parameters are traced", found.traced, found.all));
    Ok(found.traced * 100 >= found.all * 99)
}

/// Builds the program that is compared, unless the variable `KUKLA` names one.
pub(crate) fn build() -> Result<()> {
    if std::env::var_os("KUKLA").is_none() {
        ensure!(run(cargo().args(["build", "--quiet", "-p", "kukla"]))?, "`kukla` can't be built");
    }
    Ok(())
}

/// Whether `puppet apply --noop --catalog` gets to the end of a catalog.
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
        let kukla_tests::catalog::score::Found { n_cases, n_alone, example, cause, .. } = found;
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

/// Asks Puppet about all catalogs that are not kept below target/ yet, and writes the digests of all.
///
/// With topics only those are asked about whose names contain one; what was recorded of the others stays.
pub(crate) fn record(facts: &[String], topics: &[String], version: &str) -> Result<bool> {
    let wanted = Catalogs { facts: facts.to_vec(), ..Catalogs::default() };
    let corpus = Corpus::new()?;
    let mut oracle = Oracle::start_script(ORACLE)?;
    for facts in wanted.facts() {
        let cases = corpus::cases(&mut oracle, facts)?;
        let mut kept = Kept::read(facts)?;
        let mut lines = Vec::new();
        let mut recorded = match topics.is_empty() {
            true => Vec::new(),
            false => digests::read(facts)?,
        };
        for (index, case) in cases.iter().enumerate() {
            if !topics.is_empty() && !topics.iter().any(|topic| case.name.contains(topic)) {
                let at = recorded.iter().position(|line| line.name == case.name);
                lines.extend(at.map(|at| recorded.swap_remove(at)));
                continue;
            }
            let answer = kept.ask(&corpus, &mut oracle, case)?;
            if answer.get("unstable").is_none() {
                lines.push(Line::of(&case.name, answer));
            }
            progress(facts, index + 1, cases.len());
        }
        let mut head = vec![
            format!(
                "Catalogs of Puppet {version} for nodes of tests/spec/catalogs and classes of Debian's packages."
            ),
            "Written by `cargo xtask record catalogs`, never by hand.".to_owned(),
            "Columns: digest, whether Ruby is needed, name, digests of resources.".to_owned(),
        ];
        head.extend(modules::packages());
        digests::write(facts, &head, &lines)?;
        tell_recorded(facts, &lines);
    }
    Ok(true)
}

fn tell_recorded(facts: &str, lines: &[Line]) {
    let count = |wanted: &dyn Fn(&&Line) -> bool| lines.iter().filter(wanted).count();
    say(&format!(
        "{facts}: {} cases, {} with a catalog, {} of them with more than 50 resources, {} without Ruby",
        lines.len(),
        count(&|line| line.resources.is_some()),
        count(&|line| line.n_resources() > 50),
        count(&|line| line.resources.is_some() && !line.needs_ruby),
    ));
}
