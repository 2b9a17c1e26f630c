//! `kukla compile`: from nodes and their facts to their catalogs.

mod facts;
mod jsonl;
mod node;
mod print;
mod settings;
mod uuid;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use kukla_catalog::Kind;
use kukla_compiler::compile::Compiled;
use kukla_compiler::{Limits, Settings as Rules, Strict};
use kukla_environment::{Main, Options, Snapshot};
use kukla_loader::paths::Anchor;
use kukla_loader::{Environment, split};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::Outcome;
use crate::home::system;
use crate::shell::Shell;
use node::Node;
pub(crate) use settings::Given;

const EXAMPLES: &str = "\
Examples:
  kukla compile --node web1.example.com --facts web1.json      the catalog, as JSON
  kukla compile --facts facts/ --format summary                all nodes that have facts
  kukla compile -e 'include ntp' --modulepath modules          a program in place of the manifests
  kukla compile --format dot --node db1 --facts db1.json       what contains what, for Graphviz
  kukla compile --format svg --node db1 --facts db1.json       the same as a picture
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
        print::failure(&format!("{error:#}"), None, args.log_format, shell)?;
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
    let nodes = nodes(args, &settings)?;
    let name = match nodes.iter().find(|node| !node.environment.is_empty()) {
        Some(node) => node.environment.clone(),
        None => settings.text("environment").unwrap_or_else(|| "production".to_owned()),
    };
    let needs_no_directory = args.code.is_some() || args.file.is_some();
    let asked = Asked { given: &args.given, file: args.file.as_deref(), needs_no_directory };
    let (snapshot, problems) = open(&asked, &settings, &anchor, &name, rules.strict)?;
    for (path, error) in problems {
        shell.warning(&format!("can't read `{}`: {error}", path.display()));
    }
    let snapshot = Arc::new(snapshot);
    let main = match &args.code {
        Some(text) => Main::Code { text: text.clone(), file: String::new() },
        None => Main::Environment,
    };
    let settings_hash = settings::hash(&settings, &snapshot, &name);
    let progress = shell.progress(nodes.len());
    let compiled: Vec<(String, Compiled)> = nodes
        .par_iter()
        .map(|node| {
            let mut request = Node { environment: name.clone(), ..node.clone() }.request();
            request.settings = settings_hash.clone();
            let compiled = snapshot.compile(&main, rules, Limits::default(), &request);
            progress.step();
            (node.name.clone(), compiled)
        })
        .collect();
    progress.finish();
    print::warnings(&unreadable(&compiled, &snapshot), args.log_format, shell)?;
    print::all(&compiled, args.format, args.log_format, shell)
}

/// The nodes to compile for.
fn nodes(args: &Args, settings: &kukla_loader::settings::Settings) -> anyhow::Result<Vec<Node>> {
    let directory = match (&args.facts, args.all) {
        (Some(path), _) => Some(path.clone()),
        (None, true) => {
            let vardir = settings.text("vardir").unwrap_or_default();
            Some(Path::new(&vardir).join("yaml/facts"))
        }
        (None, false) => None,
    };
    let mut nodes = match directory {
        Some(path) if path.is_dir() => facts::of_directory(&path)?,
        Some(path) => vec![facts::of_file(&path)?],
        None => vec![Node { name: "localhost".to_owned(), ..Node::default() }],
    };
    if let Some(name) = &args.node {
        match nodes.iter().position(|node| node.name == *name) {
            Some(at) => nodes = vec![nodes.swap_remove(at)],
            None if nodes.len() == 1 => name.clone_into(&mut nodes[0].name),
            None => bail!("there are no facts of `{name}`"),
        }
    }
    if nodes.is_empty() {
        bail!("there are no facts");
    }
    for node in &mut nodes {
        if let Some(path) = &args.trusted {
            node.extensions = facts::extensions(path)?;
        }
        if let Some(path) = &args.enc {
            facts::classify(node, path)?;
        }
    }
    Ok(nodes)
}

/// What is told once for each type of resources whose declaration can't be read.
fn unreadable(compiled: &[(String, Compiled)], snapshot: &Snapshot) -> Vec<String> {
    let catalogs = compiled.iter().filter_map(|(_, compiled)| compiled.catalog.as_ref().ok());
    let types: BTreeSet<&str> = catalogs
        .flat_map(|catalog| &catalog.resources)
        .filter(|resource| resource.kind == Kind::CompilableType)
        .map(|resource| resource.type_.as_str())
        .collect();
    let warning = |name: &str| {
        let why = snapshot.unreadable_type(name)?;
        Some(format!("the type `{name}` can't be read, so all its parameters are accepted: {why}"))
    };
    types.into_iter().filter_map(warning).collect()
}

/// What says which environment is meant.
pub(crate) struct Asked<'a> {
    pub(crate) given: &'a Given,
    /// A manifest in place of those of the environment.
    pub(crate) file: Option<&'a Path>,
    /// A program or modules alone need no environment.
    pub(crate) needs_no_directory: bool,
}

/// What could not be looked at, and why.
type Problems = Vec<(PathBuf, io::Error)>;

/// The environment that is meant.
pub(crate) fn open(
    asked: &Asked<'_>,
    settings: &kukla_loader::settings::Settings,
    anchor: &Anchor,
    name: &str,
    strict: Strict,
) -> anyhow::Result<(Snapshot, Problems)> {
    let base = match asked.given.names("basemodulepath") {
        true => settings.text("basemodulepath").map(|path| entries(&path, anchor)),
        false => None,
    };
    let base = base.unwrap_or_else(system);
    let directory = directory(asked, settings, anchor, name)?;
    let mut environment = Environment::open(&directory, &base)
        .with_context(|| format!("cannot read `{}/environment.conf`", directory.display()))?;
    if asked.given.names("modulepath")
        && let Some(path) = settings.text("modulepath")
    {
        environment.modulepath = entries(&path, anchor);
    }
    let manifest = asked.file.map(Path::to_owned).or_else(|| {
        let given = asked.given.names("manifest").then(|| settings.text("manifest"));
        given.flatten().map(PathBuf::from)
    });
    if let Some(manifest) = manifest {
        if asked.file.is_some() && !manifest.exists() {
            bail!("there is no `{}`", manifest.display());
        }
        environment.manifest = anchor.absolute(&manifest);
    }
    let hiera_config = settings.text("hiera_config").map(|path| anchor.absolute(Path::new(&path)));
    let options = Options { name: name.to_owned(), hiera_config, strict, ..Options::default() };
    let mut problems = Vec::new();
    let snapshot = Snapshot::new(environment, options, &mut problems);
    Ok((snapshot, problems))
}

/// The directory of the environment: that of its name, or the one around the current directory.
fn directory(
    asked: &Asked<'_>,
    settings: &kukla_loader::settings::Settings,
    anchor: &Anchor,
    name: &str,
) -> anyhow::Result<PathBuf> {
    let current = anchor.absolute(Path::new("."));
    if !asked.given.names("environmentpath") && !asked.given.names("environment") {
        let mut around = current.ancestors();
        if let Some(found) = around.find(|directory| directory.join("environment.conf").is_file()) {
            return Ok(found.to_owned());
        }
    }
    let path = settings.text("environmentpath").unwrap_or_default();
    let mut places = split(&path).map(|entry| anchor.absolute(&Path::new(entry).join(name)));
    // As in Puppet, a name is never a path.
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match places.find(|directory| is_name && directory.is_dir()) {
        Some(found) => Ok(found),
        None if is_name && asked.needs_no_directory => Ok(current),
        None => Err(anyhow!("there is no environment `{name}` in `{path}`")),
    }
}

fn entries(path: &str, anchor: &Anchor) -> Vec<PathBuf> {
    split(path).map(|entry| anchor.absolute(Path::new(entry))).collect()
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
