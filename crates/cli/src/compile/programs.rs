//! Programs that say something about a node: classifiers, and what adds to trusted data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{anyhow, bail};
use kukla_pcore::{Hash, Value, data};
use kukla_rubytext::yaml::{self, LoadOptions};
use kukla_rubytext::{Data, json};
use kukla_site::settings::Settings;

use super::node::{self, Node};

/// Asks the program of the setting `external_nodes` about a node, if `node_terminus` says so.
pub(crate) fn classify(node: &mut Node, settings: &Settings) -> anyhow::Result<()> {
    match settings.text("node_terminus").as_deref() {
        None | Some("" | "plain") => Ok(()),
        Some("exec") => {
            let command = settings.text("external_nodes").unwrap_or_default();
            let answer = ask_classifier(&command, &node.name).map_err(|error| {
                anyhow!("Failed when searching for node {}: {error:#}", node.name)
            })?;
            let Some(answer) = answer else {
                bail!("Could not find node '{}'; cannot compile", node.name)
            };
            node.take(&answer)
                .map_err(|error| anyhow!("Failed when searching for node {}: {error:#}", node.name))
        }
        Some(other) => bail!("`node_terminus` is `plain` or `exec`, not `{other}`"),
    }
}

fn ask_classifier(command: &str, name: &str) -> anyhow::Result<Option<Hash>> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let [program, arguments @ ..] = words.as_slice() else {
        bail!("You must set the 'external_nodes' parameter to use the external node terminus");
    };
    if command == "none" {
        bail!("You must set the 'external_nodes' parameter to use the external node terminus");
    }
    if !Path::new(program).is_absolute() {
        bail!("You must set the exec parameter to a fully qualified command");
    }
    let mut arguments = arguments.to_vec();
    arguments.push(name);
    let output = execute(Path::new(program), &arguments)
        .map_err(|error| anyhow!("Failed to find {name} via exec: {error}"))?;
    if output.trim().is_empty() {
        return Ok(None);
    }
    let hash = read_classification(&output)
        .map_err(|error| anyhow!("Could not load external node results for {name}: {error}"))?;
    Ok(Some(hash))
}

fn read_classification(output: &str) -> Result<Hash, String> {
    let options = LoadOptions { permitted_classes: &["Symbol"], aliases: true, filename: None };
    let loaded = yaml::load(output, options).map_err(|error| match error.message {
        // Complaints of the parser have a place already.
        message if message.starts_with("(<unknown>)") => message,
        message => format!("(<unknown>): {message}"),
    })?;
    let class = |key: &Data| match key {
        Data::Nil => "NilClass",
        Data::Bool(true) => "TrueClass",
        Data::Bool(false) => "FalseClass",
        Data::Int(_) | Data::Big(_) => "Integer",
        Data::Float(_) => "Float",
        Data::Array(_) => "Array",
        Data::Hash(_) => "Hash",
        Data::Str(_) | Data::Symbol(_) | Data::Binary(_) | Data::Other(..) => "String",
    };
    let wrong_key = |key: &Data| match key {
        Data::Str(_) | Data::Symbol(_) => None,
        key => Some(format!("key is a {}, not a string or symbol", class(key))),
    };
    match &loaded {
        Data::Hash(entries) => {
            if let Some(message) = entries.iter().find_map(|(key, _)| wrong_key(key)) {
                return Err(message);
            }
        }
        Data::Array(items) => {
            return Err(items.first().and_then(wrong_key).unwrap_or_else(|| "not a hash".into()));
        }
        other => return Err(format!("a {} is not a hash", class(other))),
    }
    match data::value(loaded).map_err(|error| error.message)? {
        Value::Hash(hash) => Ok((*hash).clone()),
        _ => Err("not a hash".to_owned()),
    }
}

/// What the setting `trusted_external_command` adds to trusted data: what one program prints, or all of a directory.
pub(crate) fn trusted_external(name: &str, settings: &Settings) -> anyhow::Result<Value> {
    let Some(command) = settings.text("trusted_external_command").filter(|text| !text.is_empty())
    else {
        return Ok(Value::hash(Hash::new()));
    };
    let path = Path::new(&command);
    if !path.is_dir() {
        return fetch(path, name);
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| anyhow!("cannot read `{}`: {error}", path.display()))?;
    entries.sort();
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    for file in entries.iter().filter(|file| is_executable(file)) {
        let base = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if values.contains_key(&base) {
            bail!("There is more than one '{base}' script in {command}");
        }
        values.insert(base, fetch(file, name)?);
    }
    Ok(Value::hash(values.into_iter().map(|(name, value)| (Value::from(name), value)).collect()))
}

fn fetch(program: &Path, name: &str) -> anyhow::Result<Value> {
    let output = execute(program, &[name]).map_err(|message| anyhow!(message))?;
    let value = json::parse(&output).and_then(data::value);
    value.map_err(|error| anyhow!("`{}` prints no JSON: {}", program.display(), error.message))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Runs a program as Puppet does: what it prints; what it complains of is not looked at.
fn execute(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let shown = std::iter::once(program.display().to_string())
        .chain(arguments.iter().map(ToString::to_string));
    let shown = shown.collect::<Vec<_>>().join(" ");
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    // Programs speak one language, whoever runs them.
    command.env("LANG", "C").env("LC_ALL", "C");
    let failed = |status: i32, output: &str| {
        format!("Execution of '{shown}' returned {status}: {}", output.trim_end_matches('\n'))
    };
    let output = command.output().map_err(|_| failed(1, ""))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(0) => Ok(text.into_owned()),
        status => Err(failed(status.unwrap_or(1), &text)),
    }
}

impl Node {
    /// Takes what a classifier says.
    pub(super) fn take(&mut self, answer: &Hash) -> anyhow::Result<()> {
        self.is_classified = true;
        if let Some(classes) = answer.get_str("classes") {
            self.classes = node::classes(classes)?;
        }
        match answer.get_str("parameters") {
            None | Some(Value::Undef) => (),
            Some(Value::Hash(parameters)) => self.parameters = (**parameters).clone(),
            Some(_) => bail!("parameters are not a hash"),
        }
        if let Some(environment) = answer.get_str("environment").and_then(Value::as_str) {
            environment.clone_into(&mut self.environment);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::read_classification;

    #[test]
    fn classifications_are_hashes_with_names() {
        assert!(read_classification("---\nclasses: [a]\n:parameters: {b: 1}\n").is_ok());
        for (text, message) in [
            ("1: 2", "key is a Integer, not a string or symbol"),
            ("[1, 2]", "key is a Integer, not a string or symbol"),
            ("hello", "a String is not a hash"),
            ("parameters: {d: 2020-01-01}", "Tried to load unspecified class: Date"),
        ] {
            let error = read_classification(text).expect_err("it is none");
            assert!(error.contains(message), "{error}");
        }
    }
}
