//! One content of the bucket on disk.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::agents::durable;

/// The most bytes of `paths`; a path beyond that is refused.
const MOST_PATHS: u64 = 1 << 20;

/// The directory of one content.
#[derive(Debug)]
pub(super) struct Slot(PathBuf);

impl Slot {
    /// Returns the directory of a checksum, which the caller has checked.
    pub(super) fn new(bucket: &Path, sum: &str) -> Self {
        let levels = sum.chars().take(8).map(String::from);
        let mut path = bucket.to_owned();
        path.extend(levels);
        path.push(sum);
        Self(path)
    }

    pub(super) fn contents(&self) -> PathBuf {
        self.0.join("contents")
    }

    fn paths(&self) -> PathBuf {
        self.0.join("paths")
    }

    pub(super) fn exists(&self) -> bool {
        self.contents().is_file()
    }

    /// Opens the content; returns its length too.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        let file = File::open(self.contents())?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }

    /// Returns whether the content was stored for a path.
    pub(super) fn has_path(&self, path: &str) -> bool {
        File::open(self.paths()).is_ok_and(|file| is_listed(file, path))
    }

    /// Stores a content and a path. Processes that store the same content wait for each other.
    pub(super) fn store(&self, content: &[u8], path: Option<&str>) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o770).create(&self.0)?;
        let mut options = OpenOptions::new();
        let mut paths =
            options.read(true).append(true).create(true).mode(0o640).open(self.paths())?;
        paths.lock()?;
        match self.is_same(content) {
            true => File::open(self.contents())?.set_modified(SystemTime::now())?,
            false => durable::replace(&self.contents(), 0o440, content)?,
        }
        if let Some(path) = path.filter(|path| !is_listed(&paths, path)) {
            if paths.metadata()?.len() > MOST_PATHS {
                return Err(io::Error::other("too many paths have this content"));
            }
            paths.seek(SeekFrom::End(0))?;
            paths.write_all(format!("{path}\n").as_bytes())?;
            paths.sync_data()?;
        }
        Ok(())
    }

    /// Returns whether the content on disk is this one; a backup that is damaged is not.
    fn is_same(&self, content: &[u8]) -> bool {
        let path = self.contents();
        let has_length =
            fs::metadata(&path).is_ok_and(|status| status.len() == content.len() as u64);
        has_length && fs::read(&path).is_ok_and(|bytes| bytes == content)
    }
}

fn is_listed(file: impl io::Read, path: &str) -> bool {
    let lines = BufReader::new(file.take(2 * MOST_PATHS)).split(b'\n');
    lines.map_while(Result::ok).any(|line| line == path.as_bytes())
}
