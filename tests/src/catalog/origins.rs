//! Counts values of real nodes whose origins are traced to the place where they were written.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::corpus::{Case, Corpus, FACTS, NODE, USUAL_NODES};
use super::kukla;

/// Parameters of catalogs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// All parameters.
    pub all: u64,
    /// Parameters whose chains end in a literal, a default, a fact, data, a classifier or an export.
    pub traced: u64,
}

/// Counts the parameters of all resources of the usual nodes.
pub fn count() -> Result<Traced> {
    let corpus = Corpus::new()?;
    let mut sum = Traced::default();
    for (node, _) in USUAL_NODES {
        let traced = of_node(&corpus, node).with_context(|| format!("on {node}"))?;
        ensure!(traced.all > 0, "the catalog of {node} has no parameters");
        sum = Traced { all: sum.all + traced.all, traced: sum.traced + traced.traced };
    }
    Ok(sum)
}

fn of_node(corpus: &Corpus, node: &str) -> Result<Traced> {
    let name = format!("{node}.example.com");
    let question =
        corpus.question(&Case { name: format!("{NODE}{name}"), facts: FACTS[0].to_owned() });
    let text = |key: &str| question[key].as_str().context("a question has paths");
    let mut command = Command::new(kukla::program()?);
    command.args(["compile", "--format", "origins", "--node", &name]);
    command.args(["--environmentpath", text("environmentpath")?]);
    command.args(["--environment", text("environment")?, "--facts", text("facts")?]);
    let output = command.output().context("cannot start `kukla`")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = String::from_utf8(output.stdout)?;
    let last: Value = serde_json::from_str(output.lines().last().context("nothing is printed")?)?;
    let number = |key: &str| last["counts"][key].as_u64().context("the last line has counts");
    Ok(Traced { all: number("parameters")?, traced: number("traced")? })
}
