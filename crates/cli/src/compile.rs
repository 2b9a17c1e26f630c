//! `kukla compile`: from a node and its facts to its catalog.

mod jsonl;
mod node;
mod uuid;

use crate::Outcome;
use crate::shell::Shell;

/// Compile catalogs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Answer requests on standard input, one a line
    #[arg(long)]
    jsonl: bool,
}

/// Compiles what the arguments name.
pub(crate) fn run(args: &Args, _shell: &Shell) -> anyhow::Result<Outcome> {
    let _ = args.jsonl;
    jsonl::run()
}
