//! Writing to the machine's disk, for caches and serialized trees.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Writes a file that only its owner may read, so that a reader finds the old content or the new one and never half of
/// it; directories on the way are made.
pub fn private_file(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        directories(directory)?;
    }
    let mut suffix = [0; 8];
    getrandom::fill(&mut suffix).map_err(io::Error::other)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{:016x}", u64::from_le_bytes(suffix)));
    let written = new_private_file(&temporary).and_then(|mut file| file.write_all(content));
    let placed = written.and_then(|()| fs::rename(&temporary, path));
    if placed.is_err() {
        // The error that is reported is the first one.
        let _ = fs::remove_file(&temporary);
    }
    placed
}

/// Replaces a file by way of `temporary`, a path on the same file system: a reader finds the old content or the new one.
/// A `temporary` that a killed process left is overwritten.
pub fn replace(path: &Path, temporary: &Path, content: &[u8]) -> io::Result<()> {
    fs::write(temporary, content)?;
    fs::rename(temporary, path)
}

/// Makes a directory, and those on the way to it, unless it is there.
pub fn directories(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Makes a file, and the directories on the way to it, unless it is there; in any case only its owner may read it. A
/// link in its place is an error.
pub fn keep_private(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        directories(directory)?;
    }
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(io::Error::other("it is a symbolic link, which is not followed"));
    }
    let nofollow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.custom_flags(nofollow).open(path)?;
    let mode = file.metadata()?.permissions().mode();
    match mode & 0o077 {
        0 => Ok(()),
        _ => file.set_permissions(Permissions::from_mode(mode & 0o700)),
    }
}

/// Creates a file that only its owner may read; one that is there already is an error.
pub fn new_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}
