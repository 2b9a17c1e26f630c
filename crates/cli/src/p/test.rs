//! `kukla p test`: compares decisions with expectations, and reports coverage.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use bumpalo::Bump;
use clap::ValueEnum;
use kukla_plang::explain::{Coverage, Missing};
use kukla_plang::files::Sources;
use kukla_plang::recorded::{Expected, RecordedServices};
use kukla_plang::transaction::Transaction;
use kukla_plang::verdict::{Outcome as RunOutcome, Verdict};
use kukla_plang::{Program, reference};

use super::folder::{NamedMessage, messages};
use super::program::{Loaded, PlaceArgs, check_protocol};
use super::show;
use crate::Exit;
use crate::shell::{Shell, Stream};
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kukla p test policy.p --messages tests/
  kukla p test policy.p --messages tests/ --format junit > report.xml

Each message (`a.http`) has a file beside it (`a.json`) with its metadata and the expected decision:
  {\"client_ip\": \"10.0.0.1\", \"expect\": {\"verdict\": \"deny\", \"line\": 7}}
A mail (`b.smtp`) is accepted, or refused: {\"expect\": {\"verdict\": \"reject\"}}

Exit status: 0 all as expected; 1 not; 2 not run.";

/// Test a program on a folder of recorded messages with expected decisions
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Program
    program: PathBuf,
    /// Folder of messages, or file with one message per line, or `-` for standard input
    #[arg(long, value_name = "PATH")]
    messages: PathBuf,
    #[command(flatten)]
    place: PlaceArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For CI servers that show test results.
    Junit,
}

/// Result of one message: a difference, or none.
struct Tested {
    name: String,
    problem: Option<String>,
}

/// Tests the program of the arguments.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let loaded = Loaded::new(&args.program, &args.place.options()?)?;
    let program = loaded.program(shell)?;
    let mut coverage = Coverage::default();
    let tested = messages(&args.messages)?
        .map(|named| {
            let named = named?;
            check_protocol(program, &loaded.sources, &named.recorded)
                .with_context(|| named.name.clone())?;
            Ok(test(&named, program, &loaded.sources, &mut coverage))
        })
        .collect::<anyhow::Result<Vec<Tested>>>()?;
    let n_failed = tested.iter().filter(|tested| tested.problem.is_some()).count();
    let text = match args.format {
        Format::Text => {
            text(&tested) + &covered(&coverage.missing(program), program, &loaded.sources)
        }
        Format::Junit => junit(&tested, loaded.sources.main().name()),
    };
    shell.print(Stream::Output, &text)?;
    if args.format == Format::Text {
        let n_passed = tested.len() - n_failed;
        shell.say(&format!(
            "{}: {n_passed} as expected, {n_failed} not",
            count(tested.len(), "message")
        ));
    }
    Ok(if n_failed == 0 { Exit::Success } else { Exit::Findings })
}

fn test(
    named: &NamedMessage,
    program: &Program,
    sources: &Sources,
    coverage: &mut Coverage,
) -> Tested {
    let arena = Bump::new();
    let message = named.recorded.message(&arena);
    let transaction = Transaction::new(&message, &arena, &program.limits);
    let mut services = RecordedServices::new(named.recorded.metadata.answers.clone());
    let run = reference::run(program, transaction, &mut services);
    coverage.add(&run, program);
    let problem = match &named.recorded.metadata.expected {
        None => Some("nothing is expected: its `.json` has no `expect`".to_owned()),
        Some(expected) => difference(expected, &run.outcome, program, sources),
    };
    Tested { name: named.name.clone(), problem }
}

/// Describes how an outcome differs from the expected one.
fn difference(
    expected: &Expected,
    outcome: &RunOutcome<'_>,
    program: &Program,
    sources: &Sources,
) -> Option<String> {
    let verdict = outcome.verdict(program);
    let message = outcome.transaction.message;
    let word = match verdict {
        Verdict::Fail(_) if expected.verdict == "fail" => "fail",
        Verdict::Fail(_) if message.mail.is_some() => "tempfail",
        Verdict::NoDecision if message.mail.is_some() => "reject",
        Verdict::Fail(_) | Verdict::NoDecision => "deny",
        verdict => verdict.word_for(message),
    };
    let line = outcome.place.map(|node| sources.line(program.span(node)));
    let reason = match verdict {
        Verdict::Deny(text) | Verdict::Challenge(text) | Verdict::Respond(_, text) => {
            show::lossy(text)
        }
        _ => String::new(),
    };
    let route = outcome.transaction.state().route;
    let pool = route.pool.map(show::lossy);
    let path = route.path.map(show::lossy);
    let is_same = expected.verdict == word
        && expected.line.is_none_or(|expected| line == Some(expected))
        && expected.reason.as_ref().is_none_or(|expected| *expected == reason)
        && expected.pool.as_ref().is_none_or(|expected| pool.as_ref() == Some(expected))
        && expected.path.as_ref().is_none_or(|expected| path.as_ref() == Some(expected));
    (!is_same).then(|| {
        let actual = show::outcome(outcome, program, sources);
        format!("expected {}, found {}", words(expected), actual.trim_end())
    })
}

fn words(expected: &Expected) -> String {
    let mut words = expected.verdict.clone();
    if let Some(reason) = &expected.reason {
        let _ = write!(words, ": {reason}");
    }
    if let Some(line) = expected.line {
        let _ = write!(words, " at line {line}");
    }
    for (what, value) in [("to", &expected.pool), ("as", &expected.path)] {
        if let Some(value) = value {
            let _ = write!(words, " {what} {value}");
        }
    }
    words
}

fn text(tested: &[Tested]) -> String {
    let failed = tested.iter().filter_map(|t| Some((&t.name, t.problem.as_ref()?)));
    failed
        .map(|(name, problem)| format!("FAILED {name}\n  {}\n", problem.replace('\n', "\n  ")))
        .collect()
}

fn covered(missing: &Missing, program: &Program, sources: &Sources) -> String {
    let n_reached = missing.n_statements - missing.statements.len();
    let n_taken = missing.n_branches - missing.branches.len();
    let mut out = format!(
        "covered {n_reached} of {} statements, {n_taken} of {} branches\n",
        missing.n_statements, missing.n_branches
    );
    let place = |node| {
        let span = program.span(node);
        let line = sources.line(span);
        let text = sources.slice(span).lines().next().unwrap_or_default().to_owned();
        format!("{line}: {text}")
    };
    for node in &missing.statements {
        let _ = writeln!(out, "  never reached {}", place(*node));
    }
    for (node, value) in &missing.branches {
        let _ = writeln!(out, "  never {value} {}", place(*node));
    }
    out
}

fn junit(tested: &[Tested], suite: &str) -> String {
    let n_failed = tested.iter().filter(|tested| tested.problem.is_some()).count();
    let (suite, n_tests) = (escaped(suite), tested.len());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\
         <testsuite name=\"{suite}\" tests=\"{n_tests}\" failures=\"{n_failed}\">\n"
    );
    for Tested { name, problem } in tested {
        let name = escaped(name);
        let _ = match problem {
            None => writeln!(out, "<testcase classname=\"{suite}\" name=\"{name}\"/>"),
            Some(problem) => writeln!(
                out,
                "<testcase classname=\"{suite}\" name=\"{name}\"><failure>{}</failure></testcase>",
                escaped(problem)
            ),
        };
    }
    out + "</testsuite>\n</testsuites>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
