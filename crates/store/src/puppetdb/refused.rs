//! Commands that PuppetDB refused, each in a file: a line of the archive that `kukla store import` reads.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kukla_world::{durable, files, tree, write};
use serde_json::{Value, json};

use crate::queue::record::Unread;
use crate::{StoreError, time};

/// The most files, and the most bytes of them: the oldest are removed.
const MOST_FILES: usize = 1000;
const MOST_BYTES: u64 = 256 << 20;
/// The end of their names.
const SUFFIX: &str = ".json";

/// A command that PuppetDB refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCommand {
    /// Its name.
    pub command: String,
    /// The node.
    pub node: String,
    /// When its producer made it, in milliseconds since 1970.
    pub time: i64,
    /// The server that refused it.
    pub server: String,
    /// The status of the answer.
    pub status: u16,
    /// The answer.
    pub words: String,
}

impl RefusedCommand {
    pub(super) fn new(record: &Unread, server: String, status: u16, words: String) -> Self {
        let Unread { name, node, time, .. } = record;
        Self { command: name.clone(), node: node.clone(), time: *time, server, status, words }
    }
}

/// The directory of refused commands.
#[derive(Debug)]
pub struct RefusedFiles {
    directory: PathBuf,
    next: AtomicU64,
}

impl RefusedFiles {
    /// Returns the directory beside the queue; nothing is made yet.
    pub fn beside(queue: &Path) -> Self {
        Self { directory: queue.join("refused"), next: AtomicU64::new(0) }
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the number of files and of their bytes.
    pub fn count(&self) -> Result<(usize, u64), StoreError> {
        let files = self.list().map_err(|error| self.failed("read", error))?;
        Ok((files.len(), files.iter().map(|(_, size)| size).sum()))
    }

    /// Returns the commands of the newest files, at most so many.
    pub fn newest(&self, most: usize) -> Result<Vec<RefusedCommand>, StoreError> {
        let files = self.list().map_err(|error| self.failed("read", error))?;
        let read = |(path, _): &(PathBuf, u64)| -> Option<RefusedCommand> {
            let file: Value = serde_json::from_slice(&files::read_regular(path).ok()?).ok()?;
            let text = |name: &str| file.get(name)?.as_str().map(str::to_owned);
            Some(RefusedCommand {
                command: text("command")?,
                node: text("certname")?,
                time: time::read(&text("producer_timestamp")?)?,
                server: text("server")?,
                status: u16::try_from(file.get("status")?.as_u64()?).ok()?,
                words: text("answer")?,
            })
        };
        Ok(files.iter().rev().take(most).filter_map(read).collect())
    }

    /// Sets a command aside.
    pub(super) fn keep(&self, refused: &RefusedCommand, record: &Unread) -> Result<(), StoreError> {
        self.write(refused, record).map_err(|error| self.failed("changed", error))
    }

    fn write(&self, refused: &RefusedCommand, record: &Unread) -> io::Result<()> {
        durable::directory(&self.directory, 0o700)?;
        // One that is no JSON is kept as text.
        let payload = serde_json::from_slice(&record.payload)
            .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&record.payload).into_owned()));
        let file = json!({
            "command": record.name, "version": record.version, "certname": record.node,
            "received": time::written(record.received),
            "producer_timestamp": time::written(record.time),
            "server": refused.server, "status": refused.status, "answer": refused.words,
            "payload": payload,
        });
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let name = format!("{:013}-{number:06}{SUFFIX}", time::now().max(0));
        let text = format!("{file}\n");
        self.make_room(text.len() as u64)?;
        write::private_file(&self.directory.join(name), text.as_bytes())
    }

    fn make_room(&self, n_bytes: u64) -> io::Result<()> {
        let files = self.list()?;
        let mut n_files = files.len();
        let mut total = n_bytes + files.iter().map(|(_, size)| size).sum::<u64>();
        for (path, size) in files {
            if n_files < MOST_FILES && total <= MOST_BYTES {
                break;
            }
            tree::remove(&path)?;
            n_files -= 1;
            total -= size;
        }
        Ok(())
    }

    /// Returns the files with their sizes, the oldest first.
    fn list(&self) -> io::Result<Vec<(PathBuf, u64)>> {
        if !files::is_directory(&self.directory) {
            return Ok(Vec::new());
        }
        let names = files::names(&self.directory)?;
        let mut found: Vec<(PathBuf, u64)> = names
            .iter()
            .filter(|name| name.to_string_lossy().ends_with(SUFFIX))
            .map(|name| self.directory.join(name))
            .filter_map(|path| Some((path.clone(), files::Status::of_entry(&path).ok()?.size())))
            .collect();
        found.sort();
        Ok(found)
    }

    fn failed(&self, task: &'static str, error: io::Error) -> StoreError {
        StoreError::new(self.directory.display(), task, error)
    }
}
