//! `kukla compile`: from nodes and their facts to their catalogs.

mod environment;
pub(crate) mod facts;
mod fleet;
mod in_order;
mod inputs;
mod jsonl;
pub(crate) mod node;
mod print;
mod profile;
pub(crate) mod programs;
pub(crate) mod settings;
mod uuid;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::ValueEnum;
use kukla_catalog::Kind;
use kukla_compiler::compile::Compiled;
use kukla_compiler::{Settings as Rules, Strict};
use kukla_pcore::Hash;
use kukla_site::settings::{Setting, Settings};
use kukla_site::{Main, Snapshot};
use kukla_store::Store;
use kukla_world::paths::Anchor;

use crate::Outcome;
use crate::shell::{Errors, Shell};
pub(crate) use environment::{Asked, open};
use fleet::{Fleet, Member};
use inputs::InputsFile;
use node::Node;
pub(crate) use settings::Given;

const EXAMPLES: &str = "\
Examples:
  kukla compile --node web1.example.com --facts web1.json      the catalog, as JSON
  kukla compile --facts facts/ --format summary                all nodes that have facts
  kukla compile -e 'include ntp' --modulepath modules          a program in place of the manifests
  kukla compile --format dot --node db1 --facts db1.json       what contains what, for Graphviz
  kukla compile --format svg --node db1 --facts db1.json       the same as a picture
  kukla compile --storeconfigs --facts facts/                  with what nodes export to each other
  kukla compile --jsonl < requests.jsonl                       one request and one catalog a line

The environment is the one around the current directory, or the one that --environment and --environmentpath name.
Exit status: 0, 1 when a catalog can't be compiled, 2 when the command line is wrong.";

/// Compile catalogs: what nodes get for their facts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A manifest, or a directory of them, in place of those of the environment
    #[arg(value_name = "FILE", conflicts_with = "code")]
    file: Option<PathBuf>,
    /// A program in place of the manifests of the environment
    #[arg(short = 'e', value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// The name of the node; by default the name in the facts, or that of the file with the facts
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Facts: a JSON or YAML file, or a directory of such files, one for each node
    #[arg(long, value_name = "PATH")]
    facts: Option<PathBuf>,
    /// Every node whose facts Puppet keeps below `vardir`
    #[arg(long, conflicts_with_all = ["facts", "node"])]
    all: bool,
    /// What is known for sure of the node: a JSON or YAML file with the extensions of its certificate
    #[arg(long, value_name = "FILE")]
    trusted: Option<PathBuf>,
    /// What a classifier says: a YAML or JSON file with classes, parameters and environment
    #[arg(long, value_name = "FILE")]
    enc: Option<PathBuf>,
    /// How to print catalogs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// How to print what is logged
    #[arg(long, alias = "log_format", value_enum, default_value_t)]
    log_format: LogFormat,
    /// How to print why a catalog can't be compiled
    #[arg(long, value_enum, default_value_t)]
    errors: Errors,
    /// For which agents catalogs are: `pson` is for those that know no rich data
    #[arg(long, alias = "render_as", value_enum, default_value_t)]
    render_as: RenderAs,
    /// Tell which classes, defines, functions, templates and lookups took most of the time
    #[arg(long)]
    profile: bool,
    /// Write everything that the compilations read to a file, as JSON lines: node, kind, name, part, and a digest of the
    /// answer
    #[arg(long, value_name = "FILE", conflicts_with = "jsonl")]
    inputs: Option<PathBuf>,
    /// Answer requests on standard input, one a line
    #[arg(long, conflicts_with_all = ["file", "code", "node", "facts", "all"])]
    jsonl: bool,
    #[command(flatten)]
    given: Given,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// As agents get it; one a line if there are several.
    #[default]
    Json,
    /// Counts, for people.
    Summary,
    /// What contains what, for people.
    Tree,
    /// What contains what, and what comes before what, for Graphviz.
    Dot,
    /// What contains what, as a picture.
    Svg,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum RenderAs {
    /// With rich data.
    #[default]
    Json,
    /// Values that are no data become texts, as the setting `strict` allows.
    Pson,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// As Puppet prints it.
    #[default]
    Text,
    /// A line of JSON each: level, message, file and line.
    Json,
}

/// Compiles what the arguments name.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Outcome> {
    if args.jsonl {
        return jsonl::run();
    }
    compile(args, shell).or_else(|error| {
        print::problem(&format!("{error:#}"), args.log_format, shell)?;
        Ok(Outcome::Faulty)
    })
}

fn compile(args: &Args, shell: &Shell) -> anyhow::Result<Outcome> {
    let anchor = Anchor::new().context("can't find the current directory")?;
    let settings = args.given.settings(&anchor)?;
    for name in settings.unknown() {
        shell.warning(&format!("there is no setting `{name}`"));
    }
    let rules = args.given.rules(&settings)?;
    let members = members(args, &settings, &anchor, rules, shell)?;
    let main = match &args.code {
        Some(text) => Main::Code { text: text.clone(), file: String::new() },
        None => Main::Environment,
    };
    let is_plain = args.render_as == RenderAs::Pson;
    let is_profiled = args.profile;
    let is_recorded = args.inputs.is_some();
    let mut inputs_file = args.inputs.as_deref().map(InputsFile::create).transpose()?;
    let store = store(&settings)?;
    let fleet = Fleet { members, main, rules, store, is_plain, is_profiled, is_recorded };
    let (mut outcome, mut told, mut parts) = (Outcome::Fine, BTreeSet::new(), Vec::new());
    let make = |member: &Member, compiled: Compiled| {
        let node = &member.node.name;
        let inputs = inputs::lines(node, &compiled.inputs);
        (unreadable(member, &compiled), inputs, print::Page::new(node, compiled, args.format))
    };
    fleet.each(shell, make, |(unreadable, inputs, mut page)| {
        if let Some(file) = &mut inputs_file {
            file.add(&inputs)?;
        }
        let new = unreadable.into_iter().filter(|warning| told.insert(warning.clone()));
        print::warnings(&new.collect::<Vec<_>>(), args.log_format, shell)?;
        if !page.print(args.log_format, args.errors, shell)? {
            outcome = Outcome::Faulty;
        }
        parts.append(&mut page.profile);
        Ok(())
    })?;
    if args.profile {
        profile::print(parts.iter(), args.log_format, shell)?;
    }
    Ok(outcome)
}

/// What is kept of exported resources, if the setting `storeconfigs` is on.
pub(crate) fn store(settings: &Settings) -> anyhow::Result<Option<Arc<Store>>> {
    if settings.value("storeconfigs") != Setting::Flag(true) {
        return Ok(None);
    }
    Ok(Some(Arc::new(Store::open(&store_path(settings))?)))
}

/// The file with all exported resources.
pub(crate) fn store_path(settings: &Settings) -> PathBuf {
    Path::new(&settings.text("vardir").unwrap_or_default()).join("exports.sqlite3")
}

/// The nodes to compile for, each with its environment.
fn members(
    args: &Args,
    settings: &Settings,
    anchor: &Anchor,
    rules: Rules,
    shell: &Shell,
) -> anyhow::Result<Vec<Member>> {
    let needs_no_directory = args.code.is_some() || args.file.is_some();
    let asked = Asked { given: &args.given, file: args.file.as_deref(), needs_no_directory };
    let usual = settings.text("environment").unwrap_or_else(|| "production".to_owned());
    let mut known: BTreeMap<String, (Arc<Snapshot>, Arc<Hash>)> = BTreeMap::new();
    let mut members = Vec::new();
    for mut node in nodes(args, settings)? {
        if node.environment.is_empty() {
            node.environment.clone_from(&usual);
        }
        let (snapshot, settings) = match known.get(&node.environment) {
            Some(known) => known.clone(),
            None => {
                let name = &node.environment;
                let (snapshot, problems) = open(&asked, settings, anchor, name, rules.strict)?;
                for (path, error) in problems {
                    shell.warning(&format!("can't read `{}`: {error}", path.display()));
                }
                let hash = Arc::new(settings::hash(settings, &snapshot, name));
                known.entry(name.clone()).or_insert((Arc::new(snapshot), hash)).clone()
            }
        };
        members.push(Member { node, snapshot, settings });
    }
    Ok(members)
}

/// The nodes to compile for.
fn nodes(args: &Args, settings: &Settings) -> anyhow::Result<Vec<Node>> {
    let directory = match (&args.facts, args.all) {
        (Some(path), _) => Some(path.clone()),
        (None, true) => {
            let vardir = settings.text("vardir").unwrap_or_default();
            Some(Path::new(&vardir).join("yaml/facts"))
        }
        (None, false) => None,
    };
    let mut nodes = facts::nodes(directory.as_deref(), args.node.as_deref())?;
    for node in &mut nodes {
        if let Some(path) = &args.trusted {
            node.extensions = facts::extensions(path)?;
        }
        node.external = programs::trusted_external(&node.name, settings)?;
        match &args.enc {
            Some(path) => facts::classify(node, path)?,
            None => programs::classify(node, settings)?,
        }
    }
    Ok(nodes)
}

/// What is told of each type of resources whose declaration can't be read.
fn unreadable(member: &Member, compiled: &Compiled) -> Vec<String> {
    let Ok(catalog) = &compiled.catalog else { return Vec::new() };
    let native = catalog.resources.iter().filter(|one| one.kind == Kind::CompilableType);
    let names: BTreeSet<&str> = native.map(|resource| resource.type_.as_str()).collect();
    let warning = |name: &str| {
        let why = member.snapshot.unreadable_type(name)?;
        Some(format!("the type `{name}` can't be read, so all its parameters are accepted: {why}"))
    };
    names.into_iter().filter_map(warning).collect()
}

/// What the settings say of how strict to be.
fn rules(strict: &str, strict_variables: bool) -> anyhow::Result<Rules> {
    let strict = match strict {
        "off" => Strict::Off,
        "warning" => Strict::Warning,
        "error" => Strict::Error,
        other => bail!("`strict` is `off`, `warning` or `error`, not `{other}`"),
    };
    Ok(Rules { strict, strict_variables })
}
