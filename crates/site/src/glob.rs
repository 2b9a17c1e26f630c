//! Entries of a module path with wildcards, as Ruby's `Dir.glob` expands them.
//!
//! Supports `*`, `?`, `[a-z]`, `[^a]` and `{a,b}`, and `**` for any directories in between. Wildcards do not match
//! hidden files.

use std::path::{Component, Path, PathBuf};

use kukla_world::World;

#[cfg(test)]
mod tests;

/// The maximum number of alternatives; no real module path has more.
const MAX_ALTERNATIVES: usize = 1000;

/// Returns whether a path has wildcards.
pub(crate) fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Returns the existing paths that match an absolute pattern, sorted for each alternative of braces, one alternative
/// after the other.
pub(crate) fn glob(pattern: &str, world: &dyn World) -> Vec<PathBuf> {
    let mut patterns = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(pattern) = patterns.pop() {
        match alternatives(&pattern) {
            Some(alternatives) if done.len() + patterns.len() < MAX_ALTERNATIVES => {
                patterns.extend(alternatives.into_iter().rev());
            }
            _ => done.push(pattern),
        }
    }
    done.iter().flat_map(|pattern| expand(Path::new(pattern), world)).collect()
}

/// Returns the patterns that the first braces expand to.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (head, rest) = pattern.split_once('{')?;
    let (inner, tail) = rest.split_once('}')?;
    Some(inner.split(',').map(|one| format!("{head}{one}{tail}")).collect())
}

fn expand(pattern: &Path, world: &dyn World) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = match component {
            Component::Normal(name) => name.to_string_lossy(),
            _ => {
                found.iter_mut().for_each(|path| path.push(component));
                continue;
            }
        };
        found = match &*name {
            "**" => found.iter().flat_map(|path| directories(path, world)).collect(),
            name if is_glob(name) => {
                found.iter().flat_map(|path| matching(path, name, world)).collect()
            }
            name => found.iter().map(|path| path.join(name)).collect(),
        };
    }
    found.retain(|path| world.exists(&path.to_string_lossy()));
    found
}

fn names(directory: &Path, world: &dyn World) -> Vec<String> {
    world.list(&directory.to_string_lossy())
}

fn matching(directory: &Path, pattern: &str, world: &dyn World) -> Vec<PathBuf> {
    let pattern: Vec<char> = pattern.chars().collect();
    let fits = |name: &String| {
        let name: Vec<char> = name.chars().collect();
        let is_hidden = name.first() == Some(&'.') && pattern.first() != Some(&'.');
        !is_hidden && fits(&pattern, &name)
    };
    names(directory, world).into_iter().filter(fits).map(|name| directory.join(name)).collect()
}

/// Returns a directory and all directories below it that are not hidden; links are not followed.
fn directories(directory: &Path, world: &dyn World) -> Vec<PathBuf> {
    let mut found = vec![directory.to_owned()];
    let mut at = 0;
    while let Some(directory) = found.get(at).cloned() {
        let inner = names(&directory, world).into_iter().filter(|name| !name.starts_with('.'));
        let inner = inner.map(|name| directory.join(name));
        found.extend(inner.filter(|path| is_own_directory(path, world)));
        at += 1;
    }
    found.sort();
    found
}

/// Returns whether a path is a directory and no link to one.
fn is_own_directory(path: &Path, world: &dyn World) -> bool {
    let text = path.to_string_lossy();
    let parent = path.parent().map(|parent| world.resolve(&parent.to_string_lossy()));
    let own = parent.and_then(Result::ok).zip(path.file_name());
    let own = own.map(|(parent, name)| format!("{parent}/{}", name.to_string_lossy()));
    world.is_directory(&text) && world.resolve(&text).ok() == own
}

/// Returns whether a name matches a pattern. Backtracking to the last star is enough.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => {
                (p, n) = (p + 1, n + 1);
                continue;
            }
            Some('[') => {
                if let Some(len) = class(&pattern[p..], name[n]) {
                    (p, n) = (p + len, n + 1);
                    continue;
                }
            }
            Some(&letter) if letter == name[n] => {
                (p, n) = (p + 1, n + 1);
                continue;
            }
            _ => {}
        }
        let Some((at, taken)) = star else { return false };
        star = Some((at, taken + 1));
        (p, n) = (at + 1, taken + 1);
    }
    pattern[p..].iter().all(|&letter| letter == '*')
}

/// Returns the length of a character class in brackets that contains this character.
fn class(pattern: &[char], letter: char) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|&it| it == ']')? + 2;
    let inner = &pattern[1..end];
    let (is_negated, inner) = match inner {
        ['^' | '!', rest @ ..] => (true, rest),
        inner => (false, inner),
    };
    let mut has = false;
    let mut at = 0;
    while let Some(&first) = inner.get(at) {
        match inner.get(at + 1..at + 3) {
            Some(&['-', last]) => {
                has |= (first..=last).contains(&letter);
                at += 3;
            }
            _ => {
                has |= first == letter;
                at += 1;
            }
        }
    }
    (has != is_negated).then_some(end + 1)
}
