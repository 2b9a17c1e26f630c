//! `kukla dump`: shows Puppet's tree of a source.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueEnum;
use kukla_base::Source;
use kukla_base::render::{self, FileReport, Kind};
use kukla_syntax::{Ast, Options, check_bytes, parse, pn, tree};
use kukla_world::paths::Anchor;

use crate::Exit;
use crate::check::{language, lossy, puppet_file, read};
use crate::inputs::{Input, Location, STANDARD_INPUT, kind, problem};
use crate::paths::current;
use crate::shell::{Shell, Stream};

/// The name that Puppet gives to code on the command line.
const CODE_NAME: &str = "command-line-string";

const EXAMPLES: &str = "\
Examples:
  kukla dump -e '$a = 1 + 2'               (= (var \"a\") (+ 1 2))
  kukla dump --format json --pretty x.pp   the tree as JSON
  kukla dump --format tree x.pp            for people, with positions
  kukla dump --epp < x.epp                 a template on standard input

Formats `pn` and `json` are what `puppet parser dump` and `puppet epp dump` print.
Exit status: 0, 1 when a source does not parse, 2 when a file can't be read.";

/// Show Puppet's syntax tree of a source
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, or `-` for standard input [default: standard input]
    #[arg(value_name = "PATH", conflicts_with = "code")]
    paths: Vec<PathBuf>,
    /// Code to dump instead of files
    #[arg(short = 'e', value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Indent the output over several lines; no effect on `tree`
    #[arg(long)]
    pretty: bool,
    /// Parse all sources as templates
    #[arg(long)]
    epp: bool,
    /// Accept plans, as Puppet does when it runs tasks
    #[arg(long)]
    tasks: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Puppet's own notation.
    #[default]
    Pn,
    /// Puppet's notation as JSON.
    Json,
    /// For people, with positions.
    Tree,
}

/// A source to dump.
struct DumpedSource {
    input: Input,
    bytes: Vec<u8>,
}

/// Prints the trees of the selected sources.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let (sources, problems) = sources(args)?;
    let n_files = sources.iter().filter(|source| source.is_file()).count();
    let mut dumps = String::new();
    let mut exit = Exit::Success;
    for source in sources {
        match dump(&source, args, n_files) {
            Ok(dump) => dumps.push_str(&dump),
            Err(report) => {
                let style = shell.style(Stream::Error);
                shell.print(Stream::Error, &render::text::render_file(&report, style))?;
                exit = Exit::Findings;
            }
        }
    }
    // Puppet joins the dumps of several files without a separator, and ends the last line.
    if !dumps.is_empty() && !dumps.ends_with('\n') {
        dumps.push('\n');
    }
    shell.print(Stream::Output, &dumps)?;
    problems.iter().for_each(|problem| shell.problem(problem));
    Ok(if problems.is_empty() { exit } else { Exit::Failure })
}

fn sources(args: &Args) -> anyhow::Result<(Vec<DumpedSource>, Vec<String>)> {
    if let Some(code) = &args.code {
        let location = Location::StandardInput;
        let input = Input { name: CODE_NAME.to_owned(), kind: args.kind(Kind::Manifest), location };
        return Ok((vec![DumpedSource { input, bytes: code.clone().into_bytes() }], Vec::new()));
    }
    if args.paths.is_empty() && io::stdin().is_terminal() {
        bail!("nothing to dump: name files, give code with `-e`, or pipe it in");
    }
    let standard_input = [PathBuf::from(STANDARD_INPUT)];
    let paths = if args.paths.is_empty() { &standard_input } else { args.paths.as_slice() };
    let anchor = current()?;
    let (mut sources, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        let input = args.input(path, &anchor);
        match read(&input.location) {
            Ok(bytes) => sources.push(DumpedSource { input, bytes }),
            Err(error) => problems.push(problem(&input.name, &error)),
        }
    }
    Ok((sources, problems))
}

impl Args {
    fn input(&self, path: &Path, anchor: &Anchor) -> Input {
        if path.as_os_str() == STANDARD_INPUT {
            return Input::standard_input(self.kind(Kind::Manifest));
        }
        let location = Location::File { path: path.to_owned(), absolute: anchor.absolute(path) };
        let name = path.to_string_lossy().into_owned();
        Input { name, kind: self.kind(kind(path)), location }
    }

    fn kind(&self, by_name: Kind) -> Kind {
        match by_name {
            _ if self.epp => Kind::Template,
            // Puppet's notation does not cover PDL.
            Kind::Data => Kind::Manifest,
            by_name => by_name,
        }
    }
}

impl DumpedSource {
    fn is_file(&self) -> bool {
        matches!(self.input.location, Location::File { .. })
    }
}

/// Returns the tree, or the errors if there is none.
fn dump(dumped: &DumpedSource, args: &Args, n_files: usize) -> Result<String, Box<FileReport>> {
    let input = &dumped.input;
    let file = puppet_file(input).unwrap_or_default();
    let options =
        Options { language: language(input.kind), tasks: args.tasks, file, ..Options::default() };
    let faulty = |diagnostics| {
        let source = Source::new(input.name.as_str(), lossy(dumped.bytes.clone()));
        let puppet_file = puppet_file(input);
        Box::new(FileReport { source, kind: input.kind, puppet_file, diagnostics })
    };
    let Ok(text) = std::str::from_utf8(&dumped.bytes) else {
        let refused = check_bytes(&dumped.bytes, &options);
        return Err(faulty(
            refused.map_or_else(|error| vec![*error], |checked| checked.diagnostics),
        ));
    };
    let parsed = parse(text, &options);
    if parsed.diagnostics.iter().any(kukla_base::Diagnostic::is_error) {
        return Err(faulty(parsed.diagnostics));
    }
    let header = header(dumped, args.format, n_files);
    Ok(header + &printed(&parsed.ast, text, input, args))
}

/// Returns Puppet's header of a dump: JSON has none, manifests have one without a line break, templates have one if
/// there are several.
fn header(dumped: &DumpedSource, format: Format, n_files: usize) -> String {
    let Input { name, kind, .. } = &dumped.input;
    let line_break = match (format, kind) {
        _ if !dumped.is_file() => return String::new(),
        (Format::Json, _) => return String::new(),
        (Format::Pn, Kind::Manifest) => "",
        (Format::Pn | Format::Tree, _) if n_files > 1 => "\n",
        (Format::Pn | Format::Tree, _) => return String::new(),
    };
    format!("--- {name}{line_break}")
}

fn printed(ast: &Ast, text: &str, input: &Input, args: &Args) -> String {
    match (args.format, args.pretty) {
        (Format::Pn, false) => pn::pn(ast),
        (Format::Pn, true) => pn::pn_pretty(ast),
        (Format::Json, false) => pn::json(ast),
        (Format::Json, true) => pn::json_pretty(ast),
        (Format::Tree, _) => {
            let tree = tree::tree(ast, &Source::new(input.name.as_str(), text));
            format!("{}\n", tree.trim_end_matches('\n'))
        }
    }
}
