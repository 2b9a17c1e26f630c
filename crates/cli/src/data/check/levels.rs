//! The files that hierarchies reach, and those that none does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use kukla_lookup::{ANYTHING, DataLevel, Survey, fits};
use kukla_pcore::Value;

use super::Check;

/// Names of files that look like data end so.
const ENDINGS: &[&str] = &["yaml", "yml", "json", "eyaml", "conf", "hocon"];

/// How deep directories of data are looked through.
const MAX_DEPTH: usize = 32;

/// A file that a level reaches.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) path: String,
    pub(super) function: String,
    pub(super) module: Option<String>,
    pub(super) options: Value,
}

impl Check<'_> {
    /// Configurations that can't be used.
    pub(super) fn configurations(&mut self, survey: &Survey) {
        for level in &survey.levels {
            if let Some(config) = &level.config {
                self.findings.saw(config);
            }
        }
        for fault in &survey.faults {
            let line = fault.line.unwrap_or(1);
            match &fault.file {
                Some(file) => {
                    self.findings.error("data-configuration", file, line, fault.message.clone());
                }
                None => {
                    let (file, line) = place_in(&fault.message).unwrap_or_default();
                    let file = if file.is_empty() { "hiera.yaml" } else { file };
                    self.findings.error("data-configuration", file, line, fault.message.clone());
                }
            }
        }
    }

    /// Reports rules of `data_access` that can't be used: as long as there is one, no node gets any data.
    pub(super) fn access(&mut self, survey: &Survey) {
        for fault in &survey.access_faults {
            let file = fault.file.as_deref().unwrap_or("data_access");
            let line = fault.line.unwrap_or(1);
            self.findings.error("data-access", file, line, fault.message.clone());
        }
    }

    /// All files that levels reach; those that lie beside them and are never read are told.
    pub(super) fn files(&mut self, survey: &Survey) -> Vec<Reached> {
        let mut reached: BTreeMap<String, Reached> = BTreeMap::new();
        let mut present: BTreeSet<String> = BTreeSet::new();
        let mut walked: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for level in &survey.levels {
            let directory = fixed(&level.directory);
            let files = walked.entry(directory.to_owned()).or_insert_with(|| {
                let mut files = Vec::new();
                walk(Path::new(directory), 0, &mut files);
                files
            });
            present.extend(files.iter().filter(|file| is_data(file)).cloned());
            for (_, pattern) in &level.patterns {
                if !pattern.contains(ANYTHING) && Path::new(pattern.as_str()).is_file() {
                    add(&mut reached, level, pattern);
                    continue;
                }
                let pattern = simple(pattern);
                for file in files.iter().filter(|file| fits(&pattern, file)) {
                    add(&mut reached, level, file);
                }
            }
        }
        let has_levels = !survey.levels.is_empty() && survey.faults.is_empty();
        for file in present.iter().filter(|file| has_levels && !reached.contains_key(*file)) {
            let message = "no level of any hierarchy reaches this file".to_owned();
            self.findings.warning("data-dead-file", file, 1, message);
        }
        reached.into_values().collect()
    }
}

fn add(reached: &mut BTreeMap<String, Reached>, level: &DataLevel, path: &str) {
    reached.entry(path.to_owned()).or_insert_with(|| Reached {
        path: path.to_owned(),
        function: level.function.to_string(),
        module: level.module.as_ref().map(ToString::to_string),
        options: level.options.clone(),
    });
}

/// The directory above everything that depends on the node.
fn fixed(directory: &str) -> &str {
    match directory.split_once(ANYTHING) {
        Some((start, _)) => start.rsplit_once('/').map_or("/", |(parent, _)| parent),
        None => directory,
    }
}

fn is_data(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

fn walk(directory: &Path, depth: usize, files: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        match path.is_dir() {
            true if depth < MAX_DEPTH => walk(&path, depth + 1, files),
            true => (),
            false => files.push(path.to_string_lossy().into_owned()),
        }
    }
}

/// A pattern with stars only: what else globs have is taken for anything.
fn simple(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '?' => out.push('*'),
            '[' | '{' => {
                let end = if c == '[' { ']' } else { '}' };
                for skipped in rest.by_ref() {
                    if skipped == end {
                        break;
                    }
                }
                out.push('*');
            }
            c => out.push(c),
        }
    }
    out.replace("**/", "*")
}

/// The file and line that a message names: `(path): … at line 3 column 1`.
pub(super) fn place_in(message: &str) -> Option<(&str, u32)> {
    let file = message.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let file = file.map_or("", |(file, _)| file);
    Some((file, line_in(message)?))
}

/// The line that a message names.
pub(super) fn line_in(message: &str) -> Option<u32> {
    let rest = ["at line ", "in line ", "line "]
        .iter()
        .find_map(|start| message.split_once(start).map(|(_, rest)| rest))?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
