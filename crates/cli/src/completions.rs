//! `kukla completions`: completion scripts of shells.

use clap::CommandFactory;
use clap_complete::{Shell as Kind, generate};

use crate::shell::{Shell, Stream};
use crate::{Cli, Exit};

const EXAMPLES: &str = "\
Examples:
  kukla completions bash > /etc/bash_completion.d/kukla
  kukla completions zsh > ~/.zfunc/_kukla
  kukla completions fish > ~/.config/fish/completions/kukla.fish";

/// Print the completion script of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Kind,
}

/// Prints the script.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "kukla", &mut script);
    shell.print(Stream::Output, &String::from_utf8(script)?)?;
    Ok(Exit::Success)
}
