//! Index of the files that rules match, by whatever name they are reached.
//!
//! A file may have many names: symbolic links, hard links, `..` in a path, another case of letters on some file
//! systems. So matched files are identified by device and inode, and paths are compared after resolution.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::pattern::{fits, literal_directory};
use super::{Rule, Subject};
use crate::Fault;
use crate::paths::clean;
use kukla_world::{Identity, Stamp, World};

/// Maximum depth of nested directories.
const MAX_DEPTH: usize = 64;

/// Maximum number of files below the directories that patterns name.
const MAX_FILES: usize = 1_000_000;

/// The files that rules match.
#[derive(Debug, Default)]
pub(super) struct Guard {
    /// The environment's directory, as named and as resolved.
    environment: Vec<String>,
    patterns: Vec<Pattern>,
    /// For each file, the matching rules of each of its names.
    rules: FxHashMap<Identity, Vec<Vec<usize>>>,
    /// All files below the directories that patterns name.
    names: BTreeMap<String, Identity>,
}

/// The pattern of a rule.
#[derive(Debug)]
struct Pattern {
    /// The index of the rule.
    rule: usize,
    text: String,
    /// Directories, each with the pattern for names below it.
    anchored: Vec<(String, String)>,
}

impl Pattern {
    fn fits_below(&self, path: &str) -> bool {
        self.anchored.iter().any(|(directory, pattern)| {
            let rest = path.strip_prefix(directory.as_str());
            rest.is_some_and(|rest| fits(pattern, rest))
        })
    }
}

impl Guard {
    /// Finds the files that rules match; an error if not all of them can be found.
    pub(super) fn new(files: &dyn World, directory: &str, rules: &[Rule]) -> Result<Self, Fault> {
        let environment = [Some(directory.to_owned()), files.resolve(directory).ok()];
        let environment = environment.into_iter().flatten().map(slashed).collect();
        let mut guard = Self { environment, ..Self::default() };
        let mut directories = BTreeSet::new();
        for (rule, Rule { subject, pattern, .. }) in rules.iter().enumerate() {
            if *subject == Subject::File {
                let anchored = guard.anchored(files, directory, pattern);
                guard.patterns.push(Pattern { rule, text: pattern.to_string(), anchored });
                directories.insert(absolute(directory, literal_directory(pattern)));
            }
        }
        let mut walked: Option<&str> = None;
        for start in &directories {
            let is_within = |outer: &str| is_below(start, outer);
            if walked.is_some_and(is_within) {
                continue;
            }
            walked = Some(start);
            if files.stamp(start).is_some_and(|stamp| stamp.is_directory()) {
                walk(files, start, &mut Vec::new(), &mut guard.names)?;
            }
        }
        for (name, identity) in &guard.names {
            let fitting = guard.fitting(name);
            if !fitting.is_empty() {
                guard.rules.entry(*identity).or_default().push(fitting);
            }
        }
        Ok(guard)
    }

    /// Whether a rule matches an existing file.
    pub(super) fn has_file(&self, rule: usize) -> bool {
        let mut patterns = self.patterns.iter().filter(|pattern| pattern.rule == rule);
        patterns.any(|pattern| self.names.keys().any(|name| self.is_fit(pattern, name)))
    }

    /// Whether there are no files below a directory that a pattern names.
    pub(super) fn is_empty(&self, directory: &str) -> bool {
        !self.names.keys().any(|name| is_below(name, directory))
    }

    /// Returns the rules that match each name of a file that was opened by a path.
    pub(super) fn rules_of(
        &self,
        files: &dyn World,
        path: &str,
        stamp: Stamp,
    ) -> Result<Vec<Vec<usize>>, Fault> {
        let real = files.resolve(path).map_err(|error| {
            Fault::lookup(format!("cannot tell which file `{path}` leads to: {error}"))
        })?;
        if files.stamp(&real).map(|stamp| stamp.identity()) != Some(stamp.identity()) {
            let message = format!("`{path}` was replaced while it was read");
            return Err(Fault::lookup(message));
        }
        let mut rules = self.rules.get(&stamp.identity()).cloned().unwrap_or_default();
        rules.push(self.fitting(&real));
        rules.push(self.fitting(&clean(path)));
        Ok(rules)
    }

    fn fitting(&self, path: &str) -> Vec<usize> {
        let fitting = self.patterns.iter().filter(|pattern| self.is_fit(pattern, path));
        fitting.map(|pattern| pattern.rule).collect()
    }

    fn is_fit(&self, pattern: &Pattern, path: &str) -> bool {
        // Files outside of the environment are named by their whole path.
        let is_inside = || self.environment.iter().any(|own| path.starts_with(own.as_str()));
        pattern.fits_below(path)
            || (pattern.text.starts_with('*') && !is_inside() && fits(&pattern.text, path))
    }

    /// Returns the forms of a pattern: below the environment, and below its leading directory, which may be a link.
    fn anchored(&self, files: &dyn World, directory: &str, pattern: &str) -> Vec<(String, String)> {
        let literal = literal_directory(pattern);
        let own = absolute(directory, literal);
        let rest = pattern[literal.len()..].trim_start_matches('/');
        let own = [files.resolve(&own).ok(), Some(own)].into_iter().flatten().map(slashed);
        let mut forms: Vec<(String, String)> = own.map(|own| (own, rest.to_owned())).collect();
        if !pattern.starts_with('/') {
            let below = |own: &String| (own.clone(), pattern.to_owned());
            forms.extend(self.environment.iter().map(below));
        }
        forms
    }
}

fn slashed(mut directory: String) -> String {
    if !directory.ends_with('/') {
        directory.push('/');
    }
    directory
}

/// Returns the absolute path of a directory that a pattern names.
pub(super) fn absolute(environment: &str, directory: &str) -> String {
    match directory {
        "" => environment.to_owned(),
        directory if directory.starts_with('/') => directory.to_owned(),
        directory => format!("{environment}/{directory}"),
    }
}

/// Whether a path is a directory or something below it.
pub(super) fn is_below(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Collects all files below a directory, following links.
fn walk(
    files: &dyn World,
    directory: &str,
    above: &mut Vec<Identity>,
    names: &mut BTreeMap<String, Identity>,
) -> Result<(), Fault> {
    let fail = |why: &str| {
        let message = format!("cannot tell which files are below `{directory}`: {why}");
        Err(Fault::lookup(message))
    };
    let Some(own) = files.stamp(directory) else { return Ok(()) };
    // A link that forms a cycle.
    if above.contains(&own.identity()) {
        return Ok(());
    }
    if above.len() >= MAX_DEPTH {
        return fail("they are nested too deeply");
    }
    let entries = match files.names(directory) {
        Ok(entries) => entries,
        Err(error) => return fail(&error.to_string()),
    };
    above.push(own.identity());
    for name in entries {
        let path = format!("{}/{name}", directory.trim_end_matches('/'));
        match files.stamp(&path) {
            Some(stamp) if stamp.is_directory() => walk(files, &path, above, names)?,
            Some(stamp) => drop(names.insert(path, stamp.identity())),
            None => (),
        }
        if names.len() > MAX_FILES {
            return fail("there are too many");
        }
    }
    above.pop();
    Ok(())
}
