//! Files of the directory: names, locks, the counter of serial numbers.

use std::path::{Path, PathBuf};

use kukla_world::tree::{Lock, LockError};
use kukla_world::{durable, files};

use crate::options::CaPaths;
use crate::{CaError, Serial, checks, pem};

/// The mode of private keys.
pub(crate) const PRIVATE: u32 = 0o640;
/// The mode of all other files.
pub(crate) const PUBLIC: u32 = 0o644;
/// The mode of the lock: owner and group may change files.
const LOCK: u32 = 0o660;
/// The mode of directories.
pub(crate) const DIRECTORY: u32 = 0o755;
/// The mode of directories of keys.
pub(crate) const PRIVATE_DIRECTORY: u32 = 0o750;

/// The right to change files of the directory: no other process or thread has it at the same time.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) paths: &'a CaPaths,
    _lock: Lock,
}

impl CaPaths {
    /// Waits for the right to change files.
    pub(crate) fn writer(&self) -> Result<Writer<'_>, CaError> {
        let path = self.lock();
        // An administrator's command must not leave a lock that the service can't open.
        durable::touch(&path, LOCK).map_err(CaError::io(&path))?;
        let lock = Lock::acquire(&path).map_err(|error| match error {
            LockError::Open(source) | LockError::Lock(source) => CaError::Io { path, source },
        })?;
        Ok(Writer { paths: self, _lock: lock })
    }

    /// Returns the file of a certificate; none if the name can't be that of a file.
    pub(crate) fn signed_file(&self, name: &str) -> Option<PathBuf> {
        checks::is_file_name(name).then(|| self.signed.join(format!("{name}.pem")))
    }

    /// Returns the file of a request; none if the name can't be that of a file.
    pub(crate) fn request_file(&self, name: &str) -> Option<PathBuf> {
        checks::is_file_name(name).then(|| self.requests.join(format!("{name}.pem")))
    }

    pub(crate) fn has_signed(&self, name: &str) -> bool {
        self.signed_file(name).is_some_and(|path| files::is_file(&path))
    }

    pub(crate) fn has_request(&self, name: &str) -> bool {
        self.request_file(name).is_some_and(|path| files::is_file(&path))
    }

    /// Returns the names of the infrastructure nodes.
    pub(crate) fn infra_names(&self) -> Result<Vec<String>, CaError> {
        let bytes = pem::read_if_present(&self.infra_nodes)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
        Ok(names.map(str::to_owned).collect())
    }
}

/// Returns the names of the `.pem` files in a directory, sorted; none if there is no directory.
pub(crate) fn names(directory: &Path) -> Result<Vec<String>, CaError> {
    if !files::is_directory(directory) {
        return Ok(Vec::new());
    }
    let entries = files::names(directory).map_err(CaError::io(directory))?;
    let names = entries.iter().filter_map(|entry| entry.to_str()?.strip_suffix(".pem"));
    let mut names: Vec<String> =
        names.filter(|name| checks::is_file_name(name)).map(str::to_owned).collect();
    names.sort_unstable();
    Ok(names)
}

impl Writer<'_> {
    pub(crate) fn public(&self, path: &Path, content: &[u8]) -> Result<(), CaError> {
        write(path, content, PUBLIC)
    }

    /// Takes the next serial number. The file is changed first: a crash wastes a number and never gives it twice.
    pub(crate) fn take_serial(&self) -> Result<Serial, CaError> {
        let path = &self.paths.serial;
        let text = pem::read(path)?;
        let text = str::from_utf8(&text).unwrap_or_default().trim();
        let serial = Serial::from_hex(text).ok_or_else(|| {
            CaError::file(path, "it is no hexadecimal number of at most 159 bits")
        })?;
        self.public(path, serial.next().to_hex().as_bytes())?;
        Ok(serial)
    }

    pub(crate) fn append(&self, path: &Path, line: &str) -> Result<(), CaError> {
        durable::append_line(path, line, PUBLIC).map_err(CaError::io(path))
    }

    pub(crate) fn remove(&self, path: &Path) -> Result<bool, CaError> {
        durable::remove(path).map_err(CaError::io(path))
    }
}

/// Replaces a file, and makes the directory that it is in.
pub(crate) fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), CaError> {
    if let Some(parent) = path.parent() {
        let directory_mode = if mode == PRIVATE { PRIVATE_DIRECTORY } else { DIRECTORY };
        directory(parent, directory_mode)?;
    }
    durable::replace(path, content, mode).map_err(CaError::io(path))
}

pub(crate) fn directory(path: &Path, mode: u32) -> Result<(), CaError> {
    durable::directory(path, mode).map_err(CaError::io(path))
}
