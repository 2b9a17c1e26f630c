//! The environment and the nodes that commands about data ask about.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use kukla_compiler::Settings as Rules;
use kukla_compiler::compile::{Compiled, Lookups, Request};
use kukla_pcore::{Hash, Value};
use kukla_site::settings::Settings;
use kukla_site::{Main, Snapshot};
use kukla_world::paths::Anchor;

use crate::compile::node::Node;
use crate::compile::{Asked, Given, facts, open, programs, settings};
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
        Self::open_named(given, None, shell)
    }

    fn open_named(given: &Given, name: Option<&str>, shell: &Shell) -> anyhow::Result<Self> {
        let anchor = Anchor::new().context("can't find the current directory")?;
        let settings = given.settings(&anchor)?;
        for name in settings.unknown() {
            shell.warning(&format!("there is no setting `{name}`"));
        }
        let rules = given.rules(&settings)?;
        let name = name.map(str::to_owned).or_else(|| settings.text("environment"));
        let name = name.unwrap_or_else(|| "production".to_owned());
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

    /// Nodes whose catalogs are wanted, each in its environment: a classifier may be asked, and may say which.
    pub(crate) fn members(
        given: &Given,
        asked: &Nodes,
        shell: &Shell,
    ) -> anyhow::Result<Vec<Member>> {
        let mut sites = vec![Arc::new(Self::open(given, shell)?)];
        let usual = Arc::clone(&sites[0]);
        let mut members = Vec::new();
        for mut node in usual.nodes(asked)? {
            node.external = programs::trusted_external(&node.name, &usual.settings)?;
            if asked.enc.is_none() {
                programs::classify(&mut node, &usual.settings)?;
            }
            // The command line wins.
            let name = match node.environment.as_str() {
                name if name.is_empty() || given.names("environment") => &usual.name,
                name => name,
            };
            let site = match sites.iter().find(|site| site.name == name) {
                Some(site) => Arc::clone(site),
                None => {
                    let site = Arc::new(Self::open_named(given, Some(name), shell)?);
                    sites.push(Arc::clone(&site));
                    site
                }
            };
            members.push(Member { site, node });
        }
        Ok(members)
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

/// A node, and the environment that it is in.
pub(crate) struct Member {
    pub(crate) site: Arc<Site>,
    pub(crate) node: Node,
}

impl Member {
    /// What data there is once the catalog is compiled, and what became of that.
    pub(crate) fn compiled_lookups(&self) -> (Option<Lookups>, Compiled) {
        let request = self.site.request(&self.node);
        self.site.snapshot.compiled_lookups(&Main::Environment, self.site.rules, &request)
    }
}

/// The one node that is meant.
pub(crate) fn only<T>(members: &[T]) -> anyhow::Result<&T> {
    match members {
        [member] => Ok(member),
        _ => bail!("--node says which of the nodes is meant"),
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
