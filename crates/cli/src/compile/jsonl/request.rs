//! Requests of `--jsonl`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use kukla_catalog::exports::{Exported, Exports, InMemory, Stored};
use kukla_compiler::Limits;
use kukla_compiler::compile::{Compiled, Request};
use kukla_pcore::{Hash, Value};
use kukla_site::settings::Settings;
use kukla_site::{Main, Member, Node, NodeFacts, Site, SiteError, store_exports};
use kukla_store::Store;

use super::sites::Sites;

/// Keys that are not settings.
const KEYS: [&str; 11] = [
    "id",
    "node",
    "facts",
    "trusted",
    "parameters",
    "classes",
    "code",
    "exports",
    "rich_data",
    "rounds",
    "settings",
];

/// Settings that are lists of paths.
const PATHS: [&str; 3] = ["environmentpath", "modulepath", "basemodulepath"];

/// The name of a node without a name.
const LOCALHOST: &str = "localhost";

/// The keys and values of a request.
#[derive(Debug)]
pub(super) struct Fields(Arc<Hash>);

impl Fields {
    /// Parses a line.
    pub(super) fn parse(line: &str) -> anyhow::Result<Self> {
        match kukla_site::json(line) {
            Ok(Value::Hash(hash)) => Ok(Self(hash)),
            Ok(_) => bail!("the request is not a JSON object"),
            Err(error) => bail!("the request is not JSON: {error}"),
        }
    }

    /// Returns the value of a key; `undef` if it is missing.
    pub(super) fn get(&self, key: &str) -> &Value {
        self.0.get_str(key).unwrap_or(&Value::Undef)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key).as_str().filter(|text| !text.is_empty())
    }

    /// Returns the code that replaces the manifests.
    pub(super) fn code(&self) -> Option<&str> {
        self.text("code")
    }

    /// Whether the log has debug messages: the setting `log_level` of the request.
    pub(super) fn has_debug(&self) -> bool {
        let settings = self.settings().unwrap_or_default();
        settings.iter().any(|(name, value)| name == "log_level" && value == "debug")
    }

    /// Returns names and values of all settings: keys of the request, and those of the key `settings`.
    pub(super) fn settings(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut settings = Vec::new();
        for (key, value) in self.0.iter() {
            let key = key.as_str().unwrap_or_default();
            if Settings::is_name(key) {
                settings.extend(setting(key, value)?);
            } else if !KEYS.contains(&key) {
                let keys = KEYS.join(", ");
                bail!("unknown key `{key}`; known keys: {keys}, and the name of every setting");
            }
        }
        match self.get("settings") {
            Value::Undef => (),
            Value::Hash(more) => {
                for (key, value) in more.iter() {
                    let key = key.as_str().unwrap_or_default();
                    if !Settings::is_name(key) {
                        bail!("there is no setting `{key}`");
                    }
                    settings.extend(setting(key, value)?);
                }
            }
            _ => bail!("`settings` is not an object"),
        }
        Ok(settings)
    }
}

/// Returns a setting in the syntax of `puppet.conf`; `None` if its value is `null`.
fn setting(name: &str, value: &Value) -> anyhow::Result<Option<(String, String)>> {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.to_string()),
        Value::Boolean(flag) => Some(flag.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    };
    let text = match value {
        Value::Undef => return Ok(None),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(scalar).collect();
            items.map(|items| items.join(if PATHS.contains(&name) { ":" } else { "," }))
        }
        other => scalar(other),
    };
    let text = text.ok_or_else(|| anyhow!("the setting `{name}` has no text as its value"))?;
    Ok(Some((name.to_owned(), text)))
}

/// A parsed request.
///
/// As in the oracle, times of warm rounds include the compilation, but not the reading of facts.
#[derive(Debug)]
pub(super) struct Question {
    member: Member,
    /// The store of exported resources, unless the request contains the exports.
    store: Option<Arc<Store>>,
    request: Request,
    main: Main,
    pub(super) rounds: u64,
}

impl Question {
    /// Finds the environment of a request, and reads the properties of its node.
    pub(super) fn new(fields: &Fields, sites: &mut Sites) -> anyhow::Result<Self> {
        let site = sites.site(fields)?;
        let member = Member {
            environment: site.environment(&site.default_environment())?,
            node: node(fields, &site)?,
        };
        let (exports, store) = match exports(fields.get("exports"))? {
            Some(exports) => (Some(exports), None),
            None => {
                let store = site.store()?;
                let own = store.clone().map(|store| store as Arc<dyn Exports>);
                (
                    own.map_or_else(
                        || site.foreign_exports(Box::new(|_, _, _| ())),
                        |own| Ok(Some(own)),
                    )?,
                    store,
                )
            }
        };
        let is_plain = *fields.get("rich_data") == Value::Boolean(false);
        let has_debug = fields.has_debug();
        let request = Request { exports, is_plain, has_debug, ..member.request() };
        let main = match fields.code() {
            Some(code) => Main::Code { text: code.to_owned(), file: String::new() },
            None => Main::Environment,
        };
        let rounds = match fields.get("rounds") {
            Value::Integer(rounds) => u64::try_from(*rounds).unwrap_or(0),
            _ => 0,
        };
        Ok(Self { member, store, request, main, rounds })
    }

    pub(super) fn compile(&self) -> Compiled {
        let environment = &self.member.environment;
        let (snapshot, strictness) = (&environment.snapshot, environment.strictness);
        snapshot.compile(&self.main, strictness, Limits::default(), &self.request)
    }

    /// Stores the exported resources of a catalog, if the setting `storeconfigs` is on.
    pub(super) fn store_exports(&self, compiled: &Compiled) -> Result<(), SiteError> {
        match (&self.store, &compiled.catalog) {
            (Some(store), Ok(catalog)) => store_exports(store, &self.member, catalog),
            _ => Ok(()),
        }
    }

    /// Whether exported resources are collected and returned.
    pub(super) fn has_exports(&self) -> bool {
        self.request.exports.is_some()
    }
}

/// Returns the node of a request. The keys of its classification are those of a classifier.
fn node(fields: &Fields, site: &Site) -> anyhow::Result<Node> {
    let facts = match fields.get("facts") {
        Value::Undef => NodeFacts { name: None, values: Arc::default() },
        Value::String(path) => NodeFacts::read(Path::new(path.as_str()), site.anchor())?,
        Value::Hash(facts) => NodeFacts::of(facts),
        _ => bail!("`facts` is neither an object nor the path of a file"),
    };
    let name = fields.text("node").or(facts.name.as_deref()).unwrap_or(LOCALHOST);
    let mut node = Node::new(name, facts.values);
    site.run_programs(&mut node)?;
    let is_classified = node.is_classified;
    node.classify(&fields.0)?;
    // Puppet compares a classifier's answer with facts; this is not done for a request.
    node.is_classified = is_classified;
    match fields.get("trusted") {
        Value::Undef => (),
        Value::Hash(extensions) => node.extensions = Arc::clone(extensions),
        _ => bail!("`trusted` is not an object"),
    }
    Ok(node)
}

/// Returns exported resources of other nodes: lists by the names of nodes.
fn exports(value: &Value) -> anyhow::Result<Option<Arc<dyn Exports>>> {
    let nodes = match value {
        Value::Undef => return Ok(None),
        Value::Hash(nodes) => nodes,
        _ => bail!("`exports` is not an object"),
    };
    let mut stored = Vec::new();
    for (node, resources) in nodes.iter() {
        let Value::Array(resources) = resources else { bail!("`exports` has no lists") };
        for resource in resources.iter() {
            let resource = exported(resource).ok_or_else(|| anyhow!("an export has no title"))?;
            stored.push(Stored { node: node.as_str().unwrap_or_default().into(), resource });
        }
    }
    Ok(Some(Arc::new(InMemory(stored))))
}

fn exported(resource: &Value) -> Option<Exported> {
    let Value::Hash(resource) = resource else { return None };
    let text = |key: &str| resource.get_str(key).and_then(Value::as_str);
    let tags = match resource.get_str("tags") {
        Some(Value::Array(tags)) => tags.iter().filter_map(Value::as_str).map(Into::into).collect(),
        _ => Vec::new(),
    };
    let parameters = match resource.get_str("parameters") {
        Some(Value::Hash(parameters)) => parameters
            .iter()
            .filter_map(|(name, value)| Some((name.as_str()?.into(), value.clone())))
            .collect(),
        _ => Vec::new(),
    };
    Some(Exported { type_: text("type")?.into(), title: text("title")?.into(), tags, parameters })
}
