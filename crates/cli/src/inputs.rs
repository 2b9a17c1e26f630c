//! From paths on the command line to the sources that are meant.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use kukla_base::render::Kind;
use kukla_site::reason;
use kukla_world::Pool;
use kukla_world::paths::Anchor;
use kukla_world::walk::{Wanted, walk};

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
    /// The files that are named, all manifests, templates and PDL below the directories that are named.
    pub(crate) fn find(
        paths: &[PathBuf],
        standard_input: Kind,
        anchor: &Anchor,
        pool: &Pool,
    ) -> Self {
        let inputs = Self::default();
        let mut finder = Finder { standard_input, anchor, pool, seen: HashSet::new(), inputs };
        let metadata = pool.map(paths, |path| std::fs::metadata(path));
        paths.iter().zip(metadata).for_each(|(path, metadata)| finder.add(path, metadata));
        finder.inputs.list.sort_by(|one, other| one.name.cmp(&other.name));
        finder.inputs
    }
}

impl Input {
    /// What standard input brings.
    pub(crate) fn standard_input(kind: Kind) -> Self {
        Self { name: STANDARD_INPUT_NAME.to_owned(), kind, location: Location::StandardInput }
    }
}

#[derive(Debug)]
struct Finder<'a> {
    standard_input: Kind,
    anchor: &'a Anchor,
    pool: &'a Pool,
    /// Absolute paths. Not as paths, which are slow to hash.
    seen: HashSet<OsString>,
    inputs: Inputs,
}

impl Finder<'_> {
    fn add(&mut self, path: &Path, metadata: io::Result<Metadata>) {
        if path == Path::new(STANDARD_INPUT) {
            if self.seen.insert(path.as_os_str().to_owned()) {
                self.inputs.list.push(Input::standard_input(self.standard_input));
            }
            return;
        }
        match metadata {
            Ok(metadata) if metadata.is_dir() => self.add_directory(path),
            Ok(_) => self.add_file(path),
            Err(error) => self.add_problem(path, &error),
        }
    }

    fn add_directory(&mut self, directory: &Path) {
        let wanted = Wanted { is_wanted: is_source, skipped: &[] };
        let walked = walk(directory, &wanted, self.anchor, self.pool);
        walked.files.iter().for_each(|file| self.add_file(file));
        walked.problems.iter().for_each(|(path, error)| self.add_problem(path, error));
    }

    fn add_file(&mut self, path: &Path) {
        let absolute = self.anchor.absolute(path);
        if self.seen.insert(absolute.as_os_str().to_owned()) {
            let location = Location::File { path: path.to_owned(), absolute };
            self.inputs.list.push(Input { name: name(path), kind: kind(path), location });
        }
    }

    fn add_problem(&mut self, path: &Path, error: &io::Error) {
        self.inputs.problems.push(problem(&name(path), error));
    }
}

/// The name that people know a path by.
fn name(path: &Path) -> String {
    let short = path.strip_prefix(".").unwrap_or(path);
    let path = if short.as_os_str().is_empty() { path } else { short };
    path.to_string_lossy().into_owned()
}

/// The words for a source that can't be read.
pub(crate) fn problem(name: &str, error: &io::Error) -> String {
    format!("cannot read `{name}`: {}", reason(error))
}

fn is_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "pp" || extension == "epp" || extension == "pdl")
}

/// The kind of source that a file of this name holds.
pub(crate) fn kind(path: &Path) -> Kind {
    match path.extension().and_then(OsStr::to_str) {
        Some("epp") => Kind::Template,
        Some("pdl") => Kind::Data,
        _ => Kind::Manifest,
    }
}
