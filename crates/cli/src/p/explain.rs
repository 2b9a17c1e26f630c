//! `kukla p explain`: why a program decides as it does.

use std::path::PathBuf;

use bumpalo::Bump;
use kukla_plang::reference;
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;

use super::message::MessageArgs;
use super::program::{Loaded, Place};
use super::show;
use crate::Outcome;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla p explain policy.p -m request.http

Exit status: 0 the message may pass; 1 it may not; 2 not run.";

/// Tell step by step why a program decides as it does
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The program
    program: PathBuf,
    #[command(flatten)]
    message: MessageArgs,
    #[command(flatten)]
    place: Place,
}

/// Runs the program of the arguments and tells all of it.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Outcome> {
    let loaded = Loaded::new(&args.program, &args.place.options()?)?;
    let program = loaded.program(shell)?;
    let recorded = args.message.recorded()?;
    let arena = Bump::new();
    let message = recorded.message(&arena);
    let transaction = Transaction::new(&message, &arena, &program.limits);
    let run = reference::run(program, transaction, &mut NoServices);
    let steps = kukla_plang::explain::explain(&run, program, &loaded.source);
    let outcome = show::outcome(&run.outcome, program, &loaded.source);
    let (n_steps, bound) = (run.n_steps, program.cost.steps);
    let text = format!("{steps}\n{outcome}  in {n_steps} steps of at most {bound}\n");
    shell.print(Stream::Output, &text)?;
    let is_allowed = run.outcome.verdict(program).is_allowed();
    Ok(if is_allowed { Outcome::Fine } else { Outcome::Faulty })
}
