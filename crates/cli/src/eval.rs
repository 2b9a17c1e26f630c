//! `kukla eval`: evaluates code and prints its value.

mod jsonl;
mod repl;

use kukla_world::files;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::ValueEnum;
use kukla_base::Edition;
use kukla_compiler::log::{Entry, Level};
use kukla_compiler::{
    Functions, Library, Limits, NODE, Outcome as Evaluated, Session, Strictness, answer,
};
use kukla_pcore::{Hash, format};
use kukla_ruby::Interpreter;
use kukla_site::{NodeFacts, SiteError};

use crate::Exit;
use crate::edition::EditionArgs;
use crate::paths::current;
use crate::shell::{Errors, Shell, Stream};

/// The name that Puppet gives to code on the command line.
const CODE_NAME: &str = "command-line-string";

const EXAMPLES: &str = "\
Examples:
  kukla eval -e '[1, 2, 3].map |$x| { $x * 2 }'      [2, 4, 6]
  kukla eval -e '$facts[os][family]' --facts f.json  with the facts of a node
  kukla eval --format json script.pp                 value, type and log for machines
  kukla eval                                         interactive, on a terminal
  kukla eval --jsonl < questions.jsonl               one question and one answer per line

Questions of --jsonl are {\"id\", \"code\", \"facts\", \"edition\"}; answers are {\"id\", \"value\" (rich data), \"type\", \"string\",
\"logs\"}, or {\"id\", \"error\", \"logs\"}.
Exit status: 0, 1 when the code is wrong, 2 when a file cannot be read.";

/// Evaluate code; print its value and log messages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A manifest, or `-` for standard input
    #[arg(value_name = "FILE", conflicts_with = "code")]
    file: Option<PathBuf>,
    /// Code to evaluate instead of a file
    #[arg(short = 'e', value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// Facts: a JSON or YAML file, or a directory with one such file per node
    #[arg(long, value_name = "PATH")]
    facts: Option<PathBuf>,
    /// Node whose facts are used, if there are several
    #[arg(long, value_name = "NAME", requires = "facts")]
    node: Option<String>,
    /// Output format of the value
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Output format of evaluation errors
    #[arg(long, value_enum, default_value_t)]
    errors: Errors,
    #[command(flatten)]
    edition: EditionArgs,
    /// Answer questions on standard input, one per line
    #[arg(long, conflicts_with_all = ["file", "code", "format"])]
    jsonl: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// As written in Puppet code.
    #[default]
    Text,
    /// Value, type and log.
    Json,
}

/// Evaluates the code of the arguments.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    if args.jsonl {
        return jsonl::run(args.edition.edition);
    }
    let facts = match &args.facts {
        Some(path) => NodeFacts::choose(path, args.node.as_deref(), &current()?)?.values,
        None => Arc::default(),
    };
    let (code, name) = match (&args.code, &args.file) {
        (Some(code), _) => (code.clone(), CODE_NAME.to_owned()),
        (None, Some(path)) if path.as_os_str() != "-" => {
            let code = files::read_text(path)
                .map_err(|error| SiteError::Unreadable { path: path.clone(), error })?;
            (code, path.display().to_string())
        }
        (None, None) if io::stdin().is_terminal() => {
            return repl::run(session(&facts, args.edition.edition), args.errors, shell);
        }
        _ => {
            let code = files::read_text_stream(io::stdin());
            (code.context("cannot read standard input")?, "stdin".to_owned())
        }
    };
    let evaluated = session(&facts, args.edition.edition).evaluate(&code, &name);
    print(&evaluated, args, shell)
}

/// Creates a session with all functions and the facts of a node.
fn session(facts: &Hash, edition: Edition) -> Session {
    Session::new(library(), strictness(edition), Limits::default(), facts)
}

/// Returns the strict rules of an edition.
fn strictness(edition: Edition) -> Strictness {
    Strictness { editions: edition.into(), ..Strictness::default() }
}

fn library() -> Arc<dyn Library> {
    Arc::new(
        Functions::new(kukla_stdlib::BUILT_IN)
            .in_world(Arc::new(kukla_world::Disk))
            .with_templates(Interpreter),
    )
}

fn print(evaluated: &Evaluated, args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    if args.format == Format::Json {
        let answer = answer::json(evaluated, NODE);
        shell.print(Stream::Output, &format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
    } else {
        print_log(&evaluated.log, shell)?;
        match &evaluated.value {
            Ok(value) => shell.print(Stream::Output, &format!("{}\n", format::program(value)))?,
            Err(failure) => shell.failure(failure, args.errors),
        }
    }
    Ok(if evaluated.value.is_ok() { Exit::Success } else { Exit::Findings })
}

/// Prints the log like Puppet.
pub(crate) fn print_log(log: &[Entry], shell: &Shell) -> io::Result<()> {
    for Entry { level, message, file, line } in log {
        let name = match level {
            Level::Debug => continue,
            Level::Info => "Info",
            Level::Notice => "Notice",
            Level::Warning => "Warning",
            Level::Err => "Error",
            Level::Alert => "Alert",
            Level::Emerg => "Emergency",
            Level::Crit => "Critical",
        };
        let place = match (file, line) {
            (Some(file), Some(line)) => format!(" (file: {file}, line: {line})"),
            (Some(file), None) => format!(" (file: {file})"),
            _ => String::new(),
        };
        shell.print(Stream::Error, &format!("{name}: {message}{place}\n"))?;
    }
    Ok(())
}
