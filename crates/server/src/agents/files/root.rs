//! The directory of a mount, and access to the files below it.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Dir, Mode, OFlags, ResolveFlags, openat, openat2, readlinkat};

/// The treatment of symbolic links that lead out of a mount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confinement {
    /// They are followed, as Puppet does: modules use them.
    #[default]
    Open,
    /// The kernel refuses them (`openat2` with `RESOLVE_BENEATH`), also while they are being changed.
    Beneath,
}

/// A directory of which files are served. Paths below it are relative and may be empty.
#[derive(Debug)]
pub(super) struct Root {
    path: String,
    /// The opened directory if links may not leave it.
    directory: Option<OwnedFd>,
}

impl Root {
    /// Opens the directory `path`, which must be absolute.
    pub(super) fn open(path: String, confinement: Confinement) -> io::Result<Self> {
        let directory = match confinement {
            Confinement::Open => None,
            Confinement::Beneath => {
                let flags = OFlags::PATH | OFlags::CLOEXEC;
                Some(openat(CWD, path.as_str(), flags, Mode::empty())?)
            }
        };
        Ok(Self { path, directory })
    }

    /// Returns the path of an entry as Puppet writes it: a trailing slash stays.
    pub(super) fn full(&self, below: &str) -> String {
        match below {
            "" => self.path.clone(),
            below => format!("{}/{below}", self.path),
        }
    }

    /// Returns the status of an entry; a link at its end is followed if `follows` says so.
    pub(super) fn status(&self, below: &str, follows: bool) -> io::Result<Metadata> {
        if self.directory.is_some() {
            let last = if follows { OFlags::empty() } else { OFlags::NOFOLLOW };
            return File::from(self.beneath(below, OFlags::PATH | last)?).metadata();
        }
        let path = self.full(below);
        if follows { fs::metadata(path) } else { fs::symlink_metadata(path) }
    }

    /// Opens a file for reading. Never waits for a FIFO; the caller looks at the status of the opened file.
    pub(super) fn read(&self, below: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        if self.directory.is_some() {
            return Ok(File::from(self.beneath(below, flags)?));
        }
        let custom = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        OpenOptions::new().read(true).custom_flags(custom).open(self.full(below))
    }

    /// Returns the names in a directory, sorted.
    pub(super) fn names(&self, below: &str) -> io::Result<Vec<OsString>> {
        let mut names = match self.directory {
            Some(_) => self.names_beneath(below)?,
            None => fs::read_dir(self.full(below))?
                .map(|entry| entry.map(|entry| entry.file_name()))
                .collect::<io::Result<Vec<_>>>()?,
        };
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the text of a link.
    pub(super) fn link(&self, below: &str) -> io::Result<PathBuf> {
        if self.directory.is_none() {
            return fs::read_link(self.full(below));
        }
        let link = self.beneath(below, OFlags::PATH | OFlags::NOFOLLOW)?;
        let text = readlinkat(link, "", Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(text.into_bytes())))
    }

    fn names_beneath(&self, below: &str) -> io::Result<Vec<OsString>> {
        let directory = self.beneath(below, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut names = Vec::new();
        for entry in Dir::new(directory)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    fn beneath(&self, below: &str, flags: OFlags) -> io::Result<OwnedFd> {
        let Some(directory) = &self.directory else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let below = if below.is_empty() { "." } else { below };
        let flags = flags | OFlags::CLOEXEC;
        Ok(openat2(directory, below, flags, Mode::empty(), ResolveFlags::BENEATH)?)
    }
}
