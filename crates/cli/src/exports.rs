//! `kukla exports`: what nodes export to each other.

use std::fmt::Write;

use anyhow::bail;
use kukla_catalog::exports::Exported;
use kukla_store::Store;

use crate::Exit;
use crate::settings::SettingArgs;
use crate::shell::{Shell, Stream};
use crate::site;

const EXAMPLES: &str = "\
Examples:
  kukla exports                            the nodes that export something
  kukla exports web1.example.com           what one of them exports
  kukla exports --forget web1.example.com  when it is no more

Nodes export and collect when catalogs are compiled with --storeconfigs; what they export is kept in
`exports.sqlite3` in `vardir`.
Exit status: 0, 1 when a node is not known, 2 when nothing can be read or kept.";

/// Show what nodes export, or forget a node
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The names of nodes
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    /// Forget these nodes, so that nobody collects what they exported
    #[arg(long, requires = "nodes")]
    forget: bool,
    #[command(flatten)]
    settings: SettingArgs,
}

/// Shows or forgets what the arguments name.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let path = site::open(&args.settings, shell)?.exports_file();
    if !path.exists() {
        bail!("no node has exported anything: there is no `{}`", path.display());
    }
    let store = Store::open(&path)?;
    if args.nodes.is_empty() {
        let nodes = store.nodes()?;
        let lines = nodes.iter().map(|(node, n_resources)| format!("{n_resources:5} {node}\n"));
        shell.print(Stream::Output, &lines.collect::<String>())?;
        return Ok(Exit::Success);
    }
    let mut exit = Exit::Success;
    for node in &args.nodes {
        let is_known = match args.forget {
            true => store.forget(node)?,
            false => {
                let resources = store.of_node(node)?;
                shell.print(Stream::Output, &text(&resources))?;
                !resources.is_empty()
            }
        };
        if !is_known {
            shell.problem(&format!("`{node}` exports nothing"));
            exit = Exit::Findings;
        }
    }
    Ok(exit)
}

fn text(resources: &[Exported]) -> String {
    let mut out = String::new();
    for Exported { type_, title, tags, .. } in resources {
        let _ = writeln!(out, "{type_}[{title}] {}", tags.join(","));
    }
    out
}
