//! Metadata of files as JSON.

use std::fmt::Write as _;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::sync::Arc;

use kukla_rubytext::json::push_string;

use super::checksum::{ChecksumType, time_text};
use super::digests::Digests;
use super::error::FileError;
use super::mounts::Place;
use super::options::MetadataOptions;

/// The mode of files whose own permissions don't count.
const PLAIN_MODE: u32 = 0o644;

/// Writes metadata of files.
pub(super) struct Describer<'a> {
    pub(super) digests: &'a Digests,
    pub(super) options: MetadataOptions,
    /// User and group of this process.
    pub(super) owner: (u32, u32),
}

/// An entry to describe: a single file, or one of a list.
pub(super) struct Subject<'a> {
    pub(super) place: &'a Place,
    /// The path from the start of a list on; none for a single file.
    pub(super) relative: Option<&'a str>,
    pub(super) status: &'a Metadata,
    /// The time of the last change of the start of the list, which Puppet gives to all directories in it.
    pub(super) start_changed: i64,
}

/// Members that only the metadata of static catalogs have.
#[derive(Clone, Copy, Debug)]
pub(super) struct CatalogMembers<'a> {
    pub(super) content_uri: &'a str,
    /// The source that has the file, unless it is one of a list.
    pub(super) source: Option<&'a str>,
}

/// The parts of metadata that depend on the type of a file.
struct Nature {
    kind: &'static str,
    checksum_type: ChecksumType,
    checksum: Option<String>,
    destination: Option<String>,
}

impl Describer<'_> {
    /// Appends the metadata of an entry.
    pub(super) fn describe(
        &self,
        out: &mut String,
        subject: &Subject<'_>,
        members: Option<CatalogMembers<'_>>,
    ) -> Result<(), FileError> {
        let nature = self.nature(subject)?;
        out.push_str("{\"path\":");
        match subject.relative {
            None => push_string(out, &subject.place.root.full(&subject.place.below)),
            Some(_) => push_string(out, &subject.place.path()),
        }
        out.push_str(",\"relative_path\":");
        push_option(out, subject.relative);
        let links = if self.options.follows { "follow" } else { "manage" };
        let (owner, group, mode) = self.permissions(subject.status);
        // Writing to a text never fails.
        let _ = write!(
            out,
            ",\"links\":\"{links}\",\"owner\":{owner},\"group\":{group},\"mode\":{mode},\"checksum\":{{\"type\":\"{}\",\"value\":",
            nature.checksum_type.name()
        );
        push_option(out, nature.checksum.as_deref());
        out.push_str("},\"type\":\"");
        out.push_str(nature.kind);
        out.push_str("\",\"destination\":");
        push_option(out, nature.destination.as_deref());
        if let Some(CatalogMembers { content_uri, source }) = members {
            out.push_str(",\"content_uri\":");
            push_string(out, content_uri);
            if let Some(source) = source {
                out.push_str(",\"source\":");
                push_string(out, source);
            }
        }
        out.push('}');
        Ok(())
    }

    fn permissions(&self, status: &Metadata) -> (u32, u32, u32) {
        match self.options.has_permissions {
            true => (status.uid(), status.gid(), status.mode() & 0o7777),
            false => (self.owner.0, self.owner.1, PLAIN_MODE),
        }
    }

    fn nature(&self, subject: &Subject<'_>) -> Result<Nature, FileError> {
        let Subject { place, relative, status, start_changed } = subject;
        let below = place.below(relative.unwrap_or_default());
        let path = || place.root.full(&below);
        let file_type = status.file_type();
        let plain = |kind, checksum_type: ChecksumType, value: &str| Nature {
            kind,
            checksum_type,
            checksum: Some(format!("{{{}}}{value}", checksum_type.name())),
            destination: None,
        };
        let wanted = self.options.checksum;
        if file_type.is_file() {
            let value = self.checksum(place, &below, status);
            let value = value.map_err(|error| FileError::unreadable(&path())(error))?;
            Ok(plain("file", wanted, &value))
        } else if file_type.is_dir() {
            Ok(plain("directory", ChecksumType::Ctime, &time_text(*start_changed)))
        } else if file_type.is_symlink() {
            self.link(place, &below)
        } else if file_type.is_fifo() {
            Ok(plain("fifo", ChecksumType::Nothing, ""))
        } else if file_type.is_socket() {
            Ok(plain("socket", ChecksumType::Nothing, ""))
        } else {
            let is_character = file_type.is_char_device();
            let kind = if is_character { "characterSpecial" } else { "blockSpecial" };
            Err(FileError::Special { kind, path: path() })
        }
    }

    /// Describes a link by its text and the checksum of its target; one that can't be read has none.
    fn link(&self, place: &Place, below: &str) -> Result<Nature, FileError> {
        let wanted = self.options.checksum;
        let path = place.root.full(below);
        let text = place.root.link(below).map_err(FileError::unreadable(&path))?;
        let Some(destination) = text.to_str().map(str::to_owned) else {
            return Err(FileError::NotUtf8 { path });
        };
        let target = place.root.status(below, true).and_then(|status| {
            let is_read = wanted.of_status(&status).is_none();
            match status.is_file() || !is_read {
                true => self.checksum(place, below, &status),
                false => Err(io::ErrorKind::IsADirectory.into()),
            }
        });
        let value = target.ok().map(|value| format!("{{{}}}{value}", wanted.name()));
        // Puppet asks for no status here.
        let value =
            value.or_else(|| (wanted == ChecksumType::Nothing).then(|| "{none}".to_owned()));
        Ok(Nature {
            kind: "link",
            checksum_type: wanted,
            checksum: value,
            destination: Some(destination),
        })
    }

    /// Returns the checksum of a regular file, from the cache if it did not change.
    fn checksum(&self, place: &Place, below: &str, status: &Metadata) -> io::Result<Arc<str>> {
        let wanted = self.options.checksum;
        if let Some(value) = wanted.of_status(status) {
            return Ok(Arc::from(value));
        }
        if let Some(digest) = self.digests.get(status, wanted) {
            return Ok(digest);
        }
        let file = place.root.read(below)?;
        let before = file.metadata()?;
        if !before.is_file() {
            return Err(io::Error::other("it is no regular file any more"));
        }
        let digest: Arc<str> = Arc::from(wanted.of_content(&file)?);
        let after = file.metadata()?;
        let times = |status: &Metadata| (status.len(), status.ctime(), status.ctime_nsec());
        if times(&before) == times(&after) {
            self.digests.keep(&after, wanted, &digest);
        }
        Ok(digest)
    }
}

fn push_option(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => push_string(out, text),
        None => out.push_str("null"),
    }
}
