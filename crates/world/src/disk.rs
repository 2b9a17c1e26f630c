//! The machine itself.

use std::fs::{self, File};
use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

use crate::files::Status;
use crate::program::{self, Program, RunError};
use crate::{Change, FileKind, NameQuery, NameReply, Opened, Stamp, World, names, state};

/// The machine's files, clock, randomness and processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl World for Disk {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        Status::of(path.as_ref()).ok().map(|status| status.stamp())
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        // Opening some devices has an effect, so the path is looked at before it is opened, and the file after.
        check(&Status::of(path.as_ref())?, limit)?;
        let file = open(path)?;
        let status = Status::new(file.metadata()?);
        check(&status, limit)?;
        let mut bytes = Vec::with_capacity(usize::try_from(status.size()).unwrap_or(0));
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Opened { bytes: bytes.into(), stamp: status.stamp() })
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

    fn list(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        fs::canonicalize(path)?.into_os_string().into_string().map_err(|_| not_utf8())
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        match fs::symlink_metadata(path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn now(&self) -> i128 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.ok().and_then(|since| i128::try_from(since.as_nanos()).ok()).unwrap_or(0)
    }

    fn random(&self, n: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; n];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(bytes)
    }

    fn run(&self, program: &Program) -> Result<Vec<u8>, RunError> {
        program::run(program)
    }

    fn ask_name_server(&self, query: &NameQuery) -> io::Result<NameReply> {
        names::ask(query)
    }

    fn change(&self, root: &str, change: &Change<'_>) -> io::Result<()> {
        state::change(root, change)
    }

    fn owner(&self, path: &str) -> Option<u32> {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).ok().map(|metadata| metadata.uid())
    }
}

fn not_utf8() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a name in it is not UTF-8")
}

fn check(status: &Status, limit: u64) -> io::Result<()> {
    match status.kind() {
        FileKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        FileKind::Other => {
            let message = format!("it is {}, not a regular file", special(status));
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
        FileKind::File if status.size() > limit => Err(io::ErrorKind::FileTooLarge.into()),
        FileKind::File => Ok(()),
    }
}

/// Opens a file for reading without waiting for a writer, should it have become a FIFO meanwhile.
fn open(path: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn special(status: &Status) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match status.metadata().file_type() {
        kind if kind.is_fifo() => "a FIFO",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}
