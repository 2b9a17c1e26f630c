//! Output of catalogs and logs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::sync::Arc;

use kukla_base::render::printable;
use kukla_catalog::cycles::{self, Cycle};
use kukla_catalog::{Catalog, dot, json, origins, svg, tree};
use kukla_compiler::compile::Compiled;
use kukla_compiler::log::{Entry, Level};
use kukla_compiler::{Failure, Part, answer};
use kukla_site::uuid;
use kukla_world::Disk;
use serde_json::Value as Json;

use super::{Format, LogFormat};
use crate::eval::print_log;
use crate::shell::{Errors, Shell, Stream};
use crate::words::count;

/// Result for a node, ready to be printed.
#[derive(Debug)]
pub(super) struct Page {
    log: Vec<Entry>,
    cycles: Vec<CycleText>,
    /// The error, if there is no catalog.
    failure: Option<Failure>,
    /// An error if the system has no random numbers for the catalog's identifier.
    output: io::Result<String>,
    /// Time spent in each part.
    pub(super) profile: Vec<Part>,
}

/// Description of a dependency cycle.
#[derive(Debug)]
struct CycleText {
    path: String,
    places: Vec<String>,
    file: Option<Arc<str>>,
    line: Option<u32>,
}

impl Page {
    pub(super) fn new(node: &str, compiled: Compiled, format: Format) -> Self {
        let Compiled { catalog, log, profile, .. } = compiled;
        match catalog {
            Ok(catalog) => {
                let cycles = cycles::find(&catalog);
                let output = text(&catalog, &cycles, format);
                let cycles = cycles.iter().map(|cycle| CycleText::new(cycle, &catalog)).collect();
                Self { log, cycles, failure: None, output, profile }
            }
            Err(failure) => {
                let has_output = format == Format::Summary;
                let output = if has_output {
                    format!("{}: failed\n", printable(node))
                } else {
                    String::new()
                };
                Self {
                    log,
                    cycles: Vec::new(),
                    failure: Some(failure),
                    output: Ok(output),
                    profile,
                }
            }
        }
    }

    /// Prints the result; returns whether there is a catalog.
    pub(super) fn print(
        &self,
        format: LogFormat,
        errors: Errors,
        shell: &Shell,
    ) -> anyhow::Result<bool> {
        log(&self.log, format, shell)?;
        for cycle in &self.cycles {
            cycle.warn(format, shell)?;
        }
        match (&self.failure, format) {
            (None, _) => (),
            (Some(reason), LogFormat::Text) => shell.failure(reason, errors),
            (Some(reason), LogFormat::Json) => {
                let place = self.log.last().filter(|last| last.level == Level::Err);
                let mut line = failure_line(&reason.to_string(), place);
                line["code"] = reason.fault.code().as_str().into();
                shell.print(Stream::Error, &format!("{line}\n"))?;
            }
        }
        match &self.output {
            Ok(output) => shell.print(Stream::Output, output)?,
            Err(error) => anyhow::bail!("cannot make an identifier for the catalog: {error}"),
        }
        Ok(self.failure.is_none())
    }
}

/// Prints warnings of Kukla itself.
pub(super) fn warnings(
    messages: &[String],
    format: LogFormat,
    shell: &Shell,
) -> anyhow::Result<()> {
    for message in messages {
        match format {
            LogFormat::Text => shell.warning(message),
            LogFormat::Json => {
                let line: Json = serde_json::json!({ "level": "warning", "message": message });
                shell.print(Stream::Error, &format!("{line}\n"))?;
            }
        }
    }
    Ok(())
}

/// Prints a log without its final error, which is printed in full.
fn log(entries: &[Entry], format: LogFormat, shell: &Shell) -> anyhow::Result<()> {
    let entries = match entries.split_last() {
        Some((last, rest)) if last.level == Level::Err => rest,
        _ => entries,
    };
    match format {
        LogFormat::Text => print_log(entries, shell)?,
        LogFormat::Json => {
            let visible = entries.iter().filter(|entry| entry.level != Level::Debug);
            let lines: String = visible.map(|entry| format!("{}\n", answer::log(entry))).collect();
            shell.print(Stream::Error, &lines)?;
        }
    }
    Ok(())
}

/// Prints an error that prevents all compilations.
pub(super) fn problem(message: &str, format: LogFormat, shell: &Shell) -> anyhow::Result<()> {
    match format {
        LogFormat::Text => shell.problem(message),
        LogFormat::Json => {
            shell.print(Stream::Error, &format!("{}\n", failure_line(message, None)))?;
        }
    }
    Ok(())
}

fn failure_line(message: &str, place: Option<&Entry>) -> Json {
    let mut line = place.map_or_else(|| serde_json::json!({ "level": "err" }), answer::log);
    line["message"] = message.into();
    line
}

impl CycleText {
    fn new(cycle: &Cycle, catalog: &Catalog) -> Self {
        let first = cycle.resources.first().map(|&n| &catalog.resources[n as usize]);
        Self {
            path: cycle.path(catalog),
            places: cycle.places(catalog),
            file: first.and_then(|first| first.file.clone()),
            line: first.and_then(|first| first.line),
        }
    }

    /// Warns of dependency cycles: agents refuse such catalogs, but Puppet's compiler does not look for them.
    fn warn(&self, format: LogFormat, shell: &Shell) -> anyhow::Result<()> {
        let message = format!("dependency cycle: {}", self.path);
        match format {
            LogFormat::Text => {
                let lines = self.places.iter().map(|place| format!("\n  {place}"));
                shell.warning(&lines.fold(message, |all, line| all + &line));
            }
            LogFormat::Json => {
                let file = self.file.as_deref().filter(|file| !file.is_empty());
                let line: Json = serde_json::json!({
                    "level": "warning", "message": message, "file": file, "line": self.line,
                    "places": self.places,
                });
                shell.print(Stream::Error, &format!("{line}\n"))?;
            }
        }
        Ok(())
    }
}

fn text(catalog: &Catalog, cycles: &[Cycle], format: Format) -> io::Result<String> {
    Ok(match format {
        Format::Json => json::write(catalog, &uuid::random(&Disk)?) + "\n",
        Format::Summary => summary(catalog, cycles),
        Format::Tree => tree::write(catalog),
        Format::Dot => dot::write(catalog),
        Format::Svg => svg::write(catalog),
        Format::Origins => origins::write(catalog),
    })
}

/// Counts resources by type, and those that can't be applied.
fn summary(catalog: &Catalog, cycles: &[Cycle]) -> String {
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for resource in &catalog.resources {
        if !matches!(resource.type_.as_str(), "Class" | "Stage" | "Node") {
            *types.entry(resource.type_.as_str()).or_default() += 1;
        }
    }
    let n: usize = types.values().sum();
    let n_classes = catalog.classes.len();
    let classes = format!("{n_classes} class{}", if n_classes == 1 { "" } else { "es" });
    let mut out = format!("{}: {}, {classes}\n", printable(&catalog.name), count(n, "resource"));
    let mut types: Vec<(&str, usize)> = types.into_iter().collect();
    types.sort_by_key(|&(name, n)| (std::cmp::Reverse(n), name));
    for (name, n) in types {
        let _ = writeln!(out, "  {n:5} {name}");
    }
    for cycle in cycles {
        let _ = writeln!(out, "  cycle {}", cycle.path(catalog));
    }
    out
}
