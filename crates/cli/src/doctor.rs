//! `kukla doctor`: what in an environment can't be done here, and why.

use std::fmt::Write;

use anyhow::Context;
use clap::ValueEnum;
use kukla_environment::{Lack, LackKind};
use kukla_loader::paths::Anchor;
use serde_json::json;

use crate::Outcome;
use crate::compile::{Asked, Given, open};
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla doctor                                  the environment around the current directory
  kukla doctor --environmentpath /etc/puppetlabs/code/environments -E production
  kukla doctor --modulepath modules --format json

Exit status: 0 when nothing is found, 1 when something is, 2 when the environment could not be looked at.";

/// Tell what in an environment Kukla can't do, and why
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    given: Given,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// Looks at the environment that the arguments name.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Outcome> {
    let anchor = Anchor::new().context("can't find the current directory")?;
    let settings = args.given.settings(&anchor)?;
    let rules = args.given.rules(&settings)?;
    let name = settings.text("environment").unwrap_or_else(|| "production".to_owned());
    let is_modules_only = args.given.names("modulepath");
    let asked = Asked { given: &args.given, file: None, needs_no_directory: is_modules_only };
    let (snapshot, problems) = open(&asked, &settings, &anchor, &name, rules.strict)?;
    let unread = problems.into_iter().map(|(path, error)| Lack {
        kind: LackKind::Module,
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        path,
        line: None,
        reason: error.to_string(),
    });
    let lacks: Vec<Lack> = unread.chain(snapshot.survey()).collect();
    match args.format {
        Format::Text => shell.print(Stream::Output, &text(&lacks))?,
        Format::Json => shell.print(Stream::Output, &format!("{}\n", json(&lacks)))?,
    }
    if lacks.is_empty() {
        shell.say("nothing was found that can't be done");
        return Ok(Outcome::Fine);
    }
    Ok(Outcome::Faulty)
}

fn text(lacks: &[Lack]) -> String {
    let mut out = String::new();
    for lack in lacks {
        let _ = writeln!(out, "{} `{}`: {}", lack.kind.as_str(), lack.name, lack.reason);
        let line = lack.line.map(|line| format!(":{line}")).unwrap_or_default();
        let _ = writeln!(out, " --> {}{line}", lack.path.display());
    }
    out
}

fn json(lacks: &[Lack]) -> serde_json::Value {
    let problem = |lack: &Lack| {
        json!({
            "kind": lack.kind.as_str(),
            "name": lack.name,
            "file": lack.path.to_string_lossy(),
            "line": lack.line,
            "reason": lack.reason,
        })
    };
    json!({ "version": 1, "problems": lacks.iter().map(problem).collect::<Vec<_>>() })
}
