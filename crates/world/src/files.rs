//! Files of the machine that no compilation reads: settings, facts, and the sources of serialized trees.
//!
//! Everything here follows links unless it says otherwise.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use crate::{FileKind, Identity, Stamp};

/// The status of a file: everything that the system says of it beside its content.
#[derive(Clone, Debug)]
pub struct Status(Metadata);

impl Status {
    /// Returns the status of what a path leads to.
    pub fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(Self)
    }

    /// Like [`Status::of`], but a link is not followed.
    pub fn of_entry(path: &Path) -> io::Result<Self> {
        fs::symlink_metadata(path).map(Self)
    }

    pub(crate) const fn new(metadata: Metadata) -> Self {
        Self(metadata)
    }

    /// Returns the kind of the file; a link that was not followed is [`FileKind::Other`].
    pub fn kind(&self) -> FileKind {
        match self.0.file_type() {
            kind if kind.is_file() => FileKind::File,
            kind if kind.is_dir() => FileKind::Directory,
            _ => FileKind::Other,
        }
    }

    /// Returns whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind() == FileKind::File
    }

    /// Returns whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind() == FileKind::Directory
    }

    /// Returns whether it is a regular file that its owner, its group or all users may execute.
    pub fn is_executable(&self) -> bool {
        self.is_file() && self.0.mode() & 0o111 != 0
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.0.len()
    }

    /// Returns the numbers that all names of one file share.
    pub fn identity(&self) -> Identity {
        (self.0.dev(), self.0.ino())
    }

    /// Returns the seconds and nanoseconds at which the content was last changed.
    pub fn modified(&self) -> [i64; 2] {
        [self.0.mtime(), self.0.mtime_nsec()]
    }

    /// Returns the seconds and nanoseconds at which content, name, owner or mode were last changed; unlike
    /// [`Status::modified`] no program can set it.
    pub fn changed(&self) -> [i64; 2] {
        [self.0.ctime(), self.0.ctime_nsec()]
    }

    /// Returns [`Status::changed`] as the time since the beginning of 1970.
    pub fn changed_since_1970(&self) -> Duration {
        let [seconds, nanoseconds] = self.changed();
        let seconds = u64::try_from(seconds).unwrap_or(0);
        Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or(0))
    }

    pub(crate) fn metadata(&self) -> &Metadata {
        &self.0
    }

    pub(crate) fn stamp(&self) -> Stamp {
        let modified = self.0.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let (device, inode) = self.identity();
        Stamp {
            device,
            inode,
            modified: modified.map_or(0, |time| i128::try_from(time.as_nanos()).unwrap_or(0)),
            size: self.size(),
            kind: self.kind(),
        }
    }
}

/// Returns whether a path leads to anything.
pub fn exists(path: &Path) -> bool {
    Status::of(path).is_ok()
}

/// Returns whether a path leads to a regular file.
pub fn is_file(path: &Path) -> bool {
    Status::of(path).is_ok_and(|status| status.is_file())
}

/// Returns whether a path leads to a directory.
pub fn is_directory(path: &Path) -> bool {
    Status::of(path).is_ok_and(|status| status.is_directory())
}

/// The most bytes that are read of a file; a compilation reads [`MAX_FILE`](crate::MAX_FILE).
const MAX_READ: u64 = 512 << 20;

/// The most bytes that are read of a pipe or device, whose size is not known before.
pub const MAX_STREAM: u64 = 64 << 20;

/// Reads a text of the user's choice; unlike [`World::read_text`](crate::World::read_text) also one that a pipe gives.
pub fn read_text(path: &Path) -> io::Result<String> {
    text(read_bytes(path)?)
}

/// Reads the bytes of a file of the user's choice, also one that is a pipe; a file that is too large is an error before
/// any of it is read.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    let status = Status::new(file.metadata()?);
    match status.is_file() {
        true if status.size() > MAX_READ => Err(too_large(MAX_READ)),
        // The size of the file saves many short reads.
        true => read_to(file, MAX_READ, status.size()),
        false => read_stream(file),
    }
}

/// Reads a file that belongs to others, such as one below a module: what is no regular file is an error, and is not
/// opened, since opening a pipe waits for its other end.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    check_regular(&Status::of(path)?)?;
    read_bytes(path)
}

/// Fails for what is no regular file, and for one that is too large.
pub(crate) fn check_regular(status: &Status) -> io::Result<()> {
    match status.kind() {
        FileKind::File if status.size() > MAX_READ => Err(too_large(MAX_READ)),
        FileKind::File => Ok(()),
        FileKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        FileKind::Other => Err(io::Error::other("it is not a regular file")),
    }
}

/// Reads a pipe to its end.
pub fn read_stream(stream: impl io::Read) -> io::Result<Vec<u8>> {
    read_to(stream, MAX_STREAM, 0)
}

/// Reads a pipe of text to its end.
pub fn read_text_stream(stream: impl io::Read) -> io::Result<String> {
    text(read_stream(stream)?)
}

fn read_to(stream: impl io::Read, limit: u64, expected: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    io::Read::read_to_end(&mut stream.take(limit + 1), &mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(too_large(limit)),
        false => Ok(bytes),
    }
}

fn too_large(limit: u64) -> io::Error {
    let message = format!("it has more than {} MB", limit >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    let not_text =
        |_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(bytes).map_err(not_text)
}

/// Returns the names in a directory, in no order; fails if one of them can't be read.
pub fn names(directory: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

/// Like [`names`], but without those that can't be read.
pub fn readable_names(directory: &Path) -> io::Result<Vec<OsString>> {
    Ok(fs::read_dir(directory)?.flatten().map(|entry| entry.file_name()).collect())
}
