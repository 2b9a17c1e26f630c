//! Resource types that need no module: Puppet's own, and those of the modules in packages of Puppet's agent.
//!
//! `table.rb` writes `builtin.txt` from the answers of real Puppet.

use std::sync::Arc;

use kukla_base::{Edition, EditionChange};
use kukla_regex::{Options, Regex};
use rustc_hash::FxHashMap;

use super::ResourceType;
use super::resource_type::{AppliesTo, TypeDeclaration};
use super::title::{TitlePart, TitlePattern, TitlePatterns};

/// The table of types that need no module.
#[derive(Debug)]
pub struct Builtins {
    types: FxHashMap<&'static str, Builtin>,
    names: Vec<&'static str>,
}

/// A type that needs no module.
#[derive(Clone, Debug)]
pub struct Builtin {
    /// The type.
    pub resource_type: Arc<ResourceType>,
    /// The module in which it is bundled; `None` for Puppet itself.
    pub module: Option<&'static str>,
}

impl Builtins {
    /// Parses the table of an edition; callers should keep the result.
    pub fn new(edition: Edition) -> Self {
        let blocks = include_str!("builtin.txt").trim_start_matches("type ").split("\ntype ");
        let rows = blocks.map(|block| {
            let (head, body) = block.split_once('\n').unwrap_or((block, ""));
            let (name, module) = head.split_once(' ').map_or((head, None), |(n, m)| (n, Some(m)));
            (name, Builtin { resource_type: Arc::new(facts(name, body, edition).into()), module })
        });
        let rows: Vec<_> = rows.collect();
        let names = rows.iter().map(|&(name, _)| name).collect();
        Self { types: rows.into_iter().collect(), names }
    }

    /// Returns the type of this name, which is in lower case.
    pub fn find(&self, name: &str) -> Option<&Arc<ResourceType>> {
        self.get(name).map(|builtin| &builtin.resource_type)
    }

    /// Like [`find`](Self::find), but with the module.
    pub fn get(&self, name: &str) -> Option<&Builtin> {
        self.types.get(name)
    }

    /// Returns all names, sorted.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.names.iter().copied()
    }
}

/// Parameters that a later edition added: the change, the type and the parameter.
const ADDED: &[(EditionChange, &str, &str)] =
    &[(EditionChange::PackageEnvironment, "package", "environment")];

fn facts(name: &str, body: &str, edition: Edition) -> TypeDeclaration {
    let mut facts = TypeDeclaration {
        name: name.to_owned(),
        keys: vec!["name".to_owned()],
        ..TypeDeclaration::default()
    };
    let mut patterns = Vec::new();
    for line in body.lines() {
        let (word, rest) = line.trim_start().split_once(' ').unwrap_or((line, ""));
        match word {
            "keys" => facts.keys = words(rest),
            "properties" => facts.properties = words(rest),
            "parameters" => facts.parameters = words(rest),
            "pattern" => patterns.extend(pattern(rest)),
            "not" => facts.is_not_isomorphic = true,
            "applies" => facts.applies_to = applies_to(rest),
            _ => {}
        }
    }
    for (change, type_, parameter) in ADDED {
        if *type_ == name && edition.has(*change) {
            facts.parameters.push((*parameter).to_owned());
        }
    }
    if !patterns.is_empty() {
        facts.title_patterns = TitlePatterns::List(patterns);
    }
    facts
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Parses `a b /regex/m`.
fn pattern(text: &str) -> Option<TitlePattern> {
    let (attributes, regex) = text.split_once(" /")?;
    let (source, letters) = regex.rsplit_once('/')?;
    let options = Options {
        ignore_case: letters.contains('i'),
        extended: letters.contains('x'),
        multi_line: letters.contains('m'),
    };
    let regex = Regex::with_options(&source.replace("\\/", "/"), options).ok()?;
    Some(TitlePattern { regex, parts: attributes.split(' ').map(TitlePart::plain).collect() })
}

fn applies_to(text: &str) -> AppliesTo {
    match text {
        "to both" => AppliesTo::Both,
        "to device" => AppliesTo::Device,
        _ => AppliesTo::Host,
    }
}
