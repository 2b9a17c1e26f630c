//! `kukla data uses`: which nodes read a file or a line of it.

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
  kukla data uses data/common.yaml --facts facts/         which of these nodes read the file, and what of it
  kukla data uses data/common.yaml:12 --facts facts/      which read the key in line 12

Exit status: 0; 1 when a catalog can't be compiled; 2 when the command line is wrong.";

/// Tell which nodes read a file of data, or a line of it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The file, and a line of it
    #[arg(value_name = "FILE[:LINE]")]
    place: String,
    #[command(flatten)]
    nodes: NodeArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[command(flatten)]
    settings: SettingArgs,
}

/// What is asked for: a file, and the line of a key in it.
struct Wanted {
    file: String,
    line: Option<u32>,
}

/// Compiles the catalogs of all nodes and tells which read the place.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let members = members(&args.settings, &args.nodes, shell)?;
    let wanted = wanted(&args.place)?;
    let progress = shell.progress(members.len());
    let used: Vec<(&Node, Vec<String>, Option<String>)> = members
        .par_iter()
        .map(|member| {
            let (keys, problem) = keys(member, &wanted);
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
            let place = json!({ "file": wanted.file, "line": wanted.line });
            format!("{}\n", json!({ "version": 1, "place": place, "nodes": nodes }))
        }
    };
    shell.print(Stream::Output, &text)?;
    if args.format == TextOrJson::Text {
        shell.say(&format!("read by {} of {} nodes", readers.len(), members.len()));
    }
    Ok(exit)
}

/// The file and the line of the key that a line belongs to.
fn wanted(place: &str) -> anyhow::Result<Wanted> {
    let split = place.rsplit_once(':');
    let (file, line) = match split.and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => (file, Some(line)),
        None => (place, None),
    };
    let path = current()?.absolute(Path::new(file));
    let bytes = std::fs::read(&path)
        .map_err(|error| SiteError::Unreadable { path: PathBuf::from(file), error })?;
    let n_lines = String::from_utf8_lossy(&bytes).lines().count();
    if let Some(line) = line.filter(|&line: &u32| line == 0 || line as usize > n_lines) {
        bail!("`{file}` has {}: there is no line {line}", count(n_lines, "line"));
    }
    let file = path.to_string_lossy().into_owned();
    Ok(Wanted { line: line.map(|line| key_line(&file, line)), file })
}

/// The line of the key whose value goes over a line.
fn key_line(file: &str, line: u32) -> u32 {
    if file.ends_with(".pdl") {
        return line;
    }
    let function = if file.ends_with(".json") { "json_data" } else { "yaml_data" };
    let data = DataFile::read(&Disk, file, function).unwrap_or_default();
    let lines = data.entries.iter().map(|entry| entry.line).filter(|&of| of <= line);
    lines.max().unwrap_or(line)
}

/// The keys that a node reads there, and what went wrong.
fn keys(member: &Member, wanted: &Wanted) -> (Vec<String>, Option<String>) {
    let (lookups, compiled) = member.compiled_lookups();
    let reads = lookups.map(|mut lookups| lookups.reads()).unwrap_or_default();
    let is_it = |read: &&DataRead| {
        read.origins.iter().any(|at| {
            at.file == wanted.file.as_str() && wanted.line.is_none_or(|line| at.line == line)
        })
    };
    let mut keys: Vec<String> =
        reads.iter().filter(is_it).map(|read| read.key.to_string()).collect();
    keys.sort();
    keys.dedup();
    (keys, compiled.catalog.err().map(|failure| failure.to_string()))
}
