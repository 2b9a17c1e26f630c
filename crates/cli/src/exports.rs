//! `kukla exports`: lists and removes exported resources.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::bail;
use kukla_base::render::printable;
use kukla_catalog::exports::Exported;
use kukla_site::Site;
use kukla_store::Store;

use crate::Exit;
use crate::settings::{SettingArgs, StoreArgs};
use crate::shell::{Shell, Stream};
use crate::site;

const EXAMPLES: &str = "\
Examples:
  kukla exports                            nodes with exported resources
  kukla exports web1.example.com           exported resources of one node
  kukla exports --forget web1.example.com  after it was decommissioned

Nodes export and collect when catalogs are compiled with --storeconfigs; the resources are stored in
the store, `store.sqlite3` in `vardir`.
Exit status: 0, 1 when a node is not known, 2 when the store can't be read or written.";

/// List the exported resources of nodes, or remove those of a node
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Names of nodes
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    /// Remove the exported resources of these nodes, so that they are no longer collected
    #[arg(long, requires = "nodes")]
    forget: bool,
    #[command(flatten)]
    settings: StoreArgs,
}

/// Lists or removes the exports that the arguments select.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let settings = SettingArgs::from(&args.settings);
    let store = store(&site::open(&settings, shell)?)?;
    if args.nodes.is_empty() {
        let nodes = store.nodes()?;
        let lines = nodes
            .iter()
            .map(|(node, n_resources)| format!("{n_resources:5} {}\n", printable(node)));
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

/// Opens the store of a site, which must be there.
pub(crate) fn store(site: &Site) -> anyhow::Result<Arc<Store>> {
    match site.existing_store()? {
        Some(store) => Ok(store),
        None => match site.store_file(&site.store_choice()?.place) {
            Some(path) => bail!("no node has said anything: there is no `{}`", path.display()),
            None => bail!("the setting `store` is `none`"),
        },
    }
}

fn text(resources: &[Exported]) -> String {
    let mut out = String::new();
    for Exported { type_, title, tags, .. } in resources {
        let _ = writeln!(out, "{}", printable(&format!("{type_}[{title}] {}", tags.join(","))));
    }
    out
}
