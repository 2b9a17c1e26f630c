//! From paths on the command line to the sources that are meant.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use kukla_base::render::Kind;
use walkdir::{DirEntry, WalkDir};

use crate::paths::Anchor;

/// The path that means standard input.
pub(crate) const STANDARD_INPUT: &str = "-";
/// The name of standard input in messages, the same that Puppet uses for templates.
pub(crate) const STANDARD_INPUT_NAME: &str = "<stdin>";

/// A source to look at.
#[derive(Debug)]
pub(crate) struct Input {
    /// The name that people know it by.
    pub(crate) name: String,
    /// What kind of source it is.
    pub(crate) kind: Kind,
    /// Where it is.
    pub(crate) location: Location,
}

/// Where a source is.
#[derive(Debug)]
pub(crate) enum Location {
    /// A file.
    File {
        /// The path to open.
        path: PathBuf,
        /// The absolute path.
        absolute: PathBuf,
    },
    /// Standard input.
    StandardInput,
}

/// The sources that some paths mean.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The sources, each once, sorted by name.
    pub(crate) list: Vec<Input>,
    /// What could not be looked at, and why.
    pub(crate) problems: Vec<String>,
}

impl Inputs {
    /// The files that are named, all manifests and templates below the directories that are named.
    pub(crate) fn find(paths: &[PathBuf], standard_input: Kind) -> io::Result<Self> {
        let mut finder = Finder::new()?;
        for path in paths {
            finder.add(path, standard_input);
        }
        finder.inputs.list.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(finder.inputs)
    }
}

impl Input {
    /// What standard input brings.
    pub(crate) fn standard_input(kind: Kind) -> Self {
        Self { name: STANDARD_INPUT_NAME.to_owned(), kind, location: Location::StandardInput }
    }
}

#[derive(Debug)]
struct Finder {
    anchor: Anchor,
    seen: HashSet<PathBuf>,
    inputs: Inputs,
}

impl Finder {
    fn new() -> io::Result<Self> {
        Ok(Self { anchor: Anchor::new()?, seen: HashSet::new(), inputs: Inputs::default() })
    }

    fn add(&mut self, path: &Path, standard_input: Kind) {
        if path == Path::new(STANDARD_INPUT) {
            if self.seen.insert(path.to_owned()) {
                self.inputs.list.push(Input::standard_input(standard_input));
            }
            return;
        }
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.add_directory(path),
            Ok(_) => self.add_file(path),
            Err(error) => self.add_problem(path, &error),
        }
    }

    fn add_directory(&mut self, directory: &Path) {
        for entry in walk(directory) {
            match entry {
                Ok(entry) if is_wanted(&entry) => self.add_file(entry.path()),
                Ok(_) => {}
                Err(error) => self.add_walk_problem(&error),
            }
        }
    }

    fn add_file(&mut self, path: &Path) {
        let absolute = self.anchor.absolute(path);
        if self.seen.insert(absolute.clone()) {
            let name = path.strip_prefix(".").unwrap_or(path).to_string_lossy().into_owned();
            let location = Location::File { path: path.to_owned(), absolute };
            self.inputs.list.push(Input { name, kind: kind(path), location });
        }
    }

    fn add_problem(&mut self, path: &Path, error: &io::Error) {
        self.inputs.problems.push(problem(&path.to_string_lossy(), error));
    }

    /// A loop of links ends here without a word: all that it could lead to is seen anyway.
    fn add_walk_problem(&mut self, error: &walkdir::Error) {
        let (Some(path), Some(io_error)) = (error.path(), error.io_error()) else { return };
        let is_dangling_link = io_error.kind() == io::ErrorKind::NotFound;
        if !is_dangling_link || is_source(path) {
            self.add_problem(path, io_error);
        }
    }
}

/// The words for a source that can't be read.
pub(crate) fn problem(name: &str, error: &io::Error) -> String {
    // The system's number of the error means nothing to people.
    let words = error.to_string();
    let words = words.split(" (os error").next().unwrap_or_default().to_lowercase();
    format!("can't read `{name}`: {words}")
}

/// Everything below a directory but what is hidden, links followed.
///
/// A directory is entered through links at most once: directories full of links to each other would
/// else be walked in every order.
fn walk(directory: &Path) -> impl Iterator<Item = walkdir::Result<DirEntry>> {
    let mut linked = HashSet::new();
    WalkDir::new(directory).follow_links(true).sort_by_file_name().into_iter().filter_entry(
        move |entry| {
            let mut is_new = || entry.metadata().is_ok_and(|found| linked.insert(identity(&found)));
            entry.depth() == 0 || (!is_hidden(entry) && (!is_linked_directory(entry) || is_new()))
        },
    )
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

fn is_linked_directory(entry: &DirEntry) -> bool {
    entry.path_is_symlink() && entry.file_type().is_dir()
}

fn is_wanted(entry: &DirEntry) -> bool {
    entry.file_type().is_file() && is_source(entry.path())
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pp" || extension == "epp")
}

/// The kind of source that a file of this name holds.
pub(crate) fn kind(path: &Path) -> Kind {
    if path.extension() == Some(OsStr::new("epp")) { Kind::Template } else { Kind::Manifest }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Without a way to know, every directory is another one; loops are found all the same.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> std::time::Instant {
    std::time::Instant::now()
}
