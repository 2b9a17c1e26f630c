//! `kukla p run`: runs a program on a recorded message.

use super::run_args::RunArgs;
use super::show;
use crate::Exit;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla p run policy.p -m request.http
  kukla p run policy.p -m request.http --meta client.json --services services.toml
  kukla p run policy.p -m page.http --services services.toml --call
  kukla p run mail.p -m offer.smtp

Exit status: 0 the message may pass; 1 it may not; 2 not run.";

/// Run a program on a recorded message; print the decision, the line that made it, and changes of the message
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the program of the arguments.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    args.run.run(shell, |run, program, sources| show::outcome(&run.outcome, program, sources))
}
