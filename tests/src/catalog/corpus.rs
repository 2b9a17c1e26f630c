//! Catalogs of real modules: every class of Debian's packages, and nodes of our own that use them.
//!
//! With other modules ([`Corpus::of`]) the nodes are the examples in these modules and their pages.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::environment::{self, Environments};
use super::{examples, normal};
use crate::digests::digest;
use crate::{Oracle, ROOM};

/// Directory of the modules.
pub const MODULES: &str = "/usr/share/puppet/modules";
/// The fact sets of `facts/`, in the order in which they are used.
pub const FACTS: [&str; 5] = ["debian12", "debian11", "ubuntu2204", "rhel9", "rhel8"];
/// Prefix of the names of cases that are nodes of our own.
pub const NODE: &str = "node ";

/// Nodes of our own that resemble those of real sites, with descriptions.
pub const USUAL_NODES: [(&str, &str); 10] = [
    ("web2", "web server"),
    ("web7", "web server"),
    ("lb2", "load balancer"),
    ("pg2", "database"),
    ("my2", "database"),
    ("os-nova", "OpenStack"),
    ("os-neutron", "OpenStack"),
    ("os-settings", "OpenStack, settings"),
    ("accounts1", "accounts"),
    ("apps2", "applications"),
];

/// One catalog: a class or a node of our own, on some facts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// `apache::mod::ssl`, or `node web.example.com`.
    pub name: String,
    /// `debian12`
    pub facts: String,
}

impl fmt::Display for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} @ {}", self.name, self.facts)
    }
}

/// The environments that the cases are compiled in.
#[derive(Debug)]
pub struct Corpus {
    classes: Environments,
    nodes: Environments,
    digest: String,
    /// Example code of modules, by the names of its cases.
    examples: BTreeMap<String, String>,
}

impl Corpus {
    /// Writes the environments.
    pub fn new() -> Result<Self> {
        ensure!(Path::new(MODULES).exists(), "no `puppet-module-*` package is installed");
        Self::write(MODULES, &node_manifests()?, BTreeMap::new())
    }

    /// Creates the corpus of other modules, from a module path.
    pub fn of(module_path: &str) -> Result<Self> {
        Self::write(module_path, &[], examples::code(module_path)?)
    }

    fn write(
        module_path: &str,
        manifests: &[(String, String)],
        examples: BTreeMap<String, String>,
    ) -> Result<Self> {
        let files = manifests.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        // Some functions look for modules in the environment of that name, whatever path the question has.
        let conf = ("environment.conf", &*format!("modulepath = {module_path}\n"));
        Ok(Self {
            classes: Environments::write([("manifests/site.pp", "include $subject\n"), conf])?,
            nodes: Environments::write(files.chain([conf]))?,
            digest: digest(manifests.iter().map(|(_, text)| &**text).collect::<String>()),
            examples,
        })
    }

    /// Returns the digest of all our files that the answer depends on.
    pub fn source(&self, case: &Case) -> Result<String> {
        let facts = std::fs::read_to_string(facts_path(case))?;
        let nodes = if case.name.starts_with(NODE) { &*self.digest } else { "" };
        let example = self.examples.get(&case.name).map_or("", String::as_str);
        Ok(digest(format!("{facts}{nodes}{example}")))
    }

    /// Returns the question about a case.
    pub fn question(&self, case: &Case) -> Value {
        let mut question = json!({
            "id": case.name,
            "environmentpath": self.environments(case).path(),
            "environment": environment::NAME,
            "facts": facts_path(case),
        });
        match (case.name.strip_prefix(NODE), self.examples.get(&case.name)) {
            (Some(node), _) => question["node"] = json!(node),
            (None, code) => {
                question["node"] = json!("node.example.com");
                match code {
                    Some(code) => question["code"] = json!(code),
                    None => question["parameters"] = json!({ "subject": case.name }),
                }
            }
        }
        question
    }

    /// Normalizes an answer for comparison.
    pub fn normal(&self, case: &Case, answer: &Value) -> Value {
        let root = self.environments(case).path();
        normal(answer, &root.to_string_lossy(), environment::DISPLAYED)
    }

    fn environments(&self, case: &Case) -> &Environments {
        if case.name.starts_with(NODE) { &self.nodes } else { &self.classes }
    }
}

fn facts_path(case: &Case) -> PathBuf {
    Path::new(ROOM).join("facts").join(format!("{}.json", case.facts))
}

/// Returns all cases with these facts, with the classes that Puppet finds.
pub fn cases(oracle: &mut Oracle, facts: &str) -> Result<Vec<Case>> {
    let case = |name: String| Case { name, facts: facts.to_owned() };
    Ok(nodes()?.into_iter().chain(classes(oracle, MODULES)?).map(case).collect())
}

impl Corpus {
    /// Returns all cases of other modules: their classes, and their examples.
    pub fn foreign_cases(
        &self,
        oracle: &mut Oracle,
        module_path: &str,
        facts: &str,
    ) -> Result<Vec<Case>> {
        let case = |name: String| Case { name, facts: facts.to_owned() };
        let names = classes(oracle, module_path)?.into_iter().chain(self.examples.keys().cloned());
        Ok(names.map(case).collect())
    }
}

/// Returns the names of all classes of the modules on a module path.
fn classes(oracle: &mut Oracle, module_path: &str) -> Result<Vec<String>> {
    let directories: Vec<&str> = module_path.split(':').collect();
    let answer = oracle.ask_json(&json!({ "list": directories }))?;
    let classes = answer["classes"].as_array().context("Puppet lists no classes")?;
    Ok(classes.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Returns the nodes of our own, sorted: `node web.example.com`.
pub(crate) fn nodes() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for (_, text) in node_manifests()? {
        let lines = text.lines().filter_map(|line| line.strip_prefix("node '"));
        let nodes = lines.filter_map(|line| line.split('\'').next());
        names.extend(nodes.map(|node| format!("{NODE}{node}")));
    }
    Ok(names)
}

/// Returns the manifests of `spec/catalogs/`, by their paths in an environment.
fn node_manifests() -> Result<Vec<(String, String)>> {
    let folder = Path::new(ROOM).join("spec/catalogs");
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot list `{}`", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pp"));
    paths.sort();
    let read = |path: PathBuf| -> Result<(String, String)> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok((format!("manifests/{name}"), std::fs::read_to_string(&path)?))
    };
    paths.into_iter().map(read).collect()
}
