//! `kukla validate`: reports every error of every file.

use std::path::PathBuf;

use clap::ValueEnum;
use kukla_base::DiagnosticPlace;
use kukla_base::render::{self, FileReport, Kind, Report};
use kukla_site::Homes;
use kukla_syntax::{Home, Strict};
use kukla_world::Pool;

use crate::Exit;
use crate::check::Checker;
use crate::edition::EditionArgs;
use crate::inputs::{Input, Inputs, Location, problem};
use crate::paths::current;
use crate::shell::{Shell, Stream};
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kukla validate                               all .pp, .epp and .pdl files below this directory
  kukla validate site.pp modules/              a file, and all files below a directory
  kukla validate --format concise site.pp      the lines that Puppet prints
  kukla validate - < site.pp                   standard input
  kukla validate --format sarif > kukla.sarif  for code scanning

Exit status: 0 valid, warnings are allowed; 1 invalid; 2 not run: a path that does not exist, \
a file that can't be read, wrong arguments.";

/// Check manifests, templates and PDL
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, directories, or `-` for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Severity of doubtful constructs, like Puppet's setting `strict`
    #[arg(long, value_enum, default_value_t)]
    strict: StrictLevel,
    #[command(flatten)]
    edition: EditionArgs,
    /// Accept plans, as Puppet does when it runs tasks
    #[arg(long)]
    tasks: bool,
    /// Parse standard input as a template
    #[arg(long)]
    epp: bool,
    /// Directories of modules, separated by colons [default: found by environment.conf and metadata.json]
    #[arg(long, value_name = "DIRS")]
    modulepath: Option<String>,
    /// Number of files to check in parallel [default: number of cores]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

/// Output format of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people, with the source.
    #[default]
    Text,
    /// Puppet's one line per error.
    Concise,
    /// For programs.
    Json,
    /// Annotations on GitHub.
    Github,
    /// For code scanning services.
    Sarif,
    /// For CI servers that show test results.
    Junit,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum StrictLevel {
    /// Not reported.
    Off,
    /// Warnings.
    Warning,
    /// Errors, as in Puppet 8.
    #[default]
    Error,
}

/// Checks the selected sources, and prints the findings.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let kind = if args.epp { Kind::Template } else { Kind::Manifest };
    let anchor = current()?;
    let pool = Pool::new(args.jobs.map(usize::from));
    let inputs = Inputs::find(&args.paths, kind, &anchor, &pool);
    let homes = Homes::new(args.modulepath.as_deref(), &anchor);
    let located = locate(inputs.list, homes);
    let (report, mut problems) = check_all(args, &located, &pool, shell);
    problems.splice(0..0, inputs.problems);
    shell.print(Stream::Output, &rendered(&report, args.format, shell))?;
    problems.iter().for_each(|problem| shell.problem(problem));
    if args.format == Format::Text {
        shell.say(&summary(&report));
    }
    Ok(exit(&report, &problems))
}

fn exit(report: &Report, problems: &[String]) -> Exit {
    if !problems.is_empty() {
        Exit::Failure
    } else if report.n_errors() > 0 {
        Exit::Findings
    } else {
        Exit::Success
    }
}

/// Finds the module or environment of every source.
fn locate(inputs: Vec<Input>, mut homes: Homes) -> Vec<(Input, Home)> {
    let mut home = |input: &Input| match (&input.location, input.kind) {
        (Location::File { absolute, .. }, Kind::Manifest) => homes.home(absolute),
        (Location::File { .. } | Location::StandardInput, _) => Home::Anywhere,
    };
    let located = inputs.into_iter().map(|input| {
        let home = home(&input);
        (input, home)
    });
    located.collect()
}

/// Returns the findings, and messages about unreadable sources.
fn check_all(
    args: &Args,
    located: &[(Input, Home)],
    pool: &Pool,
    shell: &Shell,
) -> (Report, Vec<String>) {
    let (tasks, strict, edition) = (args.tasks, args.strict.into(), args.edition.edition);
    let checker = Checker { tasks, strict, edition };
    let progress = shell.progress(located.len());
    let results = pool.map(located, |(input, home)| {
        let result = checker.check(input, home).map_err(|error| problem(&input.name, &error));
        progress.step();
        result
    });
    progress.finish();
    let mut report = Report::default();
    let mut problems = Vec::new();
    for result in results {
        match result {
            Ok(file) => report.files.push(ordered(file, args.format)),
            Err(problem) => problems.push(problem),
        }
    }
    (report, problems)
}

/// Sorts diagnostics by position, except in formats with Puppet's lines: these keep Puppet's order, so that its first
/// error comes first.
fn ordered(mut file: FileReport, format: Format) -> FileReport {
    if format != Format::Concise {
        file.diagnostics.sort_by_key(|diagnostic| match diagnostic.place {
            DiagnosticPlace::At(offset) | DiagnosticPlace::Line(offset) => offset,
            DiagnosticPlace::File | DiagnosticPlace::Nowhere => diagnostic.span.start,
        });
    }
    file
}

/// Renders a report.
pub(crate) fn rendered(report: &Report, format: Format, shell: &Shell) -> String {
    match format {
        Format::Text => render::text::render(report, shell.style(Stream::Output)),
        Format::Concise => render::concise::render(report),
        Format::Json => render::json::render(report),
        Format::Github => render::github::render(report),
        Format::Sarif => render::sarif::render(report, &TOOL),
        Format::Junit => render::junit::render(report),
    }
}

const TOOL: render::sarif::Tool<'static> = render::sarif::Tool {
    name: "kukla",
    version: env!("CARGO_PKG_VERSION"),
    explain: |code| kukla_syntax::explain::find(code).map(|found| found.text),
};

/// Formats the summary: `checked 1 898 files: 2 errors in 1 file`.
fn summary(report: &Report) -> String {
    let n_faulty = report.files.iter().filter(|file| file.n_errors() > 0).count();
    let errors = match report.n_errors() {
        0 => "no errors".to_owned(),
        n => format!("{} in {}", count(n, "error"), count(n_faulty, "file")),
    };
    let warnings = match report.n_warnings() {
        0 => String::new(),
        n => format!(", {}", count(n, "warning")),
    };
    format!("checked {}: {errors}{warnings}", count(report.files.len(), "file"))
}

impl From<StrictLevel> for Strict {
    fn from(level: StrictLevel) -> Self {
        match level {
            StrictLevel::Off => Self::Off,
            StrictLevel::Warning => Self::Warning,
            StrictLevel::Error => Self::Error,
        }
    }
}
