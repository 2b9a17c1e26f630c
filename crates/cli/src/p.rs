//! `kukla p`: rules for messages, in the language P.

mod check;
mod message;
mod program;
mod run;
mod show;

use clap::Subcommand;

use crate::Outcome;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla p check policy.p                          every error, and the worst-case cost
  kukla p run policy.p -m request.http            what it decides on a recorded message";

/// Say which message may pass, where it goes and what adapts it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Run(run::Args),
}

/// Runs the command that the arguments name.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Check(args) => check::run(args, shell),
        Command::Run(args) => run::run(args, shell),
    }
}
