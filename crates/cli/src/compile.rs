//! `kukla compile`: from nodes and their facts to their catalogs.

mod inputs;
mod jsonl;
mod print;
mod profile;
mod progress;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use kukla_catalog::Kind;
use kukla_compiler::compile::Compiled;
use kukla_site::{
    EnvironmentChoice, FactsSource, Fleet, Main, Member, NodeSelection, Site, SiteError, Warn,
};

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
  kukla compile --facts facts/ --format summary                all nodes that have facts
  kukla compile -e 'include ntp' --modulepath modules          a program in place of the manifests
  kukla compile --format dot --node db1 --facts db1.json       what contains what, for Graphviz
  kukla compile --format svg --node db1 --facts db1.json       the same as a picture
  kukla compile --format origins --node db1 --facts db1.json   what set each parameter, edge and tag
  kukla compile --storeconfigs --facts facts/                  with what nodes export to each other
  kukla compile --jsonl < requests.jsonl                       one request and one catalog a line

The environment is the one around the current directory, or the one that --environment and --environmentpath name.
Exit status: 0, 1 when a catalog can't be compiled, 2 when the command line is wrong or a file of it can't be read.";

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
    /// Stop a compilation that takes longer
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Stop compilations when the process uses more memory
    #[arg(long, value_name = "MEGABYTES")]
    memory_limit: Option<u64>,
    /// Write everything that the compilations read to a file, as JSON lines: node, kind, name, part, and a digest of the
    /// answer
    #[arg(long, value_name = "FILE", conflicts_with = "jsonl")]
    inputs: Option<PathBuf>,
    /// Answer requests on standard input, one a line
    #[arg(long, conflicts_with_all = ["file", "code", "node", "facts", "all"])]
    jsonl: bool,
    #[command(flatten)]
    settings: SettingArgs,
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
    /// What set each parameter, edge and tag: a line of JSON each.
    Origins,
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

/// Reads a number of seconds, such as `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0);
    number
        .and_then(|number| Duration::try_from_secs_f64(number).ok())
        .ok_or_else(|| "it is a number of seconds above 0, such as `30` or `0.5`".to_owned())
}

/// Compiles what the arguments name.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    if args.jsonl {
        return jsonl::run(&args.settings, shell);
    }
    compile(args, shell).or_else(|error| {
        print::problem(&format!("{error:#}"), args.log_format, shell)?;
        match error.downcast_ref().map(SiteError::root) {
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
        let inputs = inputs::lines(node, &compiled.inputs);
        (unreadable(member, &compiled), inputs, print::Page::new(node, compiled, args.format))
    };
    let progress = FleetProgress::new(shell);
    fleet.each(&progress, make, |(unreadable, inputs, mut page)| {
        if let Some(file) = &mut inputs_file {
            file.add(&inputs)?;
        }
        let new = unreadable.into_iter().filter(|warning| warned_types.insert(warning.clone()));
        let has_catalog = progress.aside(|| -> anyhow::Result<bool> {
            print::warnings(&new.collect::<Vec<_>>(), args.log_format, shell)?;
            page.print(args.log_format, args.errors, shell)
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

/// The nodes to compile for, each with its environment.
fn fleet(args: &Args, shell: &Shell) -> anyhow::Result<Fleet> {
    let site = site(args, shell)?;
    let nodes = site.nodes(&args.selection())?;
    let members: Result<Vec<Member>, SiteError> =
        nodes.into_iter().map(|node| site.member(node)).collect();
    let members = members?;
    warn_of_environments(&members, shell);
    let main = match &args.code {
        Some(text) => Main::Code { text: text.clone(), file: String::new() },
        None => Main::Environment,
    };
    let is_plain = args.render_as == RenderAs::Pson;
    let (store, is_profiled, is_recorded) = (site.store()?, args.profile, args.inputs.is_some());
    let memory_limit = args.memory_limit.map(|megabytes| megabytes.saturating_mul(1 << 20));
    let timeout = args.timeout;
    Ok(Fleet { members, main, store, is_plain, is_profiled, is_recorded, timeout, memory_limit })
}

/// The site; a program or a manifest alone needs no environment.
fn site(args: &Args, shell: &Shell) -> anyhow::Result<Site> {
    let anchor = current()?;
    let settings = args.settings.settings(&anchor)?;
    warn_of_settings(&settings, shell);
    let needs_no_directory = args.code.is_some() || args.file.is_some();
    let directory = anchor.directory().to_owned();
    let choice = EnvironmentChoice {
        start: Some(directory.clone()),
        fallback: needs_no_directory.then_some(directory),
        manifest: args.file.clone(),
        ..EnvironmentChoice::default()
    };
    let (shell, format) = (*shell, args.log_format);
    let warn = Warn::new(move |unusable| {
        // A warning that can't be printed is lost; the catalog is not.
        let _ = print::warnings(&[unusable.to_string()], format, &shell);
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

/// Warnings about resource types whose declarations can't be read.
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
