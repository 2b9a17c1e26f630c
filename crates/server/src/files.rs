//! Access to programs on disk, and to the files of `import "file:…"`.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_plang::files::{Files, ReadError};
use rustix::fs::OFlags;

/// Maximum size of a program or an imported file.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a regular file of a limited size.
///
/// Never blocks: a FIFO or device is refused, even if it replaces the file during the call.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let other = |reason: &str| io::Error::other(reason.to_owned());
    // Opening a device can have side effects, so its type is checked first.
    if !std::fs::metadata(path)?.is_file() {
        return Err(other("it is no regular file"));
    }
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(other("it is larger than 1 MiB"));
    }
    Ok(bytes)
}

/// The folder of a program: files below it can be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// Returns the reader for the folder that contains a program.
    pub fn of(program: &Path) -> Arc<dyn Files> {
        let folder = program.parent().filter(|folder| !folder.as_os_str().is_empty());
        Arc::new(Self(folder.unwrap_or(Path::new(".")).to_owned()))
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        let words = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => ReadError::NotFound,
            _ => ReadError::Other(error.to_string()),
        };
        let (folder, file) = (self.0.canonicalize(), self.0.join(path).canonicalize());
        let (folder, file) = (folder.map_err(words)?, file.map_err(words)?);
        // A symbolic link can lead anywhere.
        if !file.starts_with(&folder) {
            return Err(ReadError::OutsideFolder);
        }
        read_regular(&file).map_err(words)
    }
}
