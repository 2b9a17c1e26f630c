//! Facts, trusted data and classification, from JSON and YAML files.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use kukla_compiler::answer;
use kukla_pcore::convert::{Convert, Present};
use kukla_pcore::time::Timestamp;
use kukla_pcore::types::NoNames;
use kukla_pcore::{Hash, Value, data, richdata};
use kukla_rubytext::yaml::{self, LoadOptions};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::node::Node;

/// The nodes whose facts are in a file or directory, or the one of them that is named; at least one.
pub(crate) fn nodes(path: Option<&Path>, name: Option<&str>) -> anyhow::Result<Vec<Node>> {
    let mut nodes = match path {
        Some(path) if path.is_dir() => of_directory(path)?,
        Some(path) => vec![of_file(path)?],
        None => vec![Node { name: "localhost".to_owned(), ..Node::default() }],
    };
    if let Some(name) = name {
        match nodes.iter().position(|node| node.name == *name) {
            Some(at) => nodes = vec![nodes.swap_remove(at)],
            None if nodes.len() == 1 => name.clone_into(&mut nodes[0].name),
            None => bail!("there are no facts of `{name}`"),
        }
    }
    if nodes.is_empty() {
        bail!("there are no facts");
    }
    Ok(nodes)
}

/// The nodes of a directory, a file each, sorted by their names.
fn of_directory(directory: &Path) -> anyhow::Result<Vec<Node>> {
    let entries = std::fs::read_dir(directory)
        .with_context(|| format!("cannot read `{}`", directory.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        path.is_file() && matches!(extension, Some("json" | "yaml" | "yml"))
    });
    files.sort();
    // The complaint is about the first that is wrong, whoever reads it.
    let nodes: Vec<anyhow::Result<Node>> = files.par_iter().map(|path| of_file(path)).collect();
    nodes.into_iter().collect()
}

/// The node whose facts a file has: they are all of it, or what is under `values`.
fn of_file(path: &Path) -> anyhow::Result<Node> {
    let hash = read(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (name, facts) = match (hash.get_str("name"), hash.get_str("values")) {
        (Some(Value::String(name)), Some(Value::Hash(values))) => {
            (name.to_string(), (**values).clone())
        }
        _ => {
            let known = ["clientcert", "fqdn"].iter().find_map(|key| hash.get_str(key));
            let name = known.and_then(Value::as_str).map(str::to_owned).unwrap_or(stem);
            (name, hash)
        }
    };
    // Facts may hold rich data.
    let present = || Present { now: Timestamp(0), utc_offset: 0 };
    let convert = Convert::new(&NoNames, &present);
    let facts = match richdata::from_data(&Value::hash(facts.clone()), &convert) {
        Ok(Value::Hash(rich)) => (*rich).clone(),
        _ => facts,
    };
    Ok(Node { name, facts, ..Node::default() })
}

/// The extensions of a node's certificate: all of a file, or what is under `extensions`.
pub(crate) fn extensions(path: &Path) -> anyhow::Result<Hash> {
    let hash = read(path)?;
    Ok(match hash.get_str("extensions") {
        Some(Value::Hash(extensions)) => (**extensions).clone(),
        _ => hash,
    })
}

/// What a classifier says of a node.
pub(crate) fn classify(node: &mut Node, path: &Path) -> anyhow::Result<()> {
    let hash = read(path)?;
    node.take(&hash).with_context(|| path.display().to_string())
}

fn read(path: &Path) -> anyhow::Result<Hash> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{name}`"))?;
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let value = match is_json {
        true => {
            let json: serde_json::Value =
                serde_json::from_str(&text).with_context(|| format!("`{name}` is not JSON"))?;
            answer::from_json(&json)
        }
        false => {
            let options = LoadOptions {
                permitted_classes: &["Symbol", "Time"],
                aliases: true,
                filename: None,
            };
            yaml::load(&without_tags(&text), options)
                .and_then(data::value)
                .map_err(|error| anyhow!("`{name}` is not YAML: {}", error.message))?
        }
    };
    match value {
        Value::Hash(hash) => Ok((*hash).clone()),
        _ => bail!("`{name}` is not a hash"),
    }
}

/// What Puppet keeps of a node begins with the name of a Ruby class.
fn without_tags(text: &str) -> String {
    text.replacen("--- !ruby/object:Puppet::Node::Facts", "---", 1)
}
