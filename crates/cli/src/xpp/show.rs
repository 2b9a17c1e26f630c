//! `kukla xpp show`: shows the content of a serialized manifest.

use kukla_world::files;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use kukla_base::Source;
use kukla_base::render::{FileReport, Kind, text};
use kukla_site::{Environment, basemodulepath};
use kukla_syntax::{Ast, pn, tree};
use kukla_world::{Disk, Pool};
use kukla_xpp::source_check;
use kukla_xpp::tree::Manifest;
use kukla_xpp::tree::Store;
use kukla_xpp::{Decoded, Envelope, SourceCheck, XppError, decode, decode_with_source};

use crate::Exit;
use crate::inputs::problem;
use crate::paths::current;
use crate::shell::{Shell, Stream};
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kukla xpp show .xpp/modules/apache/manifests/init.xpp
  kukla xpp show --format pn --source init.pp init.xpp

The `flat` encoding needs the source to show the tree. The source is found by the path of the file, or \
given with `--source`.
Exit status: 0, 1 when the file is damaged or its source has changed since, 2 when it can't be read.";

/// Show the content of a serialized manifest
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Serialized manifest
    file: PathBuf,
    /// Output format of the tree
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Manifest from which the file was made
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people, with positions.
    #[default]
    Tree,
    /// Puppet's own notation.
    Pn,
    /// Puppet's notation as JSON.
    Json,
}

/// Prints the content of the file.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let unreadable = |path: &Path, error| anyhow!(problem(&path.to_string_lossy(), &error));
    let bytes = files::read_bytes(&args.file).map_err(|error| unreadable(&args.file, error))?;
    let source = match &args.source {
        Some(path) => Some(path.clone()),
        None => manifest_of(&args.file)?.map(|manifest| manifest.path),
    };
    let source = match source {
        Some(path) => Some(read(&path).map_err(|error| unreadable(&path, error))?),
        None => None,
    };
    let out = show(args, &bytes, source.as_ref(), shell);
    let (out, exit) = match out {
        Ok(out) => out,
        Err(error) => {
            shell.problem(&format!("cannot use `{}`: {error}", args.file.display()));
            return Ok(Exit::Findings);
        }
    };
    shell.print(Stream::Output, &out)?;
    Ok(exit)
}

fn read(path: &Path) -> std::io::Result<Source> {
    let text = crate::check::lossy(files::read_bytes(path)?);
    Ok(Source::new(path.to_string_lossy(), text))
}

/// Returns the manifest of a serialized file, by its path in the tree.
fn manifest_of(file: &Path) -> anyhow::Result<Option<Manifest>> {
    let anchor = current()?;
    let file = anchor.absolute(file);
    let Some((environment, target)) = Store::locate(&file) else { return Ok(None) };
    let environment = Environment::open(&environment, &basemodulepath(), &Disk)?;
    let manifests = environment.manifests(&anchor, &Pool::new(Some(1)));
    Ok(manifests.list.into_iter().find(|manifest| manifest.target() == target))
}

fn show(
    args: &Args,
    bytes: &[u8],
    source: Option<&Source>,
    shell: &Shell,
) -> Result<(String, Exit), XppError> {
    let (envelope, payload) = Envelope::split(bytes)?;
    let check = source_check(bytes)?;
    let state = state(check, source);
    let mut out = head(&args.file, &envelope, bytes.len(), payload.len());
    out += &source_lines(check, source, state);
    let decoded = match (source, state) {
        (Some(source), State::Current) => decode(bytes, source.text()),
        _ => decode_with_source(bytes),
    };
    match decoded {
        Ok(decoded) => out += &content(args, &decoded, source, shell),
        Err(XppError::NoSource | XppError::Stale) => {
            out.push_str("tree          can't be shown without the source\n");
        }
        Err(error) => return Err(error),
    }
    let exit = if state == State::Changed { Exit::Findings } else { Exit::Success };
    Ok((out, exit))
}

/// Relation of a file to its source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Current,
    Changed,
    Unknown,
}

fn state(check: SourceCheck, source: Option<&Source>) -> State {
    match source {
        Some(source) if SourceCheck::of(source.text()) == check => State::Current,
        Some(_) => State::Changed,
        None => State::Unknown,
    }
}

fn head(file: &Path, envelope: &Envelope, n_bytes: usize, n_payload: usize) -> String {
    let mut parameters =
        format!("document-type={}; version={}", Envelope::DOCUMENT_TYPE, Envelope::VERSION);
    if let Some(crc32) = envelope.crc32 {
        let _ = write!(parameters, "; crc32={crc32:08x}");
    }
    for (name, value) in &envelope.parameters {
        parameters.extend(["; ", name, "=", value]);
    }
    let (file, media_type) = (file.display(), envelope.media_type());
    let (bytes, payload) = (count(n_bytes, "byte"), count(n_payload, "byte"));
    format!(
        "file          {file}\nenvelope      {media_type}; {parameters}\n\
         size          {bytes}, {payload} of payload\n"
    )
}

fn source_lines(check: SourceCheck, source: Option<&Source>, state: State) -> String {
    let SourceCheck { size, crc32 } = check;
    let name = source.map_or("not found", Source::name);
    let state = match state {
        State::Current => "the file is current",
        State::Changed => "the source has changed since",
        State::Unknown => "whether it has changed is not known",
    };
    let size = count(size as usize, "byte");
    format!("source        {name}\nmade of       {size}, CRC-32 {crc32:08x}: {state}\n")
}

fn content(args: &Args, decoded: &Decoded, source: Option<&Source>, shell: &Shell) -> String {
    let mut out = String::new();
    if let Some(file) = &decoded.file {
        out.extend(["named         ", file, "\n"]);
    }
    let n_diagnostics = decoded.diagnostics.len();
    let _ = writeln!(out, "diagnostics   {n_diagnostics}");
    match &decoded.ast {
        Some(ast) => {
            let definitions = count(ast.definitions().len(), "definition");
            let nodes = count(ast.puppet_nodes().len(), "node");
            let _ = writeln!(out, "tree          {nodes}, {definitions}\n");
            out += &printed(ast, args.format);
        }
        None => out.push_str("tree          none\n"),
    }
    if n_diagnostics > 0 {
        out.push('\n');
        out += &diagnostics(decoded, source, shell);
    }
    out
}

fn printed(ast: &Ast, format: Format) -> String {
    let printed = match format {
        Format::Tree => tree::tree(ast, &Source::new("", ast.source())),
        Format::Pn => pn::pn(ast),
        Format::Json => pn::json(ast),
    };
    format!("{}\n", printed.trim_end_matches('\n'))
}

fn diagnostics(decoded: &Decoded, source: Option<&Source>, shell: &Shell) -> String {
    let (name, text) = source.map_or(("", ""), |source| (source.name(), source.text()));
    let report = FileReport {
        source: Source::new(name, text),
        kind: Kind::Manifest,
        puppet_file: Some(name.to_owned()),
        diagnostics: decoded.diagnostics.clone(),
    };
    text::render_file(&report, shell.style(Stream::Output))
}
