//! `kukla p check`: reports the errors and the cost of programs.

use std::fmt::Write as _;
use std::path::PathBuf;

use kukla_base::render::{Report, printable};
use kukla_plang::issues;

use super::program::{Loaded, PlaceArgs};
use crate::Exit;
use crate::shell::{Shell, Stream};
use crate::validate::{Format, rendered};
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kukla p check policy.p
  kukla p check --point server --services services.toml policy.p
  kukla p check --strict --format github policies/*.p

Exit status: 0 can be run, warnings are allowed; 1 can't; 2 not checked.";

/// Check programs: every error, the worst-case cost, and where they may fail
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Programs, or `-` for standard input
    #[arg(value_name = "PROGRAM", required = true)]
    programs: Vec<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Warn of every place where the whole program may fail
    #[arg(long)]
    strict: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Checks the programs of the arguments.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let options = args.place.options()?;
    let mut report = Report::default();
    let mut costs = String::new();
    for path in &args.programs {
        let loaded = Loaded::new(path, &options)?;
        let mut diagnostics = loaded.checked.diagnostics.clone();
        if args.strict {
            let failures = loaded.checked.failures.iter();
            diagnostics.extend(failures.map(|f| issues::unhandled_failure(f.span, &f.when)));
            diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        }
        let n_errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        costs += &cost(&loaded, n_errors);
        report.files.extend(loaded.reports(&diagnostics));
    }
    shell.print(Stream::Output, &rendered(&report, args.format, shell))?;
    if args.format == Format::Text {
        shell.print(Stream::Error, &costs)?;
    }
    Ok(if report.n_errors() > 0 { Exit::Findings } else { Exit::Success })
}

/// Formats the cost: `policy.p: at most 41 steps and 0 bytes per message; may fail (and so deny) at 2 places`.
fn cost(loaded: &Loaded, n_errors: usize) -> String {
    let name = printable(loaded.sources.main().name());
    if n_errors > 0 {
        return format!("{name}: {}\n", count(n_errors, "error"));
    }
    let checked = &loaded.checked;
    let (steps, memory) = (checked.cost.steps, checked.cost.memory);
    let mut words = format!("{name}: at most {steps} steps and {memory} bytes per message");
    if !checked.failures.is_empty() {
        let places = count(checked.failures.len(), "place");
        let _ = write!(words, "; may fail at {places} (`--strict` shows them)");
    }
    words + "\n"
}
