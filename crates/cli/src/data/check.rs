//! `kukla data check`: checks all data against the classes that use it, without any agent.
//!
//! [`levels`] finds the files that hierarchies reach, [`keys`] checks their content, [`nodes`] the values that nodes
//! get, [`assertions`] the values that they are expected to get; [`findings`] collects all results.

mod assertions;
mod cycles;
mod findings;
mod keys;
mod levels;
mod literals;
mod nodes;
mod options;
mod pdl;

use std::collections::BTreeMap;
use std::path::PathBuf;

use kukla_compiler::compile::Lookups;
use kukla_pcore::Type;
use kukla_site::{Node, OpenEnvironment};

use crate::Exit;
use crate::settings::SettingArgs;
use crate::shell::{Shell, Stream};
use crate::site::{self, NodeArgs};
use crate::validate::{Format, rendered};
use crate::words::count;
use findings::Findings;
use options::Options;

const EXAMPLES: &str = "\
Examples:
  kukla data check                                     all data of the environment around this directory
  kukla data check --facts facts/                      also missing values of these nodes
  kukla data check --facts facts/ --assert data.assert  also assertions about their values
  kukla data check --format junit > data.xml           for CI servers

An assertion is a line such as `ntp::server on web01 == 'time.example.com'`; operators are ==, != and =~,
`missing` instead of an operator means that there is no value; the node `*` means all nodes.
Secrets are never shown.
Exit status: 0, warnings are allowed; 1 when there are errors; 2 when the environment can't be read.";

/// Check all data: keys, types, files, interpolation, secrets
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    nodes: NodeArgs,
    /// File with assertions
    #[arg(long, value_name = "FILE")]
    assert: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    settings: SettingArgs,
}

/// A check in progress.
struct Check<'a> {
    environment: &'a OpenEnvironment,
    /// Lookups of a node without facts.
    lookups: Lookups,
    options: Options,
    findings: Findings,
    /// Parameters whose values depend on the node: they are merged, interpolated, converted or encrypted.
    undecided: BTreeMap<String, Type>,
}

/// Checks the data of the environment.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&args.settings, shell)?;
    let environment = site::environment(&site, shell)?;
    let has_nodes = args.nodes.facts.is_some() || args.nodes.node.is_some();
    let nodes = if has_nodes { site.nodes(&args.nodes.selection())? } else { Vec::new() };
    let request = environment.request(&Node::default());
    let lookups = environment
        .snapshot
        .lookups(environment.strictness, &request)
        .map_err(anyhow::Error::msg)?;
    let mut check = Check {
        environment: &environment,
        lookups,
        options: Options::default(),
        findings: Findings::default(),
        undecided: BTreeMap::new(),
    };
    let survey = check.lookups.survey();
    check.configurations(&survey);
    check.access(&survey);
    let files = check.files(&survey);
    check.keys(&files);
    check.pdl_files();
    check.nodes(&nodes, &survey)?;
    if let Some(path) = &args.assert {
        check.assertions(&site.anchor().absolute(path), &nodes)?;
    }
    let report = check.findings.report(site.anchor());
    shell.print(Stream::Output, &rendered(&report, args.format, shell))?;
    if args.format == Format::Text {
        let files = count(report.files.len(), "file");
        let errors = count(report.n_errors(), "error");
        shell.say(&format!("checked {files}: {errors}, {}", count(report.n_warnings(), "warning")));
    }
    Ok(if report.n_errors() > 0 { Exit::Findings } else { Exit::Success })
}
