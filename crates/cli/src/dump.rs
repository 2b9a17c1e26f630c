//! `kukla dump`: the tree that Puppet makes of a source.

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
  kukla dump --format json --pretty x.pp   the same tree as JSON
  kukla dump --format tree x.pp            for eyes, with positions
  kukla dump --epp < x.epp                 a template on standard input

Formats `pn` and `json` are what `puppet parser dump` and `puppet epp dump` print.
Exit status: 0, 1 when a source does not parse, 2 when a file can't be read.";

/// Show the tree that Puppet makes of a source
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, or `-` for standard input, which is the default
    #[arg(value_name = "PATH", conflicts_with = "code")]
    paths: Vec<PathBuf>,
    /// Code to dump instead of files
    #[arg(short = 'e', value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// How to print the tree
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Over many lines, indented; has no effect on `tree`
    #[arg(long)]
    pretty: bool,
    /// The sources are templates, whatever their names
    #[arg(long)]
    epp: bool,
    /// Know plans, as Puppet does when it runs tasks
    #[arg(long)]
    tasks: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Puppet's own notation.
    #[default]
    Pn,
    /// The same as JSON.
    Json,
    /// For eyes, with positions.
    Tree,
}

/// A source whose tree is wanted.
struct Wanted {
    input: Input,
    bytes: Vec<u8>,
}

/// Prints the trees of what the arguments name.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let (wanted, problems) = wanted(args)?;
    let n_files = wanted.iter().filter(|source| source.is_file()).count();
    let mut dumps = String::new();
    let mut exit = Exit::Success;
    for source in wanted {
        match dump(&source, args, n_files) {
            Ok(dump) => dumps.push_str(&dump),
            Err(report) => {
                let style = shell.style(Stream::Error);
                shell.print(Stream::Error, &render::text::render_file(&report, style))?;
                exit = Exit::Findings;
            }
        }
    }
    // Puppet joins the dumps of several files as they are, and ends the last line.
    if !dumps.is_empty() && !dumps.ends_with('\n') {
        dumps.push('\n');
    }
    shell.print(Stream::Output, &dumps)?;
    problems.iter().for_each(|problem| shell.problem(problem));
    Ok(if problems.is_empty() { exit } else { Exit::Failure })
}

fn wanted(args: &Args) -> anyhow::Result<(Vec<Wanted>, Vec<String>)> {
    if let Some(code) = &args.code {
        let location = Location::StandardInput;
        let input = Input { name: CODE_NAME.to_owned(), kind: args.kind(Kind::Manifest), location };
        return Ok((vec![Wanted { input, bytes: code.clone().into_bytes() }], Vec::new()));
    }
    if args.paths.is_empty() && io::stdin().is_terminal() {
        bail!("nothing to dump: name files, give code with `-e`, or pipe it in");
    }
    let standard_input = [PathBuf::from(STANDARD_INPUT)];
    let paths = if args.paths.is_empty() { &standard_input } else { args.paths.as_slice() };
    let anchor = current()?;
    let (mut wanted, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        let input = args.input(path, &anchor);
        match read(&input.location) {
            Ok(bytes) => wanted.push(Wanted { input, bytes }),
            Err(error) => problems.push(problem(&input.name, &error)),
        }
    }
    Ok((wanted, problems))
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
            // Puppet's notation has nothing for PDL.
            Kind::Data => Kind::Manifest,
            by_name => by_name,
        }
    }
}

impl Wanted {
    fn is_file(&self) -> bool {
        matches!(self.input.location, Location::File { .. })
    }
}

/// The tree, or the errors when there is none.
fn dump(wanted: &Wanted, args: &Args, n_files: usize) -> Result<String, Box<FileReport>> {
    let input = &wanted.input;
    let file = puppet_file(input).unwrap_or_default();
    let options =
        Options { language: language(input.kind), tasks: args.tasks, file, ..Options::default() };
    let faulty = |diagnostics| {
        let source = Source::new(input.name.as_str(), lossy(wanted.bytes.clone()));
        let puppet_file = puppet_file(input);
        Box::new(FileReport { source, kind: input.kind, puppet_file, diagnostics })
    };
    let Ok(text) = std::str::from_utf8(&wanted.bytes) else {
        let refused = check_bytes(&wanted.bytes, &options);
        return Err(faulty(
            refused.map_or_else(|error| vec![*error], |checked| checked.diagnostics),
        ));
    };
    let parsed = parse(text, &options);
    if parsed.diagnostics.iter().any(kukla_base::Diagnostic::is_error) {
        return Err(faulty(parsed.diagnostics));
    }
    let header = header(wanted, args.format, n_files);
    Ok(header + &printed(&parsed.ast, text, input, args))
}

/// What Puppet prints before a dump: JSON has no header, manifests have one without a line break,
/// templates have one when there are several.
fn header(wanted: &Wanted, format: Format, n_files: usize) -> String {
    let Input { name, kind, .. } = &wanted.input;
    let line_break = match (format, kind) {
        _ if !wanted.is_file() => return String::new(),
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
