//! Bytes in memory up to a bound, and then in a file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use rustix::fs::{Mode, OFlags};

/// The number of bytes that are read from the file at once.
const READ: usize = 64 << 10;

/// Bytes in memory up to a bound, and then in a file without a name: `[0, n_filed)` is in the file.
#[derive(Debug)]
pub(super) struct Spool {
    /// Parts in memory with their offsets.
    pieces: Vec<(u64, Bytes)>,
    file: Option<Arc<File>>,
    n_filed: u64,
    len: u64,
    memory: usize,
    folder: PathBuf,
}

impl Spool {
    pub(super) fn new(memory: usize, folder: PathBuf) -> Self {
        Self { pieces: Vec::new(), file: None, n_filed: 0, len: 0, memory, folder }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Appends bytes in memory; [`Self::flush`] keeps the bound.
    pub(super) fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            let start = self.len;
            self.len += bytes.len() as u64;
            self.pieces.push((start, bytes));
        }
    }

    /// Moves parts to the file if there are too many. It can be cancelled: a part is written again to its place.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        let n_in_memory = self.len - self.n_filed;
        if n_in_memory <= self.memory as u64 {
            return Ok(());
        }
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(unnamed(&self.folder)?))),
        };
        let pieces = self.pieces.clone();
        let write = move || pieces.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at));
        tokio::task::spawn_blocking(write).await.map_err(io::Error::other)??;
        self.n_filed = self.len;
        self.pieces.clear();
        Ok(())
    }

    /// Returns bytes at an offset, at least one; the offset lies before the end.
    pub(super) async fn read(&self, offset: u64) -> io::Result<Bytes> {
        if offset >= self.n_filed {
            let after = self.pieces.partition_point(|(start, _)| *start <= offset);
            let missing = || io::Error::other("a part of the body is missing");
            let (start, bytes) =
                after.checked_sub(1).map(|at| &self.pieces[at]).ok_or_else(missing)?;
            let skip = usize::try_from(offset - start).map_err(io::Error::other)?;
            return Ok(bytes.slice(skip..));
        }
        let file = self.file.clone().ok_or_else(|| io::Error::other("there is no file"))?;
        let length = usize::try_from(self.n_filed - offset).unwrap_or(READ).min(READ);
        let read = move || {
            let mut bytes = vec![0; length];
            file.read_exact_at(&mut bytes, offset).map(|()| Bytes::from(bytes))
        };
        tokio::task::spawn_blocking(read).await.map_err(io::Error::other)?
    }
}

/// Creates a file without a name: it is gone when it is closed, also if the process is killed.
pub(crate) fn unnamed(folder: &std::path::Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR)?;
    Ok(File::from(file))
}
