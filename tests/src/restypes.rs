//! Resource types compared with real Puppet: names of attributes, keys, and the parts of some titles.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use kukla_catalog::types::{AppliesTo, Builtins, ResourceType};
use kukla_restypes::{LibDirectories, ResourceTypes, TypeLookup, TypeSources as _};
use kukla_world::{Disk, Record, Recording};
use serde_json::{Map, Value, json};

use crate::ROOM;
use crate::digests::digest;

/// Debian's modules.
pub const MODULES: &str = "/usr/share/puppet/modules";
const DIGESTS: &str = "digests/resource-types.txt";
/// Replacement of the file for a type of Puppet itself.
const OWN: &str = "-";

/// Result of the comparison.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Number of equal types.
    pub n_equal: usize,
    /// Differences.
    pub different: Vec<String>,
    /// Types that Kukla can't read, with the reason.
    pub unreadable: Vec<String>,
    /// Types that Puppet can't load, with the reason.
    pub broken: Vec<String>,
}

/// Asks Puppet about all types on a module path and its own. `RUBYLIB` may name the Resource API.
pub fn ask(module_path: &str) -> Result<Vec<Value>> {
    let mut ruby = Command::new("ruby")
        .arg(Path::new(ROOM).join("oracle/resource_types.rb"))
        .arg(module_path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start `ruby`")?;
    ruby.stdin.take().context("`ruby` has no input")?.write_all(b"*\n")?;
    let output = ruby.wait_with_output()?;
    ensure!(output.status.success(), "there is no Puppet to ask");
    let lines = String::from_utf8(output.stdout)?;
    lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Returns Kukla's types of a module path.
pub fn ours(module_path: &str) -> ResourceTypes {
    let sources = LibDirectories::of_module_path(module_path.split(':'), &Disk);
    ResourceTypes::new(sources, Arc::new(Builtins::new(crate::edition())))
}

/// Compares Puppet's answers with Kukla's types.
pub fn compare(said: &[Value], types: &ResourceTypes) -> Result<Outcome> {
    let titles = titles()?;
    let mut outcome = Outcome::default();
    for said in said {
        let name = said["name"].as_str().unwrap_or_default();
        if let Some(error) = said["error"].as_str() {
            outcome.broken.push(error.to_owned());
            continue;
        }
        match types.find(name, &Disk, &Record::off()) {
            TypeLookup::Unreadable(why) => outcome.unreadable.push(format!("{name}: {why}")),
            TypeLookup::Missing => outcome.different.push(format!("{name}: we have no such type")),
            TypeLookup::Known(ours) => match difference(&facts(&ours, &titles), &of_puppet(said)) {
                None => outcome.n_equal += 1,
                Some(difference) => outcome.different.push(format!("{name}: {difference}")),
            },
        }
    }
    Ok(outcome)
}

fn difference(ours: &Value, said: &Value) -> Option<String> {
    let ours = ours.as_object()?;
    let what = ours.iter().find(|(key, value)| said[key.as_str()] != **value);
    what.map(|(key, value)| format!("{key}: ours {value}, Puppet's {}", said[key.as_str()]))
}

/// Returns the compared facts, in the order in which we write them.
fn of_puppet(said: &Value) -> Value {
    let keys = ["properties", "parameters", "keys", "isomorphic", "apply_to", "titles"];
    keys.iter().map(|key| ((*key).to_owned(), said[*key].clone())).collect::<Map<_, _>>().into()
}

fn titles() -> Result<Vec<String>> {
    let text = std::fs::read_to_string(Path::new(ROOM).join("oracle/titles.json"))?;
    Ok(serde_json::from_str::<Value>(&text)?
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|title| Some(title.as_str()?.to_owned()))
        .collect())
}

fn facts(of: &ResourceType, titles: &[String]) -> Value {
    // Resources of these two are made of references, so Puppet has no titles for them.
    let titles = if ["component", "whit"].contains(&of.name()) { &[] } else { titles };
    let titles: Map<_, _> = titles.iter().map(|text| (text.clone(), title(of, text))).collect();
    json!({
        "properties": of.properties().collect::<Vec<_>>(),
        "parameters": of.parameters().collect::<Vec<_>>(),
        "keys": of.key_attributes().collect::<Vec<_>>(),
        "isomorphic": of.is_isomorphic(),
        "apply_to": match of.applies_to() {
            AppliesTo::Host => "host",
            AppliesTo::Device => "device",
            AppliesTo::Both => "both",
        },
        "titles": titles,
    })
}

fn title(of: &ResourceType, title: &str) -> Value {
    let parts = match of.parse_title(title) {
        Ok(parts) => parts,
        Err(error) => return json!({"error": error.to_string()}),
    };
    let parts: Map<_, _> =
        parts.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let mut name = of.name().to_owned();
    name[..1].make_ascii_uppercase();
    let name = json!(format!("{name}/{title}"));
    match of.uniqueness_key(title, &name, &|_| None, &|text| json!(text)) {
        Ok(key) => json!({"parts": parts, "key": key}),
        Err(error) => json!({"error": error.to_string()}),
    }
}

/// Records digests of Puppet's answers, one line per type: file, facts, name.
pub fn record() -> Result<usize> {
    let sources = LibDirectories::of_module_path([MODULES], &Disk);
    let mut text = String::from(
        "# What Puppet says about its resource types and those of Debian's modules.\n\
         # Written by `cargo xtask record resource-types`, never by hand.\n\
         # Columns: digests of the type's file (`-` for Puppet's own) and of the facts, the name.\n",
    );
    let said = ask(MODULES)?;
    for said in said.iter().filter(|said| said["keys"].is_array()) {
        let name = said["name"].as_str().unwrap_or_default();
        let facts = digest(of_puppet(said).to_string());
        writeln!(text, "{} {facts} {name}", source(&sources, name))?;
    }
    std::fs::write(path(), text)?;
    Ok(said.len())
}

/// Origin of a resource type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From Puppet itself.
    Puppet,
    /// From one of Debian's modules.
    Modules,
}

/// Returns differences from the digests of the types of one origin, and the number of compared types.
pub fn check(origin: Origin) -> Result<(Vec<String>, usize)> {
    let (sources, types) = (LibDirectories::of_module_path([MODULES], &Disk), ours(MODULES));
    let titles = titles()?;
    let (mut faults, mut n_compared) = (Vec::new(), 0);
    let text = std::fs::read_to_string(path())?;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let &[file, expected, name] = &words[..] else { bail!("`{line}` is no line of digests") };
        if (file == OWN) != (origin == Origin::Puppet) {
            continue;
        }
        n_compared += 1;
        if source(&sources, name) != file {
            faults.push(format!(
                "{name}: its file has changed; run `cargo xtask record resource-types`"
            ));
            continue;
        }
        match types.find(name, &Disk, &Record::off()) {
            TypeLookup::Known(ours) if digest(facts(&ours, &titles).to_string()) == expected => {}
            TypeLookup::Known(_) => faults.push(format!("{name}: it differs")),
            TypeLookup::Unreadable(why) => faults.push(format!("{name}: {why}")),
            TypeLookup::Missing => faults.push(format!("{name}: there is no such type")),
        }
    }
    Ok((faults, n_compared))
}

fn source(sources: &LibDirectories, name: &str) -> String {
    let record = Record::off();
    let files = sources.in_world(Recording::new(&Disk, &record));
    files.find(&format!("puppet/type/{name}.rb")).map_or(OWN.to_owned(), |file| digest(file.text))
}

fn path() -> PathBuf {
    Path::new(ROOM).join(DIGESTS)
}
