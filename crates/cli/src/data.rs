//! `kukla data`: commands about all data of an environment.

mod check;
mod convert;
mod uses;

use crate::Exit;
use crate::shell::Shell;

/// Check and convert data, and show which nodes use it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
    Convert(convert::Args),
    Uses(uses::Args),
}

/// Runs the selected command.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Check(args) => check::run(args, shell),
        Command::Convert(args) => convert::run(args, shell),
        Command::Uses(args) => uses::run(args, shell),
    }
}
