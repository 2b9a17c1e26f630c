//! `kukla p explain`: explains the decision of a program.

use super::run_args::RunArgs;
use super::show;
use crate::Exit;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla p explain policy.p -m request.http
  kukla p explain mail.p -m offer.smtp

Exit status: 0 the message may pass; 1 it may not; 2 not run.";

/// Explain step by step why a program decides as it does
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the program of the arguments and prints the explanation.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    args.run.run(shell, |run, program, sources| {
        let steps = kukla_plang::explain::explain(run, program, sources);
        let outcome = show::outcome(&run.outcome, program, sources);
        let (n_steps, bound) = (run.n_steps, program.cost.steps);
        format!("{steps}\n{outcome}  in {n_steps} steps of at most {bound}\n")
    })
}
