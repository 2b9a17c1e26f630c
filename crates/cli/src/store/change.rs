//! `kukla store compact` and `kukla store purge`.

use kukla_store::Compacted;

use crate::Exit;
use crate::exports::store;
use crate::settings::{SettingArgs, StoreArgs};
use crate::shell::{Shell, Stream};
use crate::site;

/// Remove what is older than the settings allow, and content that no node has
#[derive(Debug, clap::Args)]
pub(crate) struct CompactArgs {
    #[command(flatten)]
    settings: StoreArgs,
}

/// Remove everything that nodes said
#[derive(Debug, clap::Args)]
pub(crate) struct PurgeArgs {
    /// Names of nodes
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,
    #[command(flatten)]
    settings: StoreArgs,
}

/// Removes what is old, and gives its space back.
pub(super) fn compact(args: &CompactArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    let store = store(&site)?;
    let Compacted { expired_nodes, purged_nodes, reports, content } =
        store.compact(site.settings().retention()?)?;
    store.shrink()?;
    let text = format!(
        "expired nodes: {expired_nodes}, removed nodes: {purged_nodes}, removed reports: {reports}, \
         removed rows of content: {content}\n"
    );
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}

/// Removes nodes.
pub(super) fn purge(args: &PurgeArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    let store = store(&site)?;
    let mut exit = Exit::Success;
    for node in &args.nodes {
        if !store.purge(node)? {
            shell.problem(&format!("`{node}` has said nothing"));
            exit = Exit::Findings;
        }
    }
    Ok(exit)
}
