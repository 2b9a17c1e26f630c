//! `kukla compile`: compiles catalogs of nodes from their facts.

mod inputs;
mod jsonl;
mod print;
mod profile;
mod progress;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use kukla_catalog::Kind;
use kukla_compiler::MEMORY;
use kukla_compiler::compile::Compiled;
use kukla_site::{
    EnvironmentChoice, FactsSource, Fleet, Main, Member, NodeSelection, Site, SiteError, Warn,
};
use kukla_world::files;

use crate::Exit;
use crate::paths::current;
use crate::settings::SettingArgs;
use crate::shell::{Errors, Shell};
use crate::site::{options, warn_of_environments, warn_of_settings};
use inputs::InputsFile;
use progress::FleetProgress;

const EXAMPLES: &str = "\
Examples:
  kukla compile --node web1.example.com --facts web1.json      the catalog, as JSON
  kukla compile --facts facts/ --format summary                all nodes with facts
  kukla compile -e 'include ntp' --modulepath modules          code instead of manifests
  kukla compile --format dot --node db1 --facts db1.json       a graph of containment and order, for Graphviz
  kukla compile --format svg --node db1 --facts db1.json       a picture of containment
  kukla compile --format origins --node db1 --facts db1.json   the origin of each parameter, edge and tag
  kukla compile --storeconfigs --facts facts/                  with exported resources
  kukla compile --jsonl < requests.jsonl                       one request and one catalog per line

The environment is the one around the current directory, or the one that --environment and --environmentpath name.
Exit status: 0, 1 when a catalog can't be compiled, 2 when the command line is wrong or a file of it can't be read.";

/// Compile the catalogs of nodes from their facts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Manifest, or directory of manifests, instead of the environment's; `-` is standard input
    #[arg(value_name = "FILE", conflicts_with = "code")]
    file: Option<PathBuf>,
    /// Puppet code instead of the environment's manifests
    #[arg(short = 'e', value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// Name of the node [default: the name in the facts, or the name of the facts file]
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Facts: a JSON or YAML file, or a directory with one such file per node
    #[arg(long, value_name = "PATH")]
    facts: Option<PathBuf>,
    /// Compile for every node whose facts Puppet keeps below `vardir`
    #[arg(long, conflicts_with_all = ["facts", "node"])]
    all: bool,
    /// Trusted data of the node: a JSON or YAML file with the extensions of its certificate
    #[arg(long, value_name = "FILE")]
    trusted: Option<PathBuf>,
    /// Classification: a YAML or JSON file with classes, parameters and environment
    #[arg(long, value_name = "FILE")]
    enc: Option<PathBuf>,
    /// Output format of catalogs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Output format of log messages
    #[arg(long, alias = "log_format", value_enum, default_value_t)]
    log_format: LogFormat,
    /// Print debug messages too
    #[arg(long)]
    debug: bool,
    /// Output format of compilation errors
    #[arg(long, value_enum, default_value_t)]
    errors: Errors,
    /// Format for agents: `pson` is for agents without rich data
    #[arg(long, alias = "render_as", value_enum, default_value_t)]
    render_as: RenderAs,
    /// Show which classes, defines, functions, templates and lookups took the most time
    #[arg(long)]
    profile: bool,
    /// Stop a compilation after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Stop compilations when the process uses more memory; 0 for no limit
    #[arg(long, value_name = "MEGABYTES", default_value_t = MEMORY >> 20)]
    memory_limit: u64,
    /// Write everything that the compilations read to a file, as JSON lines: node, kind, name, part, and a digest of the
    /// answer
    #[arg(long, value_name = "FILE", conflicts_with = "jsonl")]
    inputs: Option<PathBuf>,
    /// Answer requests on standard input, one per line
    #[arg(long, conflicts_with_all = ["file", "code", "node", "facts", "all"])]
    jsonl: bool,
    #[command(flatten)]
    settings: SettingArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// As sent to agents; one per line if there are several.
    #[default]
    Json,
    /// Counts of resources, for people.
    Summary,
    /// Tree of containment, for people.
    Tree,
    /// Containment and order as a Graphviz graph.
    Dot,
    /// Containment as a picture.
    Svg,
    /// Origin of each parameter, edge and tag, as JSON lines.
    Origins,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum RenderAs {
    /// With rich data.
    #[default]
    Json,
    /// Values that are not plain data become texts, as the setting `strict` allows.
    Pson,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// As printed by Puppet.
    #[default]
    Text,
    /// JSON lines: level, message, file and line.
    Json,
}

impl Args {
    /// Returns the manifest if it is read as it comes: standard input, a pipe, a device.
    fn stream(&self) -> Option<&Path> {
        let path = self.file.as_deref()?;
        let is_stream = path == Path::new(STANDARD_INPUT)
            || files::Status::of(path).is_ok_and(|it| !it.is_file() && !it.is_directory());
        is_stream.then_some(path)
    }
}

/// The name for standard input.
const STANDARD_INPUT: &str = "-";

/// Reads a number of seconds, such as `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0);
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "it is a number of seconds above 0, such as `30` or `0.5`".to_owned())
}

/// Compiles the catalogs that the arguments select.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    if args.jsonl {
        return jsonl::run(&args.settings, shell);
    }
    compile(args, shell).or_else(|error| {
        let site_error: Option<&SiteError> = error.downcast_ref();
        if let Some(errors) = site_error.and_then(SiteError::program_errors) {
            let message = format!("the program wrote to standard error: {errors}");
            print::warnings(&[message], args.log_format, shell)?;
        }
        print::problem(&format!("{error:#}"), args.log_format, shell)?;
        match site_error.map(SiteError::root) {
            Some(SiteError::Unreadable { .. }) => Ok(Exit::Failure),
            _ => Ok(Exit::Findings),
        }
    })
}

fn compile(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let fleet = fleet(args, shell)?;
    let mut inputs_file = args.inputs.as_deref().map(InputsFile::create).transpose()?;
    let (mut exit, mut warned_types, mut parts) = (Exit::Success, BTreeSet::new(), Vec::new());
    let make = |member: &Member, compiled: Compiled| {
        let node = &member.node.name;
        let inputs = inputs::lines(node, &compiled.inputs.atoms());
        (unreadable(member, &compiled), inputs, print::Page::new(node, compiled, args.format))
    };
    let style = print::PageStyle {
        log_format: args.log_format,
        errors: args.errors,
        has_debug: args.debug,
        has_several_nodes: fleet.members.len() > 1,
    };
    let progress = FleetProgress::new(shell);
    fleet.each(&progress, make, |(unreadable, inputs, mut page)| {
        if let Some(file) = &mut inputs_file {
            file.add(&inputs)?;
        }
        let new = unreadable.into_iter().filter(|warning| warned_types.insert(warning.clone()));
        let has_catalog = progress.aside(|| -> anyhow::Result<bool> {
            print::warnings(&new.collect::<Vec<_>>(), args.log_format, shell)?;
            page.print(&style, shell)
        })?;
        if !has_catalog {
            exit = Exit::Findings;
        }
        parts.append(&mut page.profile);
        anyhow::Ok(())
    })?;
    if args.profile {
        profile::print(parts.iter(), args.log_format, shell)?;
    }
    Ok(exit)
}

/// Returns the nodes to compile for, each with its environment.
fn fleet(args: &Args, shell: &Shell) -> anyhow::Result<Fleet> {
    let site = site(args, shell)?;
    let nodes = site.nodes(&args.selection())?;
    let members: Result<Vec<Member>, SiteError> =
        nodes.into_iter().map(|node| site.member(node)).collect();
    let members = members?;
    warn_of_environments(&members, shell);
    let main = match (&args.code, args.stream()) {
        (Some(text), _) => Main::Code { text: text.clone(), file: String::new() },
        (None, Some(path)) => stream(path)?,
        (None, None) => Main::Environment,
    };
    let is_plain = args.render_as == RenderAs::Pson;
    let (store, is_profiled, is_recorded) = (site.store()?, args.profile, args.inputs.is_some());
    let memory_limit = match args.memory_limit {
        0 => None,
        megabytes => Some(megabytes.saturating_mul(1 << 20)),
    };
    let timeout = args.timeout;
    let has_debug = args.debug;
    Ok(Fleet {
        members,
        main,
        store,
        foreign_exports: {
            let shell = *shell;
            site.foreign_exports(Box::new(move |server, _, error| {
                shell.warning(&format!("{server}: {error}"));
            }))?
        },
        is_plain,
        has_debug,
        is_profiled,
        is_recorded,
        timeout,
        memory_limit,
    })
}

/// Reads a manifest that a pipe gives.
fn stream(path: &Path) -> Result<Main, SiteError> {
    let is_standard_input = path == Path::new(STANDARD_INPUT);
    let text = match is_standard_input {
        true => files::read_text_stream(std::io::stdin()),
        false => files::read_text(path),
    };
    let text = text.map_err(|error| SiteError::Unreadable { path: path.to_owned(), error })?;
    let file = if is_standard_input { String::new() } else { path.display().to_string() };
    Ok(Main::Code { text, file })
}

/// Opens the site; code or a manifest alone needs no environment.
fn site(args: &Args, shell: &Shell) -> anyhow::Result<Site> {
    let anchor = current()?;
    let settings = args.settings.settings(&anchor)?;
    warn_of_settings(&settings, shell);
    let needs_no_directory = args.code.is_some() || args.file.is_some();
    let directory = anchor.directory().to_owned();
    let choice = EnvironmentChoice {
        start: Some(directory.clone()),
        fallback: needs_no_directory.then_some(directory),
        manifest: args.file.clone().filter(|_| args.stream().is_none()),
        ..EnvironmentChoice::default()
    };
    let (shell, format) = (*shell, args.log_format);
    let warn = Warn::new(move |warning| {
        // A warning that can't be printed is lost; the catalog is not.
        let _ = print::warnings(&[warning.to_string()], format, &shell);
    });
    Ok(Site::open(settings.clone(), options(&settings, anchor, choice, warn))?)
}

impl Args {
    fn selection(&self) -> NodeSelection {
        let facts = match (&self.facts, self.all) {
            (Some(path), _) => FactsSource::At(path.clone()),
            (None, true) => FactsSource::Stored,
            (None, false) => FactsSource::Nowhere,
        };
        NodeSelection {
            timeout: self.timeout,
            name: self.node.clone(),
            facts,
            trusted: self.trusted.clone(),
            classification: self.enc.clone(),
            runs_programs: true,
        }
    }
}

/// Returns warnings about resource types whose declarations can't be read.
fn unreadable(member: &Member, compiled: &Compiled) -> Vec<String> {
    let Ok(catalog) = &compiled.catalog else { return Vec::new() };
    let native = catalog.resources.iter().filter(|one| one.kind == Kind::CompilableType);
    let names: BTreeSet<&str> = native.map(|resource| resource.type_.as_str()).collect();
    let warning = |name: &str| {
        let why = member.environment.snapshot.unreadable_type(name)?;
        Some(format!("the type `{name}` can't be read, so all its parameters are accepted: {why}"))
    };
    names.into_iter().filter_map(warning).collect()
}
