//! The files of the machine.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use super::{Files, Opened, Stamp};

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        fs::metadata(path).ok().map(|metadata| stamp(&metadata))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        // Opening some devices has an effect, so what is there is looked at before and after.
        check(&fs::metadata(path)?, limit)?;
        let file = open(path)?;
        let metadata = file.metadata()?;
        check(&metadata, limit)?;
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Opened { bytes, stamp: stamp(&metadata) })
    }

    fn list(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name().into_string();
            names.push(name.map_err(|_| not_utf8())?);
        }
        names.sort();
        Ok(names)
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        let path: PathBuf = fs::canonicalize(path)?;
        path.into_os_string().into_string().map_err(|_| not_utf8())
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        match fs::symlink_metadata(path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn not_utf8() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a name in it is not UTF-8")
}

fn check(metadata: &Metadata, limit: u64) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        let message = format!("it is {}, not a regular file", special(kind));
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    match metadata.len() > limit {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(()),
    }
}

fn stamp(metadata: &Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let (device, inode) = identity(metadata);
    Stamp {
        device,
        inode,
        modified: modified.map_or(0, |time| i128::try_from(time.as_nanos()).unwrap_or(0)),
        size: metadata.len(),
        is_directory: metadata.is_dir(),
    }
}

/// Opens a file for reading without waiting for a writer, if it has become a FIFO meanwhile.
#[cfg(unix)]
fn open(path: &str) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(unix)]
fn special(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn open(path: &str) -> io::Result<File> {
    File::open(path)
}

#[cfg(not(unix))]
fn special(_: fs::FileType) -> &'static str {
    "a special file"
}

/// All files count as one: where rules restrict a file, they restrict all.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}
