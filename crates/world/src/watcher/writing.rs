//! Files that a process is writing, from the kernel's reports.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::fs::inotify::{Event, ReadFlags, Reader};

use crate::clock::Stopwatch;

/// A file that stays open for so long without a write no longer counts: a log, or an editor's swap file.
const LONGEST: Duration = Duration::from_secs(60);
/// The most files that are remembered; a tool that deploys has one or a few open.
const MOST_FILES: usize = 4096;
/// The most reports that one call reads, so that a busy writer does not keep the caller.
const MOST_REPORTS: usize = 1 << 16;

/// Files that were written and not closed, by the number of their directory and their name.
#[derive(Default, Debug)]
pub(super) struct Writing {
    files: BTreeMap<(i32, CString), Stopwatch>,
}

impl Writing {
    /// Reads what the kernel has reported; returns whether that was nothing.
    ///
    /// The end of writing alone is no news: what was written was reported before.
    pub(super) fn read(&mut self, events: &OwnedFd) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = Reader::new(events, &mut buffer);
        let mut is_quiet = true;
        for _ in 0..MOST_REPORTS {
            // An error other than "nothing there" is news too: the caller then looks at the files themselves.
            match reader.next() {
                Ok(event) => is_quiet &= !self.add(&event),
                Err(error) => return is_quiet && error == rustix::io::Errno::AGAIN,
            }
        }
        false
    }

    /// Takes one report; returns whether something has changed.
    fn add(&mut self, event: &Event<'_>) -> bool {
        let flags = event.events();
        if let Some(name) = event.file_name() {
            let key = (event.wd(), name.to_owned());
            let ends = ReadFlags::CLOSE_WRITE | ReadFlags::DELETE | ReadFlags::MOVED_FROM;
            if flags.intersects(ends) {
                self.files.remove(&key);
            } else if flags.contains(ReadFlags::MODIFY) && self.files.len() < MOST_FILES {
                self.files.insert(key, Stopwatch::start());
            }
        }
        // Reports were lost, and with them perhaps the ends.
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            self.files.clear();
        }
        // The directory is gone: the end of writing is not reported.
        if flags.contains(ReadFlags::IGNORED) {
            self.files.retain(|(directory, _), _| *directory != event.wd());
        }
        !(flags - ReadFlags::CLOSE_WRITE).is_empty()
    }

    /// Returns whether a file is being written.
    pub(super) fn is_open(&self) -> bool {
        self.files.values().any(|since| since.elapsed() < LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use crate::Watcher;

    #[test]
    fn a_file_counts_from_its_first_write_until_it_is_closed() {
        let directory = std::env::temp_dir().join(format!("kukla-writing-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let watcher = Watcher::start().expect("a watcher");
        assert!(watcher.add(&directory));
        assert!(watcher.is_quiet() && !watcher.is_writing());
        let mut file = std::fs::File::create(directory.join("x")).expect("created");
        file.write_all(b"a").expect("written");
        assert!(!watcher.is_quiet() && watcher.is_writing());
        drop(file);
        assert!(watcher.is_quiet() && !watcher.is_writing(), "the end is no news");
        std::fs::rename(directory.join("x"), directory.join("y")).expect("renamed");
        assert!(!watcher.is_quiet() && !watcher.is_writing());
        let mut file = std::fs::File::create(directory.join("z")).expect("created");
        file.write_all(b"a").expect("written");
        assert!(!watcher.is_quiet() && watcher.is_writing());
        std::fs::remove_dir_all(directory).expect("removed");
        assert!(
            !watcher.is_quiet() && !watcher.is_writing(),
            "no file of a directory that is gone"
        );
    }
}
