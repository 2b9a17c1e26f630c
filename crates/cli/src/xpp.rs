//! `kukla xpp`: serialized manifests, parsed once for all runs of Puppet.

mod build;
mod classes;
mod environment;
mod ownership;
mod show;
mod verify;

use clap::Subcommand;
use kukla_xpp::Encoding;

use crate::Exit;
use crate::shell::Shell;

/// Build and inspect serialized manifests, which Puppet loads instead of parsing
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Args),
    Show(show::Args),
    Verify(verify::Args),
    Classes(classes::Args),
}

/// Encoding of serialized manifests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum EncodingName {
    /// Fastest to load.
    #[default]
    Flat,
    /// Puppet's own stream of objects as JSON.
    Json,
    /// Puppet's own stream of objects as msgpack.
    Msgpack,
}

/// Runs the selected command.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Build(args) => build::run(args, shell),
        Command::Show(args) => show::run(args, shell),
        Command::Verify(args) => verify::run(args, shell),
        Command::Classes(args) => classes::run(args, shell),
    }
}

impl From<EncodingName> for Encoding {
    fn from(name: EncodingName) -> Self {
        match name {
            EncodingName::Flat => Self::Flat,
            EncodingName::Json => Self::Json,
            EncodingName::Msgpack => Self::Msgpack,
        }
    }
}
