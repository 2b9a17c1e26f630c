//! The file `puppet.conf`.

use std::io;
use std::path::Path;

use kukla_world::files;

#[cfg(test)]
mod tests;

/// The section of settings before the first section.
pub(crate) const MAIN: &str = "main";

/// The sections that apply to a server, by precedence; `master` is the old name of `server`.
const SECTIONS: &[&str] = &["server", "master", "main"];

/// The maximum depth of references between settings.
const MAX_DEPTH: usize = 8;

/// The settings of a file.
#[derive(Clone, Debug, Default)]
pub struct PuppetConf {
    /// Section, name and value of each, in the order of the file.
    settings: Vec<(String, String, String)>,
    /// The directory of the file.
    confdir: String,
    /// The first line that is neither a setting, a section nor a comment.
    unmatched: Option<UnmatchedLine>,
}

/// A line of a settings file that is neither a setting, a section nor a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedLine {
    /// The line.
    pub text: String,
    /// Its number, from 1.
    pub number: u32,
}

impl PuppetConf {
    /// Parses the settings in the text of the file at `path`.
    pub fn parse(path: &Path, text: &str) -> Self {
        let mut section = MAIN.to_owned();
        let mut settings = Vec::new();
        let mut unmatched = None;
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some(name) = name.filter(|name| is_word(name)) {
                name.clone_into(&mut section);
            } else if let Some((name, value)) =
                line.split_once('=').filter(|(name, _)| is_word(name.trim_end()))
            {
                let value = without_attributes(unquoted(value.trim()));
                settings.push((section.clone(), name.trim().to_owned(), value.to_owned()));
            } else if !line.is_empty() && !line.starts_with('#') && unmatched.is_none() {
                unmatched = Some(UnmatchedLine { text: line.to_owned(), number });
            }
        }
        let confdir = path.parent().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
        Self { settings, confdir, unmatched }
    }

    /// Returns the first line that is neither a setting, a section nor a comment.
    pub(crate) const fn unmatched(&self) -> Option<&UnmatchedLine> {
        self.unmatched.as_ref()
    }

    /// Reads a file.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(Self::parse(path, &files::read_text(path)?))
    }

    /// Returns the directory of the file; empty if there is none.
    pub(crate) fn confdir(&self) -> &str {
        &self.confdir
    }

    /// Returns the names of all settings in the file.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.settings.iter().map(|(_, name, _)| name.as_str())
    }

    /// Returns the value of a setting as it is written in the file.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        SECTIONS.iter().find_map(|section| self.raw_in(section, name))
    }

    /// Returns the value of a setting as it is written in a section of the file.
    pub(crate) fn raw_in(&self, section: &str, name: &str) -> Option<&str> {
        let mut settings = self.settings.iter();
        let found = settings.find(|(known, other, _)| known == section && other == name);
        found.map(|(_, _, value)| value.as_str())
    }
}

/// Replaces `$name` and `${name}` by the value that `known` returns; unknown references stay.
pub(crate) fn interpolate(text: &str, known: &dyn Fn(&str) -> Option<String>) -> String {
    interpolate_within(text, known, 0)
}

fn interpolate_within(text: &str, known: &dyn Fn(&str) -> Option<String>, depth: usize) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once('$') {
        done.push_str(head);
        let (name, after) = reference(tail);
        match known(name).filter(|_| depth < MAX_DEPTH) {
            Some(value) => done += &interpolate_within(&value, known, depth + 1),
            None => done.extend(["$", &tail[..tail.len() - after.len()]]),
        }
        rest = after;
    }
    done + rest
}

/// Returns the name after a dollar sign, and the rest of the text.
fn reference(text: &str) -> (&str, &str) {
    if let Some((name, rest)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) {
        return (name, rest);
    }
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split_at(text.find(|letter| !is_letter(letter)).unwrap_or(text.len()))
}

/// Returns whether a text is the name of a setting or section.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Drops a quote at the start and one at the end, which need not be the same, as Puppet does.
fn unquoted(value: &str) -> &str {
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    value.strip_suffix(['"', '\'']).unwrap_or(value).trim_end()
}

/// Removes the owner and mode that may follow a path: `/a { owner = root, mode = 750 }`.
fn without_attributes(value: &str) -> &str {
    match value.rsplit_once('{') {
        Some((path, attributes)) if attributes.ends_with('}') && !path.ends_with('$') => {
            path.trim_end()
        }
        _ => value,
    }
}
