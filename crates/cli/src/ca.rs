//! `kukla ca`: administers the certificate authority of a Puppet server.
//!
//! All commands work on the files of the CA under its lock, so that they can run beside `kukla serve`.

mod change;
mod common;
mod generate;
mod list;
mod setup;

use crate::Exit;
use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  kukla ca setup                                  make a root and a signing CA, and the server's certificate
  kukla ca list --all                             certificates, and requests for them
  kukla ca sign --certname web1.example.com       sign a request
  kukla ca clean --certname web1.example.com      revoke and forget a certificate
  kukla ca generate --certname ci.example.com     a key and a certificate for another host

Commands, options and messages are those of `puppetserver ca`. They work on the files in `cadir`, also while
`kukla serve` runs; stop Puppet Server before you use them on its directory.
Exit status: 0, 1 when something was refused, 2 when the CA can't be used, 24 when there was nothing to sign or revoke.";

/// Administer the certificate authority: sign, list, revoke and clean certificates of agents
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Setup(setup::SetupArgs),
    Import(setup::ImportArgs),
    Generate(generate::Args),
    List(list::Args),
    Sign(change::SignArgs),
    Revoke(change::RevokeArgs),
    Clean(change::CleanArgs),
    Prune(change::PruneArgs),
    Enable(change::EnableArgs),
}

/// Runs the selected command.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Setup(args) => setup::set_up(args, shell),
        Command::Import(args) => setup::import(args, shell),
        Command::Generate(args) => generate::run(args, shell),
        Command::List(args) => list::run(args, shell),
        Command::Sign(args) => change::sign(args, shell),
        Command::Revoke(args) => change::revoke(args, shell),
        Command::Clean(args) => change::clean(args, shell),
        Command::Prune(args) => change::prune(args, shell),
        Command::Enable(args) => change::enable(args, shell),
    }
}
