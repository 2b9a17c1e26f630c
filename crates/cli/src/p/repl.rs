//! `kukla p repl`: interactive evaluation of P.

use std::io::BufRead as _;
use std::path::PathBuf;

use bumpalo::Bump;
use kukla_base::Source;
use kukla_base::render::{FileReport, Kind, text};
use kukla_plang::explain::format_value;
use kukla_plang::files::Sources;
use kukla_plang::reference::{self, trace::EventResult};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::{Options, check};

use super::message;
use super::program::PlaceArgs;
use super::show;
use crate::Exit;
use crate::shell::{Shell, Stream};

const EXAMPLES: &str = "\
Examples:
  kukla p repl                        on an empty request
  kukla p repl -m request.http        on a recorded message";

/// Try lines of P on a message
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Message
    #[arg(long, short, value_name = "FILE")]
    message: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Modules that are imported for each line.
const PRELUDE: &str = "Http := import \"Http\"; Net := import \"Net\"; Time := import \"Time\"; \
                       Puppet := import \"Puppet\";\n";

/// Reads lines and runs each after all previous lines.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let options = args.place.options()?;
    let recorded = match &args.message {
        Some(path) => message::recorded(path, None)?,
        None => kukla_plang::recorded::Recorded::parse(b"GET / HTTP/1.1\n\n")?,
    };
    let mut before = PRELUDE.to_owned();
    shell.print(Stream::Error, "p> ")?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if !line.trim().is_empty() {
            let (answer, is_kept) = try_line(&before, &line, &options, &recorded, shell);
            shell.print(Stream::Output, &answer)?;
            if is_kept {
                before.extend([
                    line.trim_end(),
                    if line.trim_end().ends_with([';', '}']) { "\n" } else { ";\n" },
                ]);
            }
        }
        shell.print(Stream::Error, "p> ")?;
    }
    Ok(Exit::Success)
}

/// Returns the answer to a line, and whether later lines can follow it.
fn try_line(
    before: &str,
    line: &str,
    options: &Options,
    recorded: &kukla_plang::recorded::Recorded,
    shell: &Shell,
) -> (String, bool) {
    let source = Source::new("line", format!("{before}{line}"));
    let checked = check(source.text(), options);
    let Some(program) = checked.program else {
        let diagnostics = checked.diagnostics.into_iter().filter(|d| d.is_error()).collect();
        let report = FileReport { source, kind: Kind::Rules, puppet_file: None, diagnostics };
        return (text::render_file(&report, shell.style(Stream::Output)), false);
    };
    let arena = Bump::new();
    let message = recorded.message(&arena);
    let transaction = Transaction::new(&message, &arena, &program.limits);
    let run = reference::run(&program, transaction, &mut NoServices);
    let last = program.block(program.main).last().copied();
    let mut values = run.trace.events.iter().filter(|e| Some(e.node) == last && e.depth == 0);
    let is_complete = matches!(run.outcome.ending, kukla_plang::verdict::Ending::Completed);
    let answer = match values.next_back().map(|event| event.result) {
        Some(EventResult::Value(kukla_plang::value::Value::Nothing)) if is_complete => {
            String::new()
        }
        Some(EventResult::Value(value)) if is_complete => format!("{}\n", format_value(value)),
        _ => show::outcome(&run.outcome, &program, &Sources::new(source, &checked.included)),
    };
    (answer, is_complete)
}
