//! Files of modules and mounts: `file_metadata`, `file_metadatas` and `file_content`.
//!
//! A [`FileServer`] finds the mount of a request (`mounts`, `fileserver_conf`, `module_list`), lists directories
//! (`fileset`, `fnmatch`) and describes files (`metadata`). Digests are computed once per content (`digests`): a file of
//! the same device, inode, size and times is not read again.
//!
//! Invariants: a path with `..` is refused before the disk is asked; an opened file is judged by its own status, so
//! that a file that is replaced meanwhile is harmless; FIFOs and devices are never read.

mod checksum;
mod digests;
mod error;
mod fileserver_conf;
mod fileset;
mod fnmatch;
mod inlined;
mod metadata;
mod module_list;
mod mounts;
mod options;
mod root;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub use checksum::ChecksumType;
pub use error::FileError;
pub(super) use inlined::Inlined;
pub(super) use module_list::{find as module_directory, list as module_directories};
pub use root::Confinement;

use crate::Log;
use crate::agents::exchange::{Answer, OCTETS};
use crate::agents::query::Query;
use digests::Digests;
use fileset::{Entry, MOST_ENTRIES};
use hyper::StatusCode;
use metadata::{CatalogMembers, Describer, Subject};
use mounts::{FileKey, Mounts, Place};
use options::{MetadataOptions, Recursion};

/// Returns what is wrong with a `fileserver.conf`; a file that is missing is in order.
pub fn mounts_problem(path: &Path) -> Option<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => fileserver_conf::parse(&text).err().map(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => Some(error.to_string()),
    }
}

/// The directories of an environment that files are served from.
#[derive(Clone, Copy, Debug)]
pub struct FileEnvironment<'a> {
    /// The module path.
    pub modulepath: &'a [PathBuf],
    /// The setting `codedir`, which stands for an environment without a module path.
    pub codedir: &'a Path,
}

/// A request for files.
#[derive(Clone, Copy, Debug)]
pub struct FileRequest<'a> {
    /// Mount and path, decoded once: `modules/demo/a.txt`.
    pub key: &'a str,
    /// The parameters.
    pub query: &'a Query,
    /// The environment.
    pub environment: FileEnvironment<'a>,
    /// The name of the client, for paths of `fileserver.conf`.
    pub client: &'a str,
}

/// A server of files. All threads share one.
#[derive(Debug)]
pub struct FileServer {
    mounts: Mounts,
    digests: Digests,
    owner: (u32, u32),
}

impl FileServer {
    /// Makes a server whose additional mounts are in the file `conf`, which may be missing.
    pub fn new(conf: PathBuf, confinement: Confinement, log: Log) -> Self {
        let owner = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Self { mounts: Mounts::new(conf, confinement, log), digests: Digests::default(), owner }
    }

    /// Answers `file_metadata`.
    pub fn metadata(&self, request: &FileRequest<'_>) -> Result<Answer, FileError> {
        let place = self.find(request, "file_metadata")?;
        let options = MetadataOptions::parse(request.query, false)?;
        let recursion = Recursion { depth: Some(0), max_files: None, ignore: Vec::new() };
        let entries = fileset::list(&place, &recursion, options.follows, 1)?;
        let mut out = String::new();
        for Entry { status, .. } in &entries {
            let start_changed = changed(status);
            let subject = Subject { place: &place, relative: None, status, start_changed };
            self.describer(options).describe(&mut out, &subject, None)?;
        }
        Ok(Answer::json(out))
    }

    /// Answers `file_metadatas`.
    pub fn metadatas(&self, request: &FileRequest<'_>) -> Result<Answer, FileError> {
        let key = FileKey::parse(request.key)?;
        let (places, is_listed) = match self.mounts.union(&key, &request.environment) {
            Some(union) => (union.places, union.is_listed),
            None => {
                let found = self.mounts.find(&key, &request.environment, request.client)?;
                let missing = || FileError::NoInstances { key: key.text.to_owned() };
                (vec![found.ok_or_else(missing)?], true)
            }
        };
        let options = MetadataOptions::parse(request.query, true)?;
        let mut recursion = Recursion::parse(request.query)?;
        if !is_listed {
            recursion.depth = Some(0);
        }
        Ok(Answer::json(self.list(&places, &recursion, options, None)?))
    }

    /// Answers `file_content`. A directory has no content, as in Puppet.
    pub fn content(&self, request: &FileRequest<'_>) -> Result<Answer, FileError> {
        let place = self.find(request, "file_content")?;
        let path = place.root.full(&place.below);
        let unreadable = |error| FileError::unreadable(&path)(error);
        // Opening a device can have side effects, so its type is checked first.
        let status = place.root.status(&place.below, true).map_err(unreadable)?;
        if status.is_dir() {
            return Ok(Answer::new(StatusCode::OK, OCTETS, ""));
        }
        let special = || FileError::Special { kind: "special", path: path.clone() };
        if !status.is_file() {
            return Err(special());
        }
        let file = place.root.read(&place.below).map_err(unreadable)?;
        let status = file.metadata().map_err(unreadable)?;
        match status.is_file() {
            true => Ok(Answer::file(file, status.len())),
            false => Err(special()),
        }
    }

    fn find(&self, request: &FileRequest<'_>, model: &'static str) -> Result<Place, FileError> {
        let key = FileKey::parse(request.key)?;
        let found = self.mounts.find(&key, &request.environment, request.client)?;
        found.ok_or_else(|| FileError::NotFound { model, key: key.text.to_owned() })
    }

    /// Returns the metadata of all files below the places; the first place that has a path counts.
    fn list(
        &self,
        places: &[Place],
        recursion: &Recursion,
        options: MetadataOptions,
        base_uri: Option<&str>,
    ) -> Result<String, FileError> {
        let describer = self.describer(options);
        let mut out = String::from("[");
        let mut paths = HashSet::new();
        for place in places {
            let most = MOST_ENTRIES.saturating_sub(paths.len());
            let entries = fileset::list(place, recursion, options.follows, most)?;
            let start_changed = entries.first().map_or(0, |start| changed(&start.status));
            for Entry { relative, status } in entries {
                if paths.contains(&relative) {
                    continue;
                }
                let relative_path = Some(relative.as_str());
                let subject =
                    Subject { place, relative: relative_path, status: &status, start_changed };
                if out.len() > 1 {
                    out.push(',');
                }
                let uri = base_uri.map(|base| content_uri(base, &relative));
                let members =
                    uri.as_deref().map(|uri| CatalogMembers { content_uri: uri, source: None });
                describer.describe(&mut out, &subject, members)?;
                paths.insert(relative);
            }
        }
        out.push(']');
        Ok(out)
    }

    fn describer(&self, options: MetadataOptions) -> Describer<'_> {
        Describer { digests: &self.digests, options, owner: self.owner }
    }
}

/// Returns the URI of an entry of a list.
fn content_uri(base: &str, relative: &str) -> String {
    match relative {
        "." => base.to_owned(),
        relative => format!("{base}/{relative}"),
    }
}

fn changed(status: &std::fs::Metadata) -> i64 {
    std::os::unix::fs::MetadataExt::ctime(status)
}
