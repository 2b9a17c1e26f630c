//! Metadata that static catalogs carry.

use super::fileset::{self, Entry};
use super::metadata::{CatalogMembers, Subject};
use super::mounts::Key;
use super::options::{MetadataOptions, Recursion};
use super::{FileError, FileRequest, FileServer, changed};

/// Metadata for a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agents) enum Inlined {
    /// There is no such file.
    Missing,
    /// The file is not one of those that the catalog may describe.
    Outside,
    /// The metadata as JSON: an object, or an array for a list.
    Metadata(String),
}

impl FileServer {
    /// Returns the metadata of a file; `uri` gives the content's URI for its path, or none if it may not be described.
    pub(in crate::agents) fn inlined(
        &self,
        request: &FileRequest<'_>,
        source: &str,
        uri: impl Fn(&str) -> Option<String>,
    ) -> Result<Inlined, FileError> {
        let key = Key::parse(request.key)?;
        let found = self.mounts.find(&key, &request.environment, request.client)?;
        let Some(place) = found else { return Ok(Inlined::Missing) };
        let Some(uri) = uri(&place.root.full(&place.below)) else { return Ok(Inlined::Outside) };
        let options = MetadataOptions::parse(request.query, false)?;
        let recursion = Recursion { depth: Some(0), max_files: None, ignore: Vec::new() };
        let entries = fileset::list(&place, &recursion, options.follows, 1)?;
        let members = CatalogMembers { content_uri: &uri, source: Some(source) };
        let mut out = String::new();
        for Entry { status, .. } in &entries {
            let start_changed = changed(status);
            let subject = Subject { place: &place, relative: None, status, start_changed };
            self.describer(options).describe(&mut out, &subject, Some(members))?;
        }
        Ok(Inlined::Metadata(out))
    }

    /// Like [`FileServer::inlined`], for a directory with everything below it. `uri` is asked for the directory, and then
    /// `is_described` for each file with the path from the directory on.
    pub(in crate::agents) fn inlined_list(
        &self,
        request: &FileRequest<'_>,
        uri: impl Fn(&str) -> Option<String>,
        is_described: impl Fn(&str, &str) -> bool,
    ) -> Result<Inlined, FileError> {
        let key = Key::parse(request.key)?;
        let found = self.mounts.find(&key, &request.environment, request.client)?;
        let Some(place) = found else { return Ok(Inlined::Missing) };
        let path = place.path();
        let Some(uri) = uri(&path) else { return Ok(Inlined::Outside) };
        let options = MetadataOptions::parse(request.query, true)?;
        let recursion = Recursion::parse(request.query)?;
        let entries = fileset::list(&place, &recursion, options.follows, fileset::MOST_ENTRIES)?;
        let mut files = entries.iter().filter(|entry| entry.status.is_file());
        if !files.all(|entry| is_described(&path, &entry.relative)) {
            return Ok(Inlined::Outside);
        }
        let places = [place];
        Ok(Inlined::Metadata(self.list(&places, &recursion, options, Some(&uri))?))
    }
}
