//! One revision of an environment's files, and whether another one is being deployed.
//!
//! A [`Deploy`] is an index of all files, made by one walk, beside which the kernel tells of changes (inotify). A snapshot
//! that reads through the index knows nothing of files that come later, so it can go on while a deploy is under way.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kukla_world::clock::{self, Stopwatch};
use kukla_world::files::{self, Status};
use kukla_world::{Disk, Index, Indexed, SharedWorld, Watcher};

use super::watch::{Identity, SKIPPED};

/// The largest file that is read ahead.
const LARGEST: u64 = 1 << 20;
/// The most bytes that are read ahead.
const MOST_BYTES: u64 = 256 << 20;
/// How often all files are looked at where the kernel does not tell of changes, in times that a look takes.
const LOOK_SHARE: u32 = 20;
/// How often files outside of the index are looked at.
const OUTSIDE: Duration = Duration::from_secs(1);
/// The time without a change after which a deploy by r10k or g10k is over although its file does not say so.
const TOOL_QUIET: Duration = Duration::from_secs(10);
/// The age at which git's lock is one that a killed process left.
const STALE_LOCK: Duration = Duration::from_secs(600);

/// A change is seen at most so long after it was made.
const POLL: Duration = Duration::from_secs(1);

/// Files that r10k and g10k write when a deploy is done.
const TOOL_FILES: [&str; 2] = [".r10k-deploy.json", ".g10k-deploy.json"];

/// One revision of the files of an environment.
#[derive(Debug)]
pub(crate) struct Deploy {
    files: Arc<Indexed>,
    roots: Vec<(PathBuf, Option<Identity>)>,
    watcher: Option<Watcher>,
    started: SystemTime,
    walk_time: Duration,
    last_look: Mutex<[Stopwatch; 2]>,
    has_changed: AtomicBool,
    /// The files at the last look, where the kernel does not tell of changes.
    last_fingerprint: AtomicU64,
    is_read_ahead: AtomicBool,
}

impl Deploy {
    /// Indexes files and directories, which need not exist; none if there are too many.
    pub(crate) fn index(roots: &[PathBuf]) -> Option<Self> {
        let (started, stopwatch) = (clock::time_of_day(), Stopwatch::start());
        let identity = |path: &PathBuf| (path.clone(), Identity::of(path));
        let identities = roots.iter().map(identity).collect();
        let watcher = Watcher::start();
        let watched = watcher.as_ref().and_then(|watcher| {
            Index::walk(roots, &SKIPPED, &mut |directory| watcher.add(directory))
        });
        let (index, watcher) = match watched {
            Some(index) => (index, watcher),
            None => (Index::walk(roots, &SKIPPED, &mut |_| true)?, None),
        };
        let disk: SharedWorld = Arc::new(Disk);
        Some(Self {
            last_fingerprint: AtomicU64::new(index.fingerprint()),
            files: Arc::new(Indexed::new(disk, index)),
            roots: identities,
            watcher,
            started,
            walk_time: stopwatch.elapsed(),
            last_look: Mutex::new([Stopwatch::start(); 2]),
            has_changed: AtomicBool::new(false),
            is_read_ahead: AtomicBool::new(false),
        })
    }

    /// Returns the files.
    pub(crate) fn world(&self) -> SharedWorld {
        Arc::<Indexed>::clone(&self.files)
    }

    /// Returns whether the kernel tells of changes.
    pub(crate) const fn is_watched(&self) -> bool {
        self.watcher.is_some()
    }

    /// Returns the number of files and directories.
    pub(crate) fn n_entries(&self) -> usize {
        self.files.index().len()
    }

    /// Returns a number that another revision does not have.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.files.index().fingerprint()
    }

    /// Returns whether nothing had changed for some time when the walk began, and nothing has since.
    pub(crate) fn is_settled(&self, quiet: Duration) -> bool {
        let youngest = UNIX_EPOCH + self.files.index().youngest();
        let age = self.started.duration_since(youngest).unwrap_or_default();
        age >= quiet && !self.look()
    }

    /// Returns whether anything has changed since the last call; [`Deploy::has_changed`] tells it for good.
    pub(crate) fn look(&self) -> bool {
        let is_other = |(path, known): &(PathBuf, Option<Identity>)| Identity::of(path) != *known;
        let is_new = match &self.watcher {
            _ if self.roots.iter().any(is_other) => !self.has_changed(),
            Some(watcher) => !watcher.is_quiet(),
            None => self.is_due(0, self.walk_time * LOOK_SHARE) && self.is_other_revision(),
        };
        // A file elsewhere that changes all the time does not put off the end of a deploy.
        if is_new || (self.is_due(1, OUTSIDE) && self.files.has_outside_changed()) {
            self.has_changed.store(true, Ordering::Relaxed);
        }
        is_new
    }

    /// Returns whether anything has changed that [`Deploy::look`] has seen.
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Relaxed)
    }

    /// Returns whether a process has a file of it open that it has begun to write.
    pub(crate) fn is_being_written(&self) -> bool {
        self.watcher.as_ref().is_some_and(Watcher::is_writing)
    }

    /// Returns whether all answers until now were of this revision.
    pub(crate) fn is_whole(&self) -> bool {
        let has_slipped = || self.files.is_loose() && self.files.has_outside_changed();
        !self.files.is_torn() && !has_slipped()
    }

    /// Returns whether something that belongs to another revision was read.
    pub(crate) fn is_torn(&self) -> bool {
        self.files.is_torn()
    }

    /// Reads what compilations read, so that the files may go; files that they seldom read are left out.
    pub(crate) fn read_ahead(&self) {
        if self.is_read_ahead.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut n_bytes = 0;
        for (path, size) in self.files.index().files().filter(|(path, _)| is_code(path)) {
            n_bytes += size;
            if n_bytes > MOST_BYTES || (size <= LARGEST && !self.files.read_ahead(path, LARGEST)) {
                return;
            }
        }
    }

    fn is_due(&self, n: usize, time: Duration) -> bool {
        let mut looks = self.last_look.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = looks[n].elapsed() >= time;
        if is_due {
            looks[n] = Stopwatch::start();
        }
        is_due
    }

    /// Returns whether the files are others than at the last look.
    fn is_other_revision(&self) -> bool {
        let roots: Vec<PathBuf> = self.roots.iter().map(|(path, _)| path.clone()).collect();
        let now = Index::walk(&roots, &SKIPPED, &mut |_| true);
        let now = now.map_or(0, |now| now.fingerprint());
        self.last_fingerprint.swap(now, Ordering::Relaxed) != now
    }
}

/// Returns how long nothing must have changed before the files of an environment count as deployed, if the last change
/// was seen at this time.
///
/// A tool that writes a file when it is done, and has not written it yet, gets more time.
pub(crate) fn quiet_time(directory: &Path, quiet: Duration, last: SystemTime) -> Duration {
    let changed = |path: &str| {
        let status = Status::of(&directory.join(path)).ok()?;
        Some(UNIX_EPOCH + status.changed_since_1970())
    };
    let is_locked = changed(".git/index.lock").is_some_and(|lock| lock + STALE_LOCK > last);
    let is_unfinished = TOOL_FILES.iter().find_map(|name| changed(name));
    let is_unfinished = is_unfinished.is_some_and(|done| done + POLL < last);
    if is_locked || is_unfinished { TOOL_QUIET.max(quiet) } else { quiet }
}

/// Returns whether compilations read a file of this path.
fn is_code(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_served = path.contains("/files/") || path.contains("/lib/facter/");
    match extension {
        _ if path.contains("/templates/") => true,
        "pp" | "epp" | "erb" | "yaml" | "yml" | "eyaml" | "json" | "pdl" | "conf" => !is_served,
        "rb" => !is_served && !path.contains("/provider/"),
        _ => false,
    }
}

/// Returns whether a directory is there.
pub(crate) fn is_there(directory: &Path) -> bool {
    files::is_directory(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_compilations_read() {
        for path in [
            "/e/manifests/site.pp",
            "/e/modules/m/templates/a/b.conf",
            "/e/data/common.yaml",
            "/e/modules/m/lib/puppet/functions/x.rb",
        ] {
            assert!(is_code(path), "{path}");
        }
        for path in ["/e/modules/m/files/a.yaml", "/e/modules/m/lib/facter/a.rb", "/e/README.md"] {
            assert!(!is_code(path), "{path}");
        }
    }

    /// A clock that was set back: all files are of the future.
    #[test]
    fn files_of_the_future_are_never_old_enough() {
        let mut deploy = Deploy::index(&["/proc/self/fd".into()]).expect("few files");
        deploy.started = UNIX_EPOCH;
        assert!(!deploy.is_settled(Duration::from_millis(1)));
    }

    #[test]
    fn a_missing_directory_is_settled() {
        let deploy = Deploy::index(&["/nonexistent/kukla".into()]).expect("few files");
        assert!(deploy.is_settled(Duration::from_secs(1)));
        assert!(deploy.world().stamp("/nonexistent/kukla/a").is_none());
    }
}
