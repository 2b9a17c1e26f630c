//! `kukla p run`: what a program decides on a recorded message.

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
  kukla p run policy.p -m request.http
  kukla p run policy.p -m request.http --meta client.json --services services.toml

Exit status: 0 the message may pass; 1 it may not; 2 not run.";

/// Run a program on a recorded message: the decision, the line that made it, what became of the message
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

/// Runs the program of the arguments.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Outcome> {
    let loaded = Loaded::new(&args.program, &args.place.options()?)?;
    let program = loaded.program(shell)?;
    let recorded = args.message.recorded()?;
    let arena = Bump::new();
    let message = recorded.message(&arena);
    let transaction = Transaction::new(&message, &arena, &program.limits);
    let run = reference::run(program, transaction, &mut NoServices);
    let verdict = run.outcome.verdict(program);
    shell.print(Stream::Output, &show::outcome(&run.outcome, program, &loaded.source))?;
    Ok(if verdict.is_allowed() { Outcome::Fine } else { Outcome::Faulty })
}
