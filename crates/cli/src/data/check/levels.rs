//! Files that hierarchies reach, and files that no hierarchy reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use kukla_base::Diagnostic;
use kukla_lookup::{ANYTHING, DataLevel, Survey, fits};
use kukla_pcore::Value;
use kukla_syntax::data::check_access;
use kukla_world::{Disk, MAX_FILE, World};

use super::Check;

/// Extensions of file names that look like data.
const ENDINGS: &[&str] = &["yaml", "yml", "json", "eyaml", "conf", "hocon"];

/// Maximum depth of searched data directories.
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
    /// Reports configurations that can't be used.
    pub(super) fn configurations(&mut self, survey: &Survey) {
        for level in &survey.levels {
            if let Some(config) = &level.config {
                self.findings.add_file(config);
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

    /// Reports rules of `data_access` that can't be used: while there is one, no node gets any data.
    pub(super) fn access(&mut self, survey: &Survey) {
        for fault in &survey.access_faults {
            let file = fault.file.as_deref().unwrap_or("data_access");
            let diagnostics = syntax_of_rules(file);
            if !diagnostics.is_empty() {
                return self.findings.diagnostics(file, diagnostics);
            }
            let line = fault.line.unwrap_or(1);
            self.findings.error("data-access", file, line, fault.message.clone());
        }
    }

    /// Returns all files that levels reach; reports files next to them that are never read.
    pub(super) fn files(&mut self, survey: &Survey) -> Vec<Reached> {
        let mut reached: BTreeMap<String, Reached> = BTreeMap::new();
        let mut present: BTreeSet<String> = BTreeSet::new();
        let mut walked: BTreeMap<String, Tree> = BTreeMap::new();
        for level in &survey.levels {
            let directory = level.root();
            let tree = walked.entry(directory.to_owned()).or_insert_with(|| {
                let mut tree = Tree::default();
                tree.walk(Path::new(directory), 0);
                self.unreadable(&tree);
                tree
            });
            present.extend(tree.files.iter().filter(|file| is_data(file)).cloned());
            for ((_, path), pattern) in level.patterns.iter().zip(level.file_patterns()) {
                if !path.contains(ANYTHING) && Path::new(path.as_str()).is_file() {
                    add(&mut reached, level, path);
                    continue;
                }
                for file in tree.files.iter().filter(|file| fits(&pattern, file)) {
                    add(&mut reached, level, file);
                }
            }
            self.directories(level, tree);
        }
        let has_levels = !survey.levels.is_empty() && survey.faults.is_empty();
        for file in present.iter().filter(|file| has_levels && !reached.contains_key(*file)) {
            let message = "no level of any hierarchy reaches this file".to_owned();
            self.findings.warning("data-dead-file", file, 1, message);
        }
        reached.into_values().collect()
    }

    /// Reports directories that can't be read and may contain data.
    fn unreadable(&mut self, tree: &Tree) {
        for (directory, error) in &tree.unreadable {
            let message = format!("this directory of data can't be read: {error}");
            self.findings.error("data-unreadable", directory, 1, message);
        }
    }

    /// Reports directories in the place of files: a lookup that reaches one of them fails. Globs skip them.
    fn directories(&mut self, level: &DataLevel, tree: &Tree) {
        for ((original, path), pattern) in level.patterns.iter().zip(level.file_patterns()) {
            if original.starts_with('/') && original.contains(['*', '?', '[', '{']) {
                continue;
            }
            let depends_on_node = path.contains(ANYTHING);
            let is_reached = |directory: &&String| match depends_on_node {
                true => is_data(directory) && fits(&pattern, directory),
                false => *directory == path.as_str(),
            };
            for directory in tree.directories.iter().filter(is_reached) {
                let message =
                    format!("this is a directory, where the level `{}` reads a file", level.name);
                self.findings.error("data-unreadable", directory, 1, message);
            }
        }
    }
}

/// All files and directories below a directory.
#[derive(Debug, Default)]
struct Tree {
    files: Vec<String>,
    directories: Vec<String>,
    unreadable: Vec<(String, io::Error)>,
}

impl Tree {
    fn walk(&mut self, directory: &Path, depth: usize) {
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                let directory = directory.to_string_lossy().into_owned();
                return self.unreadable.push((directory, error));
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = path.to_string_lossy().into_owned();
            match path.is_dir() {
                true => {
                    self.directories.push(name);
                    if depth < MAX_DEPTH {
                        self.walk(&path, depth + 1);
                    }
                }
                false => self.files.push(name),
            }
        }
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

fn is_data(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Returns the file and line that a message names: `(path): … at line 3 column 1`.
pub(super) fn place_in(message: &str) -> Option<(&str, u32)> {
    let file = message.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let file = file.map_or("", |(file, _)| file);
    Some((file, line_in(message)?))
}

/// Returns the line that a message names.
pub(super) fn line_in(message: &str) -> Option<u32> {
    let rest = ["at line ", "in line ", "line "]
        .iter()
        .find_map(|start| message.split_once(start).map(|(_, rest)| rest))?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Returns all syntax errors in a file of rules; none if it can't be read.
fn syntax_of_rules(path: &str) -> Vec<Diagnostic> {
    let Ok(opened) = Disk.read(path, MAX_FILE) else { return Vec::new() };
    match std::str::from_utf8(&opened.bytes) {
        Ok(text) => check_access(text).diagnostics,
        Err(_) => Vec::new(),
    }
}
