//! Files that are on the disk before an agent hears of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Replaces a file: after a crash there is the old content or the new one, and the new one once this returns.
pub fn replace(path: &Path, mode: u32, content: &[u8]) -> io::Result<()> {
    place(path, mode, content, |temporary| fs::rename(temporary, path))
}

/// Like [`replace`], but leaves a file that is there already as it is; returns whether the file is new.
pub fn create(path: &Path, mode: u32, content: &[u8]) -> io::Result<bool> {
    let placed = place(path, mode, content, |temporary| {
        Ok(renameat_with(CWD, temporary, CWD, path, RenameFlags::NOREPLACE)?)
    });
    match placed {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        placed => placed.map(|()| true),
    }
}

/// Writes a file under another name, gives it its own by `rename`, and waits until both are on the disk.
fn place(
    path: &Path,
    mode: u32,
    content: &[u8],
    rename: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let directory = path.parent().unwrap_or(Path::new("."));
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = directory.join(format!(".{name}.{}.{number}", std::process::id()));
    let written = write(&temporary, mode, content)
        .and_then(|()| rename(&temporary))
        .and_then(|()| File::open(directory)?.sync_all());
    if written.is_err() {
        // The error that is reported is the first one.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write(path: &Path, mode: u32, content: &[u8]) -> io::Result<()> {
    // A file of this name is the remainder of a killed process that had the same number.
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}
