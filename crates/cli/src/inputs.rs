//! Selection of sources by paths on the command line.

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

/// The path of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";
/// The name of standard input in messages; Puppet uses it for templates.
pub(crate) const STANDARD_INPUT_NAME: &str = "<stdin>";

/// A selected source.
#[derive(Debug)]
pub(crate) struct Input {
    /// The name in messages.
    pub(crate) name: String,
    /// The kind of source.
    pub(crate) kind: Kind,
    /// Its location.
    pub(crate) location: Location,
}

/// Location of a source.
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

/// The sources that paths select.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The sources, each once, sorted by name.
    pub(crate) list: Vec<Input>,
    /// Messages about paths that could not be read.
    pub(crate) problems: Vec<String>,
}

impl Inputs {
    /// Finds named files, and all manifests, templates and PDL below named directories.
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
    /// Selects standard input.
    pub(crate) fn standard_input(kind: Kind) -> Self {
        Self { name: STANDARD_INPUT_NAME.to_owned(), kind, location: Location::StandardInput }
    }
}

#[derive(Debug)]
struct Finder<'a> {
    standard_input: Kind,
    anchor: &'a Anchor,
    pool: &'a Pool,
    /// Absolute paths as strings, since hashing a path component by component is slow.
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

/// Returns the name of a path in messages.
fn name(path: &Path) -> String {
    let short = path.strip_prefix(".").unwrap_or(path);
    let path = if short.as_os_str().is_empty() { path } else { short };
    path.to_string_lossy().into_owned()
}

/// Returns the message about a source that can't be read.
pub(crate) fn problem(name: &str, error: &io::Error) -> String {
    format!("cannot read `{name}`: {}", reason(error))
}

fn is_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "pp" || extension == "epp" || extension == "pdl")
}

/// Returns the kind of source of a file name.
pub(crate) fn kind(path: &Path) -> Kind {
    match path.extension().and_then(OsStr::to_str) {
        Some("epp") => Kind::Template,
        Some("pdl") => Kind::Data,
        _ => Kind::Manifest,
    }
}
