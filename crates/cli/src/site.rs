//! The site, the environment and the nodes of the command line.

use std::path::PathBuf;
use std::sync::Arc;

use kukla_base::Edition;
use kukla_pcore::Value;
use kukla_site::settings::Settings;
use kukla_site::{
    EnvironmentChoice, FactsSource, Member, NodeSelection, OpenEnvironment, ServerIdentity, Site,
    SiteError, SiteOptions, Timeout, Warn, reason,
};
use kukla_world::paths::Anchor;

use crate::paths::current;
use crate::settings::SettingArgs;
use crate::shell::Shell;

/// The server's address in catalogs: independent of the machine, so that catalogs are reproducible.
const SERVER_ADDRESS: &str = "192.0.2.1";

/// Selection of nodes.
#[derive(Debug, clap::Args)]
pub(crate) struct NodeArgs {
    /// Name of the node [default: the name in the facts, or the name of the facts file]
    #[arg(long, value_name = "NAME")]
    pub(crate) node: Option<String>,
    /// Facts: a JSON or YAML file, or a directory with one such file per node
    #[arg(long, value_name = "PATH")]
    pub(crate) facts: Option<PathBuf>,
    /// Trusted data of the node: a JSON or YAML file with the extensions of its certificate
    #[arg(long, value_name = "FILE")]
    trusted: Option<PathBuf>,
    /// Classification: a YAML or JSON file with classes, parameters and environment
    #[arg(long, value_name = "FILE")]
    enc: Option<PathBuf>,
}

impl NodeArgs {
    /// Returns the selected nodes; no classifier is run.
    pub(crate) fn selection(&self) -> NodeSelection {
        NodeSelection {
            timeout: None,
            name: self.node.clone(),
            facts: self.facts.clone().map_or(FactsSource::StoredIfAny, FactsSource::At),
            trusted: self.trusted.clone(),
            classification: self.enc.clone(),
            runs_programs: false,
        }
    }
}

/// Opens the site of commands about an environment; modules alone need no environment.
pub(crate) fn open(args: &SettingArgs, shell: &Shell) -> anyhow::Result<Site> {
    let anchor = current()?;
    let settings = args.settings(&anchor)?;
    open_with(&settings, anchor, shell)
}

/// Like [`open`], but in an edition.
pub(crate) fn open_in(args: &SettingArgs, edition: Edition, shell: &Shell) -> anyhow::Result<Site> {
    let anchor = current()?;
    let edition = [("edition".to_owned(), edition.as_str().to_owned())];
    let settings = args.settings(&anchor)?.with_overrides(edition);
    open_with(&settings, anchor, shell)
}

fn open_with(settings: &Settings, anchor: Anchor, shell: &Shell) -> anyhow::Result<Site> {
    warn_of_settings(settings, shell);
    let directory = anchor.directory().to_owned();
    let choice = EnvironmentChoice {
        start: Some(directory.clone()),
        fallback: settings.is_overridden("modulepath").then_some(directory),
        ..EnvironmentChoice::default()
    };
    let shell = *shell;
    let warn = Warn::new(move |warning| shell.warning(&warning.to_string()));
    Ok(Site::open(settings.clone(), options(settings, anchor, choice, warn))?)
}

/// Returns the options of a command that ends before files change.
pub(crate) fn options(
    settings: &Settings,
    anchor: Anchor,
    choice: EnvironmentChoice,
    warn: Warn,
) -> SiteOptions {
    let server = ServerIdentity {
        name: settings.text("certname").unwrap_or_default(),
        address: SERVER_ADDRESS.to_owned(),
    };
    SiteOptions { anchor, choice, server, timeout: Timeout::Unlimited, settle: None, warn }
}

/// Warns of settings that do not exist.
pub(crate) fn warn_of_settings(settings: &Settings, shell: &Shell) {
    for name in settings.unknown() {
        shell.warning(&format!("there is no setting `{name}`"));
    }
}

/// Opens the environment of the settings.
pub(crate) fn environment(site: &Site, shell: &Shell) -> anyhow::Result<Arc<OpenEnvironment>> {
    let environment = site.environment(&site.default_environment())?;
    warn_of_problems(&environment, shell);
    Ok(environment)
}

/// Returns the selected nodes, each in its environment: a classifier may be run, and may choose the environment.
pub(crate) fn members(
    args: &SettingArgs,
    nodes: &NodeArgs,
    shell: &Shell,
) -> anyhow::Result<Vec<Member>> {
    let site = open(args, shell)?;
    let mut all = site.nodes(&NodeSelection { runs_programs: true, ..nodes.selection() })?;
    if site.settings().is_overridden("environment") {
        // As in `puppet lookup`, the command line takes precedence.
        all.iter_mut().for_each(|node| node.environment = None);
    }
    let members = all.into_iter().map(|node| site.member(node)).collect::<Result<Vec<_>, _>>()?;
    warn_of_environments(&members, shell);
    Ok(members)
}

/// Warns of directories that could not be read, once per environment.
pub(crate) fn warn_of_environments(members: &[Member], shell: &Shell) {
    let mut environments: Vec<&Arc<OpenEnvironment>> = Vec::new();
    for Member { environment, .. } in members {
        if !environments.iter().any(|other| Arc::ptr_eq(other, environment)) {
            warn_of_problems(environment, shell);
            environments.push(environment);
        }
    }
}

fn warn_of_problems(environment: &OpenEnvironment, shell: &Shell) {
    for (path, error) in &environment.problems {
        shell.warning(&format!("cannot read `{}`: {}", path.display(), reason(error)));
    }
}

/// Returns the only selected node.
pub(crate) fn only<T>(nodes: &[T]) -> Result<&T, SiteError> {
    match nodes {
        [node] => Ok(node),
        _ => Err(SiteError::SeveralNodes),
    }
}

/// Converts a value to plain data, with texts for all other values; secrets are redacted.
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
        other => Value::from(kukla_pcore::interpolate::text(other)),
    }
}
