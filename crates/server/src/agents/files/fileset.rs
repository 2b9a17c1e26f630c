//! Lists of files below a directory.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::io;

use super::error::FileError;
use super::fnmatch;
use super::mounts::Place;
use super::options::Recursion;

/// The most entries that one request may list: links can make a tree endless.
pub(super) const MOST_ENTRIES: usize = 100_000;

/// An entry of a list.
#[derive(Debug)]
pub(super) struct Entry {
    /// The path from the start of the list on; `.` for the start itself.
    pub(super) relative: String,
    pub(super) status: Metadata,
}

/// Returns the start and everything below it that is wanted, level by level.
pub(super) fn list(
    place: &Place,
    recursion: &Recursion,
    follows: bool,
    most: usize,
) -> Result<Vec<Entry>, FileError> {
    let status = place.status("", follows)?;
    let mut walk = Walk { place, recursion, follows, entries: Vec::new(), most };
    let mut directories = VecDeque::new();
    if status.is_dir() {
        directories.push_back((String::new(), 1));
    }
    walk.entries.push(Entry { relative: ".".to_owned(), status });
    while let Some((directory, depth)) = directories.pop_front() {
        if recursion.depth.is_none_or(|deepest| depth <= deepest) {
            walk.children(&directory, |child| directories.push_back((child, depth + 1)))?;
        }
    }
    let entries = walk.entries.len() - 1;
    match recursion.max_files {
        Some(limit) if entries > limit => {
            Err(FileError::TooManyFiles { path: place.path(), entries, limit })
        }
        _ => Ok(walk.entries),
    }
}

struct Walk<'a> {
    place: &'a Place,
    recursion: &'a Recursion,
    follows: bool,
    entries: Vec<Entry>,
    most: usize,
}

impl Walk<'_> {
    /// Adds the children of a directory to the list, and gives those that are directories to `descend`.
    fn children(
        &mut self,
        directory: &str,
        mut descend: impl FnMut(String),
    ) -> Result<(), FileError> {
        let below = self.place.below(directory);
        let path = || self.place.root.full(&below);
        let names = self.place.root.names(&below);
        let names = names.map_err(|error| FileError::unreadable(&path())(error))?;
        for name in names {
            let Some(name) = name.to_str() else {
                let path = format!("{}/{}", path(), name.to_string_lossy());
                return Err(FileError::NotUtf8 { path });
            };
            if self.recursion.ignore.iter().any(|pattern| fnmatch::is_match(pattern, name)) {
                continue;
            }
            if self.entries.len() > self.most {
                return Err(FileError::Endless { path: self.place.path(), limit: self.most });
            }
            let relative = joined(directory, name);
            let status = match self.place.status(&relative, self.follows) {
                Ok(status) => status,
                // Deleted since the directory was read; a link that leads nowhere is an error.
                Err(_) if self.place.status(&relative, false).is_err() => continue,
                Err(error) => return Err(error),
            };
            if status.is_dir() {
                descend(relative.clone());
            }
            self.entries.push(Entry { relative, status });
        }
        Ok(())
    }
}

impl Place {
    /// Returns the path without a slash at its end.
    pub(super) fn path(&self) -> String {
        self.root.full(&self.below).trim_end_matches('/').to_owned()
    }

    /// Returns the path below the root of an entry of the list that starts here.
    pub(super) fn below(&self, relative: &str) -> String {
        match relative {
            "" | "." => self.below.clone(),
            relative => joined(self.below.trim_end_matches('/'), relative),
        }
    }

    fn status(&self, relative: &str, follows: bool) -> Result<Metadata, FileError> {
        let below = self.below(relative);
        let status = self.root.status(&below, follows);
        status
            .map_err(|error| FileError::unreadable(&self.root.full(&below))(worded(error, follows)))
    }
}

fn joined(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

/// Adds the name of Ruby's function, as Puppet's message has it.
fn worded(error: io::Error, follows: bool) -> io::Error {
    let function = if follows { "rb_file_s_stat" } else { "rb_file_lstat" };
    match error.kind() {
        io::ErrorKind::NotFound => {
            io::Error::other(format!("No such file or directory @ {function}"))
        }
        _ => error,
    }
}
