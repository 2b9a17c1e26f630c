//! `kukla p fmt`: formats programs.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use kukla_plang::format::{format, minify};

use super::program::read;
use crate::Exit;
use crate::inputs::STANDARD_INPUT;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla p fmt policy.p               rewrite the file
  kukla p fmt --check policies/*.p   list files that are not formatted
  kukla p fmt --min - < policy.p     minified, to put it into a header

Exit status: 0; 1 with `--check` when a file would change; 2 when a file can't be read.";

/// Format programs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Programs, or `-` for standard input
    #[arg(value_name = "PROGRAM", required = true)]
    programs: Vec<PathBuf>,
    /// Change nothing, but list files that would change
    #[arg(long)]
    check: bool,
    /// Minify: no comments, no spaces
    #[arg(long)]
    min: bool,
}

/// Formats the programs of the arguments.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    for path in &args.programs {
        let text = String::from_utf8(read(path)?);
        let text = text.with_context(|| format!("`{}` is not in UTF-8", path.display()))?;
        let new = if args.min { minify(&text) } else { format(&text) };
        let unreadable = || anyhow!("`{}` can't be read; see `kukla p check`", path.display());
        let new = new.ok_or_else(unreadable)?;
        if path == Path::new(STANDARD_INPUT) {
            shell.print(Stream::Output, &new)?;
        } else if new != text && args.check {
            shell.print(Stream::Output, &format!("{}\n", path.display()))?;
            exit = Exit::Findings;
        } else if new != text {
            std::fs::write(path, new)
                .with_context(|| format!("cannot write `{}`", path.display()))?;
        }
    }
    Ok(exit)
}
