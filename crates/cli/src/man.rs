//! `kukla man`: manual pages.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::CommandFactory;
use clap_mangen::{Man, generate_to};

use crate::shell::{Shell, Stream};
use crate::{Cli, Exit};
use kukla_site::reason;

const EXAMPLES: &str = "\
Examples:
  kukla man | man -l -
  kukla man /usr/local/share/man/man1";

/// Write the manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Directory to write all pages into [default: print the main page]
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

/// Writes all pages, or prints the main one.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let Some(directory) = &args.directory else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page)?;
        shell.print(Stream::Output, &String::from_utf8(page)?)?;
        return Ok(Exit::Success);
    };
    let written = std::fs::create_dir_all(directory);
    let written = written.and_then(|()| generate_to(Cli::command(), directory));
    written.map_err(|error| {
        anyhow!("can't write into `{}`: {}", directory.display(), reason(&error))
    })?;
    Ok(Exit::Success)
}
