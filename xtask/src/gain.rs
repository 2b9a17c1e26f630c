//! Gain of the profile `dist` over `release`: the same warm catalogs by both programs.

use anyhow::{Context, Result, ensure};
use kukla_tests::catalog::Kukla;
use kukla_tests::catalog::corpus::{Case, Corpus, NODE};
use serde_json::json;

use crate::dist;
use crate::shell::{cargo, root, run, say};

/// Nodes of tests/spec/catalogs of different kinds.
const NODES: [&str; 6] = ["web2", "lb2", "pg2", "os-neutron", "accounts1", "apps2"];
const FACTS: &str = "debian12";
/// Compilations per question, and questions per program: the shortest counts, since other work only adds time.
const ROUNDS: u64 = 100;
const QUESTIONS: usize = 5;

/// Builds missing programs and prints both times for each node.
#[expect(clippy::print_stdout, reason = "the result of the chore")]
pub(crate) fn measure() -> Result<bool> {
    if !dist::ensure_built()? {
        return Ok(false);
    }
    say("building with the profile `release`");
    if !run(cargo().args(["build", "--quiet", "--release", "--package=kukla"]))? {
        return Ok(false);
    }
    let corpus = Corpus::new()?;
    let mut release = Kukla::start_program(&root().join("target/release/kukla"))?;
    let mut dist = Kukla::start_program(&dist::program("kukla"))?;
    println!("warm catalogs, CPU time in ms: release, dist, dist/release");
    let (mut sums, mut n_nodes) = (0.0, 0.0);
    for node in NODES {
        let case = Case { name: format!("{NODE}{node}.example.com"), facts: FACTS.to_owned() };
        let (mut slow, mut fast) = (f64::MAX, f64::MAX);
        for _ in 0..QUESTIONS {
            slow = slow.min(time(&corpus, &mut release, &case)?);
            fast = fast.min(time(&corpus, &mut dist, &case)?);
        }
        println!("{node:<12} {slow:8.3} {fast:8.3} {:6.2}", fast / slow);
        sums += (fast / slow).ln();
        n_nodes += 1.0;
    }
    ensure!(n_nodes > 0.0, "no node was measured");
    println!("geometric mean of dist/release: {:.2}", f64::exp(sums / n_nodes));
    Ok(true)
}

fn time(corpus: &Corpus, kukla: &mut Kukla, case: &Case) -> Result<f64> {
    let mut question = corpus.question(case);
    question["rounds"] = json!(ROUNDS);
    let answer = kukla.ask(&question)?;
    answer["warm_cpu_ms"].as_f64().with_context(|| format!("no catalog: {case}"))
}
