//! `kukla p import`: translates rules of Puppet Server into a program.

use std::path::PathBuf;

use anyhow::Context as _;
use kukla_server::auth_conf;

use super::program::read;
use crate::Exit;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla p import /etc/puppetlabs/puppetserver/conf.d/auth.conf > policy.p
  kukla p check policy.p";

/// Translate Puppet Server's auth.conf into a program with the same decisions
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The auth.conf
    file: PathBuf,
}

/// Prints the program.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let text = String::from_utf8(read(&args.file)?);
    let text = text.with_context(|| format!("`{}` is not in UTF-8", args.file.display()))?;
    let program = auth_conf::program(&text);
    let program = program.with_context(|| format!("cannot import `{}`", args.file.display()))?;
    shell.print(Stream::Output, &program)?;
    Ok(Exit::Success)
}
