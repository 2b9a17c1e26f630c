//! Counts values of real nodes whose origins are traced to the place where they were written.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::corpus::{Case, Corpus, FACTS, NODE, USUAL_NODES};
use super::kukla;

/// The ends of chains that answer the question where a value comes from.
const ENDS: [&str; 6] = ["literal", "default", "fact", "data", "classifier", "exported"];

/// Parameters of catalogs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traced {
    /// The number of all parameters.
    pub all: usize,
    /// Those with a chain that ends elsewhere, or nowhere: node, resource, parameter, ends.
    pub others: Vec<String>,
}

impl Traced {
    /// Returns the number of parameters all of whose chains end in a literal, a default, a fact, data, a classifier or
    /// an export.
    pub fn traced(&self) -> usize {
        self.all - self.others.len()
    }
}

/// Counts the parameters of all resources of the usual nodes.
pub fn count() -> Result<Traced> {
    let corpus = Corpus::new()?;
    let mut sum = Traced::default();
    for (node, _) in USUAL_NODES {
        let before = sum.all;
        let output = origins(&corpus, node).with_context(|| format!("on {node}"))?;
        for line in output.lines() {
            sum.add(node, &serde_json::from_str(line)?);
        }
        ensure!(sum.all > before, "the catalog of {node} has no parameters");
    }
    Ok(sum)
}

impl Traced {
    fn add(&mut self, node: &str, line: &Value) {
        let Some(leaves) = line["leaves"].as_array() else { return };
        self.all += 1;
        let ends: Vec<&str> = leaves.iter().filter_map(|leaf| leaf["leaf"].as_str()).collect();
        if ends.is_empty() || !ends.iter().all(|end| ENDS.contains(end)) {
            let text = |key: &str| line[key].as_str().unwrap_or_default();
            let (resource, parameter) = (text("resource"), text("parameter"));
            self.others.push(format!("{node}: {resource} {parameter}: {leaves:?}"));
        }
    }
}

/// Returns what `kukla compile --format origins` prints of a node.
fn origins(corpus: &Corpus, node: &str) -> Result<String> {
    let name = format!("{node}.example.com");
    let question =
        corpus.question(&Case { name: format!("{NODE}{name}"), facts: FACTS[0].to_owned() });
    let text = |key: &str| question[key].as_str().context("a question has paths");
    let mut command = Command::new(kukla::program()?);
    command.args(["compile", "--format", "origins", "--node", &name]);
    command.args(["--edition", crate::edition().as_str()]);
    command.args(["--environmentpath", text("environmentpath")?]);
    command.args(["--environment", text("environment")?, "--facts", text("facts")?]);
    let output = command.output().context("cannot start `kukla`")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}
