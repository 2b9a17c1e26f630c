//! `kukla data uses`: shows which nodes read a file or a line of it.

use kukla_world::files;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use kukla_lookup::{DataFile, DataRead};
use kukla_site::{Member, Node, SiteError};
use kukla_world::Disk;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::json;

use crate::Exit;
use crate::paths::current;
use crate::settings::SettingArgs;
use crate::shell::{Shell, Stream, TextOrJson};
use crate::site::{NodeArgs, members};
use crate::words::count;

const EXAMPLES: &str = "\
Examples:
  kukla data uses data/common.yaml --facts facts/         the nodes that read the file, with the keys
  kukla data uses data/common.yaml:12 --facts facts/      the nodes that read the key in line 12

Exit status: 0; 1 when a catalog can't be compiled; 2 when the command line is wrong.";

/// Show which nodes read a data file, or a line of it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// FILE or FILE:LINE
    #[arg(value_name = "FILE[:LINE]")]
    place: String,
    #[command(flatten)]
    nodes: NodeArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[command(flatten)]
    settings: SettingArgs,
}

/// A file, and the line of a key in it.
struct DataPlace {
    file: String,
    line: Option<u32>,
}

/// Compiles the catalogs of all nodes and prints which of them read the place.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let members = members(&args.settings, &args.nodes, shell)?;
    let place = parse_place(&args.place)?;
    let progress = shell.progress(members.len());
    let used: Vec<(&Node, Vec<String>, Option<String>)> = members
        .par_iter()
        .map(|member| {
            let (keys, problem) = keys(member, &place);
            progress.step();
            (&member.node, keys, problem)
        })
        .collect();
    progress.finish();
    let mut exit = Exit::Success;
    for problem in used.iter().filter_map(|(_, _, problem)| problem.as_ref()) {
        shell.problem(problem);
        exit = Exit::Findings;
    }
    let readers: Vec<(&str, &[String])> = used
        .iter()
        .filter(|(_, keys, _)| !keys.is_empty())
        .map(|(node, keys, _)| (node.name.as_str(), &keys[..]))
        .collect();
    let text = match args.format {
        TextOrJson::Text => {
            let mut out = String::new();
            for (node, keys) in &readers {
                let _ = writeln!(out, "{node}: {}", keys.join(", "));
            }
            out
        }
        TextOrJson::Json => {
            let entry = |(node, keys): &(&str, &[String])| json!({ "node": node, "keys": keys });
            let nodes: Vec<_> = readers.iter().map(entry).collect();
            let place = json!({ "file": place.file, "line": place.line });
            format!("{}\n", json!({ "version": 1, "place": place, "nodes": nodes }))
        }
    };
    shell.print(Stream::Output, &text)?;
    if args.format == TextOrJson::Text {
        shell.say(&format!("read by {} of {} nodes", readers.len(), members.len()));
    }
    Ok(exit)
}

/// Parses a place into a file and the line of the key that a line belongs to.
fn parse_place(place: &str) -> anyhow::Result<DataPlace> {
    let split = place.rsplit_once(':');
    let (file, line) = match split.and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => (file, Some(line)),
        None => (place, None),
    };
    let path = current()?.absolute(Path::new(file));
    let bytes = files::read_regular(&path)
        .map_err(|error| SiteError::Unreadable { path: PathBuf::from(file), error })?;
    let n_lines = String::from_utf8_lossy(&bytes).lines().count();
    if let Some(line) = line.filter(|&line: &u32| line == 0 || line as usize > n_lines) {
        bail!("`{file}` has {}: there is no line {line}", count(n_lines, "line"));
    }
    let file = path.to_string_lossy().into_owned();
    Ok(DataPlace { line: line.map(|line| key_line(&file, line)), file })
}

/// Returns the line of the key whose value includes a line.
fn key_line(file: &str, line: u32) -> u32 {
    if file.ends_with(".pdl") {
        return line;
    }
    let function = if file.ends_with(".json") { "json_data" } else { "yaml_data" };
    let data = DataFile::read(&Disk, file, function).unwrap_or_default();
    let lines = data.entries.iter().map(|entry| entry.line).filter(|&of| of <= line);
    lines.max().unwrap_or(line)
}

/// Returns the keys that a node reads there, and an error.
fn keys(member: &Member, place: &DataPlace) -> (Vec<String>, Option<String>) {
    let (lookups, compiled) = member.compiled_lookups();
    let reads = lookups.map(|mut lookups| lookups.reads()).unwrap_or_default();
    let is_at_place = |read: &&DataRead| {
        read.origins.iter().any(|at| {
            at.file == place.file.as_str() && place.line.is_none_or(|line| at.line == line)
        })
    };
    let mut keys: Vec<String> =
        reads.iter().filter(is_at_place).map(|read| read.key.to_string()).collect();
    keys.sort();
    keys.dedup();
    (keys, compiled.catalog.err().map(|failure| failure.to_string()))
}
