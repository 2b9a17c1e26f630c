//! Owner, group and mode: those who may read a manifest, and nobody else, may read what is made of it.

use std::fs::{File, Metadata, OpenOptions};
use std::io;

/// Who may do what with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attributes {
    mode: u32,
    owner: u32,
    group: u32,
    /// Whether somebody asked for the owner or the group, so that it is an error if they can't be set.
    is_configured: bool,
}

/// What somebody wants instead of the attributes of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// The number of the user.
    pub owner: Option<u32>,
    /// The number of the group.
    pub group: Option<u32>,
    /// The mode of files. Directories can be entered by those who may read files.
    pub mode: Option<u32>,
}

impl Attributes {
    /// With what is configured in the place of what is not.
    pub(super) fn configured(self, configured: Configured) -> Self {
        let Configured { owner, group, mode } = configured;
        Self {
            mode: mode.unwrap_or(self.mode),
            owner: owner.unwrap_or(self.owner),
            group: group.unwrap_or(self.group),
            is_configured: owner.is_some() || group.is_some(),
        }
    }

    /// Whether a file with these needs no others.
    pub(super) fn is_as(self, wanted: Self) -> bool {
        (self.mode, self.owner, self.group) == (wanted.mode, wanted.owner, wanted.group)
    }

    /// For those who may read both; `None` if two owners have something of their own.
    pub(super) fn common(self, other: Self) -> Option<Self> {
        let mode = self.mode & other.mode & 0o666 | 0o600;
        let for_all = mode & 0o004 | (mode & 0o004) << 3;
        match (self.owner == other.owner, self.group == other.group) {
            (true, true) => Some(Self { mode, ..self }),
            (true, false) => Some(Self { mode: 0o600 | for_all, ..self }),
            (false, _) => (for_all != 0).then_some(Self { mode: 0o600 | for_all, ..self }),
        }
    }

    /// The same for directories.
    pub(super) fn configured_directory(self, configured: Configured) -> Self {
        let mode = configured.mode.map(|mode| mode | (mode & 0o444) >> 2);
        self.configured(Configured { mode, ..configured })
    }
}

#[cfg(unix)]
mod system {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};

    use super::*;

    impl Attributes {
        /// Those of a file.
        pub(in super::super) fn of(metadata: &Metadata) -> Self {
            let mode = metadata.mode() & 0o777;
            Self { mode, owner: metadata.uid(), group: metadata.gid(), is_configured: false }
        }

        /// The same for a directory that its owner can fill.
        pub(in super::super) fn filled_by_owner(self) -> Self {
            Self { mode: self.mode | 0o700, ..self }
        }

        /// Makes a file that is its maker's only, unless it is for everybody anyway. It gets the
        /// rest of its mode when it has its owner.
        pub(in super::super) fn prepare(self, options: &mut OpenOptions) {
            options.mode(if self.mode & 0o004 == 0 { 0o600 } else { self.mode });
        }

        /// Gives a file these attributes, as far as it may be done.
        ///
        /// Only the superuser can give files away, and others only to groups that they are in.
        /// What can't be done is left out: the file then belongs to whoever builds.
        pub(in super::super) fn apply(self, file: &File) -> io::Result<()> {
            self.replace(Self::of(&file.metadata()?), file)
        }

        /// The same for a file that has these attributes at present.
        pub(in super::super) fn replace(self, present: Self, file: &File) -> io::Result<()> {
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
}

#[cfg(not(unix))]
mod system {
    use super::*;

    impl Attributes {
        pub(in super::super) fn of(_: &Metadata) -> Self {
            Self { mode: 0, owner: 0, group: 0, is_configured: false }
        }

        pub(in super::super) fn filled_by_owner(self) -> Self {
            self
        }

        pub(in super::super) fn prepare(self, _: &mut OpenOptions) {}

        pub(in super::super) fn apply(self, _: &File) -> io::Result<()> {
            Ok(())
        }

        pub(in super::super) fn replace(self, _: Self, _: &File) -> io::Result<()> {
            Ok(())
        }
    }
}
