//! `kukla p`: rules for messages, in the language P.

mod check;
mod diff;
mod door;
mod explain;
mod fmt;
mod folder;
mod icap;
mod import;
mod message;
mod modules;
mod program;
mod proxy;
mod repl;
mod run;
mod run_args;
mod serve;
mod services;
mod show;
mod test;

use clap::Subcommand;

use crate::Exit;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla p check policy.p                          every error, and the worst-case cost
  kukla p run policy.p -m request.http            the decision on a recorded message
  kukla p explain policy.p -m request.http        the reason, step by step
  kukla p test policy.p --messages tests/         expected decisions, and coverage
  kukla p diff old.p new.p --messages recorded/   decisions that change
  kukla p import auth.conf                        rules of Puppet Server as a program
  kukla p serve --rules policy.p                  the endpoint for nginx, Traefik, Caddy and Envoy
  kukla p proxy --rules policy.p --upstream http://127.0.0.1:9000   a reverse proxy that runs the program
  kukla p icap --rules policy.p                   a server of ICAP for Squid
  kukla p services services.toml --ask            services of a registry, and what they say about themselves";

/// Decide which messages may pass, where they go and which services adapt them
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Fmt(fmt::Args),
    Run(run::Args),
    Explain(explain::Args),
    Test(test::Args),
    Diff(diff::Args),
    Modules(modules::Args),
    Import(import::Args),
    Repl(repl::Args),
    Proxy(Box<proxy::Args>),
    Icap(icap::Args),
    Serve(serve::Args),
    Services(services::Args),
}

/// Runs the selected command.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Check(args) => check::run(args, shell),
        Command::Fmt(args) => fmt::run(args, shell),
        Command::Run(args) => run::run(args, shell),
        Command::Explain(args) => explain::run(args, shell),
        Command::Test(args) => test::run(args, shell),
        Command::Diff(args) => diff::run(args, shell),
        Command::Modules(args) => modules::run(args, shell),
        Command::Import(args) => import::run(args, shell),
        Command::Repl(args) => repl::run(args, shell),
        Command::Icap(args) => icap::run(args, shell),
        Command::Proxy(args) => proxy::run(args, shell),
        Command::Serve(args) => serve::run(args, shell),
        Command::Services(args) => services::run(args, shell),
    }
}
