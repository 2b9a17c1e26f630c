//! Files that survive a crash: written beside their place, flushed to the disk and renamed, with a mode of their own.
//!
//! New files get the owner and group of their directory where the system allows it, so that an administrator's command
//! leaves files that the service can read.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The end of the name of a file that is being written.
const SUFFIX: &str = ".kukla-new";

/// Replaces a file or makes it, with a mode. A reader finds the old content or the new one, also after a crash.
pub fn replace(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let temporary = temporary_path(path)?;
    let written = write_new(&temporary, content, mode).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The error that is reported is the first one.
        let _ = fs::remove_file(&temporary);
    }
    written.and_then(|()| flush_directory(path))
}

/// Like [`replace`], but leaves a file that is there as it is; returns whether the file is new.
pub fn create(path: &Path, content: &[u8], mode: u32) -> io::Result<bool> {
    create_first(std::iter::once(path.to_owned()), content, mode).map(|created| created.is_some())
}

/// Makes a file at the first of several paths in one directory at which there is none, and returns that path; the
/// content is written once.
pub fn create_first(
    paths: impl IntoIterator<Item = PathBuf>,
    content: &[u8],
    mode: u32,
) -> io::Result<Option<PathBuf>> {
    let mut paths = paths.into_iter().peekable();
    let Some(first) = paths.peek() else { return Ok(None) };
    let temporary = temporary_path(first)?;
    let written = write_new(&temporary, content, mode);
    let placed = written.and_then(|()| first_link(&temporary, paths));
    // The error that is reported is the first one.
    let _ = fs::remove_file(&temporary);
    match placed? {
        Some(path) => flush_directory(&path).map(|()| Some(path)),
        None => Ok(None),
    }
}

/// Links a file to the first free name and returns that name. A link fails where a rename would replace the other file.
fn first_link(file: &Path, names: impl Iterator<Item = PathBuf>) -> io::Result<Option<PathBuf>> {
    for name in names {
        match fs::hard_link(file, &name) {
            Ok(()) => return Ok(Some(name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Appends a line by one call of the system, so that a killed process leaves all of it or nothing. The file is made if
/// need be; a last line without its end is ended first.
pub fn append_line(path: &Path, line: &str, mode: u32) -> io::Result<()> {
    let is_new = !path.try_exists()?;
    let mut file = OpenOptions::new().read(true).append(true).create(true).mode(mode).open(path)?;
    if is_new {
        inherit(&file, path, mode)?;
    }
    let start = if ends_inside_of_line(&mut file)? { "\n" } else { "" };
    file.write_all(format!("{start}{line}\n").as_bytes())?;
    file.sync_all()
}

/// Makes an empty file with a mode unless there is one.
pub fn touch(path: &Path, mode: u32) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(file) => inherit(&file, path, mode),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes a file and flushes its directory; returns whether there was one.
pub fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => flush_directory(path).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes a directory with a mode, and those on the way to it; one that is there stays as it is.
pub fn directory(path: &Path, mode: u32) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::create_dir(path) {
        Ok(()) => inherit(&File::open(path)?, path, mode),
        Err(_) if path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Takes permissions beyond `mode` away from a file; returns whether it had any.
pub fn restrict(path: &Path, mode: u32) -> io::Result<bool> {
    let present = fs::metadata(path)?.mode() & 0o777;
    let is_wider = present & !mode != 0;
    if is_wider {
        fs::set_permissions(path, Permissions::from_mode(present & mode))?;
    }
    Ok(is_wider)
}

/// Removes files that killed processes left in a directory. The caller holds the lock of all writers.
pub fn sweep(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().ends_with(SUFFIX) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes files older than `age` that killed processes left in a directory, whichever way they wrote them; returns their
/// number. No lock is needed: a file that is being written is younger.
pub fn sweep_stale(directory: &Path, age: Duration) -> usize {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let stale = entries.filter(|entry| is_temporary(&entry.file_name().to_string_lossy()));
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        modified.is_ok_and(|time| time.elapsed().is_ok_and(|elapsed| elapsed > age))
    };
    stale.filter(is_old).filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
}

/// Returns whether a name is one of [`replace`] or of [`write::private_file`](crate::write::private_file).
fn is_temporary(name: &str) -> bool {
    let is_hex = |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some(rest) = name.strip_prefix('.') else { return false };
    rest.strip_suffix(SUFFIX).is_some_and(is_hex)
        || rest.rsplit_once('.').is_some_and(|(_, end)| is_hex(end))
}

fn temporary_path(path: &Path) -> io::Result<PathBuf> {
    let mut suffix = [0; 8];
    getrandom::fill(&mut suffix).map_err(io::Error::other)?;
    let suffix = u64::from_le_bytes(suffix);
    Ok(path.with_file_name(format!(".{suffix:016x}{SUFFIX}")))
}

/// Writes a new file, which only its owner may read until it has its owner, group and mode.
fn write_new(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(content)?;
    inherit(&file, path, mode)?;
    file.sync_all()
}

/// Gives a file the owner and group of its directory, as far as the system allows it, and a mode.
fn inherit(file: &File, path: &Path, mode: u32) -> io::Result<()> {
    let parent = fs::metadata(directory_of(path))?;
    let present = file.metadata()?;
    if (parent.uid(), parent.gid()) != (present.uid(), present.gid()) {
        // Only the superuser can give files away.
        let _ = fchown(file, Some(parent.uid()), Some(parent.gid()));
    }
    file.set_permissions(Permissions::from_mode(mode))
}

fn flush_directory(path: &Path) -> io::Result<()> {
    File::open(directory_of(path))?.sync_all()
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn ends_inside_of_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
