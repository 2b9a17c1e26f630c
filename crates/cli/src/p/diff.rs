//! `kukla p diff`: shows which decisions differ between two programs.

use std::path::PathBuf;

use anyhow::Context as _;
use bumpalo::Bump;
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::files::Sources;
use kukla_plang::recorded::RecordedServices;
use kukla_plang::transaction::Transaction;

use super::folder::{NamedMessage, messages};
use super::program::{Loaded, PlaceArgs, check_protocol};
use super::show;
use crate::Exit;
use crate::shell::{Shell, Stream};
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kukla p diff old.p new.p --messages recorded/
  zcat messages.jsonl.gz | kukla p diff old.p new.p --messages -

In a stream a message is a line of JSON: its metadata, its text, and optionally a name:
  {\"name\": \"a\", \"client_ip\": \"10.0.0.1\", \"message\": \"GET / HTTP/1.1\\nHost: a\\n\\n\"}

Exit status: 0 all decisions are equal; 1 some differ; 2 not run.";

/// Show which decisions on recorded messages differ between two programs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Old program
    old: PathBuf,
    /// New program
    new: PathBuf,
    /// Folder of messages, or file with one message per line, or `-` for standard input
    #[arg(long, value_name = "PATH")]
    messages: PathBuf,
    #[command(flatten)]
    place: PlaceArgs,
}

/// Runs both programs of the arguments.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let options = args.place.options()?;
    let load = |path: &PathBuf| -> anyhow::Result<_> {
        let loaded = Loaded::new(path, &options)?;
        loaded.program(shell)?;
        let Loaded { sources, checked } = loaded;
        Ok(checked.program.map(|program| (Compiled::new(program), sources)))
    };
    let (Some(old), Some(new)) = (load(&args.old)?, load(&args.new)?) else {
        return Ok(Exit::Failure);
    };
    let (mut n_messages, mut n_changed) = (0, 0);
    for named in messages(&args.messages)? {
        let named = named?;
        n_messages += 1;
        for (compiled, sources) in [&old, &new] {
            check_protocol(&compiled.program, sources, &named.recorded)
                .with_context(|| named.name.clone())?;
        }
        let (before, after) = (decide(&named, &old), decide(&named, &new));
        if before.0 != after.0 {
            n_changed += 1;
            let change = format!("{}\n- {}+ {}", named.name, before.1, after.1);
            shell.print(Stream::Output, &change)?;
        }
    }
    let total = count(n_messages, "message");
    shell.say(&format!("{total}: {} changed", count(n_changed, "decision")));
    Ok(if n_changed == 0 { Exit::Success } else { Exit::Findings })
}

/// Returns the compared part of an outcome, and the whole outcome in words.
fn decide(named: &NamedMessage, (compiled, sources): &(Compiled, Sources)) -> (String, String) {
    let arena = Bump::new();
    let message = named.recorded.message(&arena);
    let transaction = Transaction::new(&message, &arena, &compiled.program.limits);
    let mut services = RecordedServices::new(named.recorded.metadata.answers.clone());
    let outcome = compiled::run(compiled, transaction, &mut services);
    let words = show::outcome(&outcome, &compiled.program, sources);
    // The line of a decision may change without the decision.
    let same =
        words.lines().filter(|line| !line.starts_with("  at ")).collect::<Vec<_>>().join("\n");
    (same, words)
}
