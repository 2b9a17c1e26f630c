//! Catalogs and logs on the terminal.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use kukla_catalog::cycles::{self, Cycle};
use kukla_catalog::{Catalog, dot, json, origins, svg, tree};
use kukla_compiler::compile::Compiled;
use kukla_compiler::log::{Entry, Level};
use kukla_compiler::{Failure, Part, answer};
use kukla_site::uuid;
use serde_json::Value as Json;

use super::{Format, LogFormat};
use crate::eval::print_log;
use crate::shell::{Errors, Shell, Stream};
use crate::words::count;

/// What became of a node, ready to be printed.
#[derive(Debug)]
pub(super) struct Page {
    log: Vec<Entry>,
    cycles: Vec<Circle>,
    /// What is wrong, if there is no catalog.
    failure: Option<Failure>,
    output: String,
    /// Where the time went.
    pub(super) profile: Vec<Part>,
}

/// A dependency cycle, in words.
#[derive(Debug)]
struct Circle {
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
                let cycles = cycles.iter().map(|cycle| Circle::new(cycle, &catalog)).collect();
                Self { log, cycles, failure: None, output, profile }
            }
            Err(failure) => {
                let is_told = format == Format::Summary;
                let output = if is_told { format!("{node}: failed\n") } else { String::new() };
                Self { log, cycles: Vec::new(), failure: Some(failure), output, profile }
            }
        }
    }

    /// Prints it; whether there is a catalog.
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
        shell.print(Stream::Output, &self.output)?;
        Ok(self.failure.is_none())
    }
}

/// Prints what Kukla itself has to say.
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

/// Prints a log, without the error that ends it: that is printed whole.
fn log(entries: &[Entry], format: LogFormat, shell: &Shell) -> anyhow::Result<()> {
    let entries = match entries.split_last() {
        Some((last, rest)) if last.level == Level::Err => rest,
        _ => entries,
    };
    match format {
        LogFormat::Text => print_log(entries, shell)?,
        LogFormat::Json => {
            let shown = entries.iter().filter(|entry| entry.level != Level::Debug);
            let lines: String = shown.map(|entry| format!("{}\n", answer::log(entry))).collect();
            shell.print(Stream::Error, &lines)?;
        }
    }
    Ok(())
}

/// Prints why nothing was compiled at all.
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

impl Circle {
    fn new(cycle: &Cycle, catalog: &Catalog) -> Self {
        let first = cycle.resources.first().map(|&n| &catalog.resources[n as usize]);
        Self {
            path: cycle.path(catalog),
            places: cycle.places(catalog),
            file: first.and_then(|first| first.file.clone()),
            line: first.and_then(|first| first.line),
        }
    }

    /// Agents refuse catalogs with cycles; compilers don't look for them.
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

fn text(catalog: &Catalog, cycles: &[Cycle], format: Format) -> String {
    match format {
        Format::Json => json::write(catalog, &uuid::random()) + "\n",
        Format::Summary => summary(catalog, cycles),
        Format::Tree => tree::write(catalog),
        Format::Dot => dot::write(catalog),
        Format::Svg => svg::write(catalog),
        Format::Origins => origins::write(catalog),
    }
}

/// How many resources of which types there are, and which can't be applied.
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
    let mut out = format!("{}: {}, {classes}\n", catalog.name, count(n, "resource"));
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
