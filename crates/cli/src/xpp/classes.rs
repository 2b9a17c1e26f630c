//! `kukla xpp classes`: lists the classes of an environment and their parameters.

use std::path::{Path, PathBuf};

use kukla_site::classes::{Classes, classes};

use super::environment::EnvironmentArgs;
use crate::Exit;
use crate::settings::XppArgs;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla xpp classes                             the environment around this directory
  kukla xpp classes -E production > classes.json
  kukla xpp classes --xpp                       from the files of `kukla xpp build`

The output is what Puppet Server answers to `environment_classes`.
Exit status: 0, 1 when a manifest has errors, 2 not run.";

/// List all classes of an environment with their parameters, as JSON
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Directory of the environment [default: the one around the current directory]
    #[arg(value_name = "ENVIRONMENT_DIR")]
    directory: Option<PathBuf>,
    #[command(flatten)]
    place: EnvironmentArgs,
    #[command(flatten)]
    xpp: XppArgs,
    /// Indent the output over several lines
    #[arg(long)]
    pretty: bool,
}

/// Lists the classes of the environment that the arguments name.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let directory = args.directory.as_deref();
    let opened = args.place.find_with(directory, Path::new("."), Some(args.xpp))?;
    let (manifests, problems) = opened.manifests(shell);
    let mut list = manifests.list;
    list.extend(opened.environment.outside_manifests(&opened.anchor));
    let Classes { json: classes, unusable } =
        classes(&opened.environment, &list, opened.xpp, &opened.pool);
    unusable.iter().for_each(|unusable| shell.warning(&unusable.to_string()));
    let json = if args.pretty { format!("{classes:#}\n") } else { format!("{classes}\n") };
    shell.print(Stream::Output, &json)?;
    problems.iter().for_each(|problem| shell.problem(problem));
    let has_errors =
        classes["files"].as_array().into_iter().flatten().any(|file| file.get("error").is_some());
    Ok(match (problems.is_empty(), has_errors) {
        (false, _) => Exit::Failure,
        (true, true) => Exit::Findings,
        (true, false) => Exit::Success,
    })
}
