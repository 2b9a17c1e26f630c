//! Directories, with all that is below them.

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use crate::files::Status;
use crate::paths::Anchor;
use crate::{Identity, Pool};

/// The files below a directory, in an order that is always the same.
#[derive(Debug, Default)]
pub struct Walked {
    /// The files that are wanted.
    pub files: Vec<PathBuf>,
    /// Paths that could not be looked at.
    pub problems: Vec<(PathBuf, io::Error)>,
}

/// A choice of files.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Whether a file of this path is wanted.
    pub is_wanted: fn(&Path) -> bool,
    /// Directories that are not entered.
    pub skipped: &'a [PathBuf],
}

/// Returns all files below a directory whose paths are wanted, links followed, nothing hidden.
///
/// A directory is entered through links at most once, and never when it is on the way to the link:
/// directories full of links to each other would otherwise be walked in every order.
pub fn walk(directory: &Path, wanted: &Wanted<'_>, anchor: &Anchor, pool: &Pool) -> Walked {
    let mut walked = Walked::default();
    let mut linked = HashSet::new();
    let mut level = vec![directory.to_owned()];
    while !level.is_empty() {
        let listings = pool.map(&level, |directory| Listing::read(directory, wanted, anchor));
        level.clear();
        for listing in listings {
            for (link, identity) in listing.links {
                level.extend(linked.insert(identity).then_some(link));
            }
            level.extend(listing.directories);
            walked.files.extend(listing.files);
            walked.problems.extend(listing.problems);
        }
    }
    walked
}

/// The entries of one directory, sorted by name.
#[derive(Debug, Default)]
struct Listing {
    files: Vec<PathBuf>,
    directories: Vec<PathBuf>,
    /// Links to directories that are not on the way to the link.
    links: Vec<(PathBuf, Identity)>,
    problems: Vec<(PathBuf, io::Error)>,
}

impl Listing {
    fn read(directory: &Path, wanted: &Wanted<'_>, anchor: &Anchor) -> Self {
        let mut listing = Self::default();
        match fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<DirEntry>>>) {
            Ok(mut entries) => {
                entries.retain(|entry| !is_hidden(entry));
                entries.sort_by_cached_key(DirEntry::file_name);
                entries.iter().for_each(|entry| listing.add(entry, wanted, anchor));
            }
            Err(error) => listing.problems.push((directory.to_owned(), error)),
        }
        listing
    }

    fn add(&mut self, entry: &DirEntry, wanted: &Wanted<'_>, anchor: &Anchor) {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if (kind.is_dir() || kind.is_symlink()) && wanted.skipped.contains(&path) => {}
            Ok(kind) if kind.is_dir() => self.directories.push(path),
            Ok(kind) if kind.is_symlink() => self.add_link(path, wanted, anchor),
            Ok(kind) if kind.is_file() && (wanted.is_wanted)(&path) => self.files.push(path),
            Ok(_) => {}
            Err(error) => self.problems.push((path, error)),
        }
    }

    fn add_link(&mut self, path: PathBuf, wanted: &Wanted<'_>, anchor: &Anchor) {
        match Status::of(&path) {
            Ok(target) if target.is_directory() => match new_identity(&path, anchor) {
                Ok(identity) => self.links.extend(identity.map(|identity| (path, identity))),
                Err(error) => self.problems.push((path, error)),
            },
            Ok(target) if target.is_file() && (wanted.is_wanted)(&path) => self.files.push(path),
            // Editors and the like leave links to nowhere.
            Err(error) if (wanted.is_wanted)(&path) => self.problems.push((path, error)),
            Ok(_) | Err(_) => {}
        }
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Returns the identity of the directory that a link leads to; none if it leads back.
fn new_identity(link: &Path, anchor: &Anchor) -> io::Result<Option<Identity>> {
    let target = identity(link)?;
    let absolute = anchor.absolute(link);
    let mut on_the_way = absolute.ancestors().skip(1);
    let leads_back = on_the_way.any(|ancestor| identity(ancestor).is_ok_and(|it| it == target));
    Ok((!leads_back).then_some(target))
}

fn identity(directory: &Path) -> io::Result<Identity> {
    Status::of(directory).map(|status| status.identity())
}
