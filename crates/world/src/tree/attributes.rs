//! Owner, group and mode: users who may read a source, and no others, may read what is made of it.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use crate::files::{self, Status};

/// Owner, group and mode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    mode: u32,
    owner: u32,
    group: u32,
    /// Whether owner or group were configured, so that it is an error if they can't be set.
    is_configured: bool,
}

/// Attributes in place of those of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// The number of the user.
    pub owner: Option<u32>,
    /// The number of the group.
    pub group: Option<u32>,
    /// The mode of files. Users who may read files may enter directories.
    pub mode: Option<u32>,
}

impl Attributes {
    /// Returns those of a file.
    pub fn of(status: &Status) -> Self {
        let metadata = status.metadata();
        let mode = metadata.mode() & 0o777;
        Self { mode, owner: metadata.uid(), group: metadata.gid(), is_configured: false }
    }

    /// Replaces those that are configured.
    #[must_use]
    pub fn configured(self, configured: Configured) -> Self {
        let Configured { owner, group, mode } = configured;
        Self {
            mode: mode.unwrap_or(self.mode),
            owner: owner.unwrap_or(self.owner),
            group: group.unwrap_or(self.group),
            is_configured: owner.is_some() || group.is_some(),
        }
    }

    /// Returns whether owner, group and mode are equal.
    pub fn is_as(self, other: Self) -> bool {
        (self.mode, self.owner, self.group) == (other.mode, other.owner, other.group)
    }

    /// Returns attributes for users who may read both files; none if both have readers of their own.
    pub fn common(self, other: Self) -> Option<Self> {
        let mode = self.mode & other.mode & 0o666 | 0o600;
        let for_all = mode & 0o004 | (mode & 0o004) << 3;
        match (self.owner == other.owner, self.group == other.group) {
            (true, true) => Some(Self { mode, ..self }),
            (true, false) => Some(Self { mode: 0o600 | for_all, ..self }),
            (false, _) => (for_all != 0).then_some(Self { mode: 0o600 | for_all, ..self }),
        }
    }

    /// Like [`Attributes::configured`], but for directories, which users who may read files may enter.
    fn configured_directory(self, configured: Configured) -> Self {
        let mode = configured.mode.map(|mode| mode | (mode & 0o444) >> 2);
        self.configured(Configured { mode, ..configured })
    }

    /// Creates a file that only its creator may read, unless all users may anyway. It gets the rest of its mode together
    /// with its owner, by [`Attributes::apply`].
    pub(super) fn create(self, path: &Path) -> io::Result<File> {
        let mode = if self.mode & 0o004 == 0 { 0o600 } else { self.mode };
        File::options().write(true).create_new(true).mode(mode).open(path)
    }

    /// Gives a file these attributes, as far as the system allows it.
    ///
    /// Only the superuser can give files away; other users can give them to groups that they are in. An owner or group
    /// that can't be set stays the builder's, unless it was configured: then that is an error.
    pub(super) fn apply(self, file: &File) -> io::Result<()> {
        self.replace(Self::of(&Status::new(file.metadata()?)), file)
    }

    /// Like [`Attributes::apply`], but for a file that has the attributes `present`.
    pub(super) fn replace(self, present: Self, file: &File) -> io::Result<()> {
        if (present.owner, present.group) != (self.owner, self.group) {
            match fchown(file, Some(self.owner), Some(self.group)) {
                Err(error) if self.is_configured => return Err(error),
                Err(_) => drop(fchown(file, None, Some(self.group))),
                Ok(()) => {}
            }
        }
        if present.mode != self.mode {
            file.set_permissions(Permissions::from_mode(self.mode))?;
        }
        Ok(())
    }
}

/// Attributes of directories: those of another directory, with the configured ones in their place.
#[derive(Clone, Debug)]
pub struct DirectoryAttributes {
    model: PathBuf,
    configured: Configured,
}

impl DirectoryAttributes {
    /// Takes the attributes of `model` whenever a directory is made.
    pub fn like(model: &Path, configured: Configured) -> Self {
        Self { model: model.to_owned(), configured }
    }

    /// Makes a directory, which its owner can always fill; one that is there already stays as it is.
    pub fn make(&self, directory: &Path) -> io::Result<()> {
        match fs::create_dir(directory) {
            Ok(()) => self.apply(directory),
            Err(_) if files::is_directory(directory) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn apply(&self, directory: &Path) -> io::Result<()> {
        let attributes = Attributes::of(&Status::of(&self.model)?);
        let attributes = attributes.configured_directory(self.configured);
        let mode = attributes.mode | 0o700;
        Attributes { mode, ..attributes }.apply(&File::open(directory)?)
    }
}
