//! The environment and the nodes that commands about data ask about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use kukla_compiler::Settings as Rules;
use kukla_compiler::compile::Request;
use kukla_environment::Snapshot;
use kukla_loader::paths::Anchor;
use kukla_loader::settings::Settings;
use kukla_pcore::{Hash, Value};

use crate::compile::node::Node;
use crate::compile::{Asked, Given, facts, open, settings};
use crate::shell::Shell;

/// Which nodes are meant.
#[derive(Debug, clap::Args)]
pub(crate) struct Nodes {
    /// The name of the node; by default the name in the facts, or that of the file with the facts
    #[arg(long, value_name = "NAME")]
    pub(crate) node: Option<String>,
    /// Facts: a JSON or YAML file, or a directory of such files, one for each node
    #[arg(long, value_name = "PATH")]
    pub(crate) facts: Option<PathBuf>,
    /// What is known for sure of the node: a JSON or YAML file with the extensions of its certificate
    #[arg(long, value_name = "FILE")]
    trusted: Option<PathBuf>,
    /// What a classifier says: a YAML or JSON file with classes, parameters and environment
    #[arg(long, value_name = "FILE")]
    enc: Option<PathBuf>,
}

/// An environment that is open.
pub(crate) struct Site {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) rules: Rules,
    pub(crate) settings: Settings,
    pub(crate) anchor: Anchor,
    name: String,
    settings_hash: Arc<Hash>,
}

impl Site {
    /// Opens the environment that is meant.
    pub(crate) fn open(given: &Given, shell: &Shell) -> anyhow::Result<Self> {
        let anchor = Anchor::new().context("can't find the current directory")?;
        let settings = given.settings(&anchor)?;
        for name in settings.unknown() {
            shell.warning(&format!("there is no setting `{name}`"));
        }
        let rules = given.rules(&settings)?;
        let name = settings.text("environment").unwrap_or_else(|| "production".to_owned());
        let needs_no_directory = given.names("modulepath");
        let asked = Asked { given, file: None, needs_no_directory };
        let (snapshot, problems) = open(&asked, &settings, &anchor, &name, rules.strict)?;
        for (path, error) in problems {
            shell.warning(&format!("can't read `{}`: {error}", path.display()));
        }
        let settings_hash = Arc::new(settings::hash(&settings, &snapshot, &name));
        let snapshot = Arc::new(snapshot);
        Ok(Self { snapshot, rules, settings, anchor, name, settings_hash })
    }

    /// The nodes that are meant, at least one.
    pub(crate) fn nodes(&self, asked: &Nodes) -> anyhow::Result<Vec<Node>> {
        let kept = asked.node.as_ref().map(|name| self.kept_facts(name));
        let path = asked.facts.clone().or_else(|| kept.filter(|path| path.is_file()));
        let mut nodes = facts::nodes(path.as_deref(), asked.node.as_deref())?;
        for node in &mut nodes {
            if let Some(path) = &asked.trusted {
                node.extensions = facts::extensions(path)?;
            }
            if let Some(path) = &asked.enc {
                facts::classify(node, path)?;
            }
        }
        Ok(nodes)
    }

    /// Where Puppet keeps the facts of a node.
    fn kept_facts(&self, name: &str) -> PathBuf {
        let vardir = self.settings.text("vardir").unwrap_or_default();
        Path::new(&vardir).join("yaml/facts").join(format!("{name}.yaml"))
    }

    /// What is compiled for a node.
    pub(crate) fn request(&self, node: &Node) -> Request {
        let mut request = Node { environment: self.name.clone(), ..node.clone() }.request();
        request.settings = Arc::clone(&self.settings_hash);
        request
    }

    /// A path as people see it: below the current directory it has no beginning.
    pub(crate) fn shown(&self, path: &str) -> String {
        let current = self.anchor.absolute(Path::new("."));
        match Path::new(path).strip_prefix(&current) {
            Ok(below) => below.to_string_lossy().into_owned(),
            Err(_) => path.to_owned(),
        }
    }
}

/// A value as plain data, with texts in place of what is none; secrets are not shown.
pub(crate) fn plain(value: &Value) -> Value {
    match value {
        Value::Sensitive(_) => Value::from(kukla_lookup::REDACTED),
        Value::Array(items) => Value::array(items.iter().map(plain)),
        Value::Hash(hash) => {
            let entries = hash.iter().map(|(key, value)| (plain(key), plain(value)));
            Value::hash(entries.collect())
        }
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => value.clone(),
        Value::String(_) => value.clone(),
        other => Value::from(kukla_pcore::text::text(other)),
    }
}
