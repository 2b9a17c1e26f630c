//! The `kukla` command: one file per subcommand.
//!
//! Invariant: this is the only room that prints or exits, and in it only [`shell`] prints.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the program is a door: it reads arguments and files, and writes results"
)]

mod ca;
mod check;
mod compile;
mod completions;
mod data;
mod doctor;
mod dump;
mod edition;
mod eval;
mod explain;
mod exports;
mod inputs;
mod log;
mod lookup;
mod man;
mod p;
mod params;
mod paths;
mod serve;
mod settings;
mod shell;
mod site;
mod store;
mod top;
mod validate;
mod words;
mod xpp;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use shell::{Colour, Shell};

/// Evaluation makes many small, short-lived allocations, which mimalloc handles faster than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXAMPLES: &str = "\
Examples:
  kukla validate                     check every manifest and template below this directory
  kukla dump -e '$a = 1 + 2'         show how Puppet reads an expression
  kukla compile --node web1 --facts web1.json   the catalog of a node
  kukla lookup ntp::servers --node web1 --facts web1.json --explain   where a value comes from
  kukla data check                   data against the classes that use them
  kukla eval -e '[1, 2].map |$x| { $x * 2 }'   evaluate code
  kukla explain syntax-error         explain a diagnostic and how to fix it
  kukla xpp build                    parse an environment once, for every Puppet run
  kukla p check policy.p             check rules for messages, in the language P
  kukla serve                        serve agents: catalogs, files, reports, certificates
  kukla store status                 what nodes said: facts, catalogs, reports
  kukla ca list --all                certificates of agents, and requests for them";

/// A native toolchain for the Puppet language
#[derive(Debug, Parser)]
#[command(name = "kukla", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colours; `auto` respects NO_COLOR and CLICOLOR_FORCE
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        global = true,
        help_heading = "Global options"
    )]
    color: Colour,
}

#[derive(Debug, Subcommand)]
enum Command {
    Validate(validate::Args),
    Dump(dump::Args),
    Compile(compile::Args),
    Lookup(lookup::Args),
    Params(params::Args),
    Data(data::Args),
    Doctor(doctor::Args),
    Eval(eval::Args),
    Explain(explain::Args),
    Exports(exports::Args),
    Store(store::Args),
    Xpp(xpp::Args),
    P(p::Args),
    Serve(serve::Args),
    Top(top::Args),
    Ca(ca::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Result of a run, which is the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    /// Status 0: no findings.
    Success,
    /// Status 1: the input has errors.
    Findings,
    /// Status 2: some input could not be processed.
    Failure,
    /// Status 24: there was nothing to sign or revoke; `puppetserver ca` has it too.
    NothingToDo,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::from(0),
            Exit::Findings => Self::from(1),
            Exit::Failure => Self::from(2),
            Exit::NothingToDo => Self::from(24),
        }
    }
}

fn main() -> ExitCode {
    let Cli { command, color } = Cli::parse();
    let shell = Shell::new(color);
    let result = match &command {
        Command::Validate(args) => validate::run(args, &shell),
        Command::Dump(args) => dump::run(args, &shell),
        Command::Compile(args) => compile::run(args, &shell),
        Command::Lookup(args) => lookup::run(args, &shell),
        Command::Params(args) => params::run(args, &shell),
        Command::Data(args) => data::run(args, &shell),
        Command::Doctor(args) => doctor::run(args, &shell),
        Command::Eval(args) => eval::run(args, &shell),
        Command::Explain(args) => explain::run(args, &shell),
        Command::Exports(args) => exports::run(args, &shell),
        Command::Store(args) => store::run(args, &shell),
        Command::Xpp(args) => xpp::run(args, &shell),
        Command::P(args) => p::run(args, &shell),
        Command::Serve(args) => serve::run(args, &shell),
        Command::Top(args) => top::run(args, &shell),
        Command::Ca(args) => ca::run(args, &shell),
        Command::Completions(args) => completions::run(args, &shell),
        Command::Man(args) => man::run(args, &shell),
    };
    let exit = result.unwrap_or_else(|error| {
        shell.problem(&format!("{error:#}"));
        Exit::Failure
    });
    exit.into()
}
