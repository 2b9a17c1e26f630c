//! A cache of digests, so that files that did not change are not read again.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::checksum::ChecksumType;

/// Locks, so that threads rarely wait for each other.
const SHARDS: usize = 16;

/// Digests per generation of a shard. With two generations all shards hold at most 131 072 digests, about 20 MB.
const GENERATION: usize = 4096;

/// Times of file systems may count in steps of two seconds: a file that changed later than that may change again
/// without a new time, and its digest is not kept.
const STEP: Duration = Duration::from_secs(2);

/// The properties by which a file and its content are recognised. No program can set `changed` at will, so content
/// that was replaced with its old size and modification time is noticed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct DigestKey {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    checksum: ChecksumType,
}

/// Digests of files by device, inode, size and times.
#[derive(Debug, Default)]
pub(super) struct Digests {
    shards: [Mutex<Generations>; SHARDS],
}

/// A map of bounded size: when the young generation is full it becomes the old one, which is dropped.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<DigestKey, Arc<str>>,
    old: HashMap<DigestKey, Arc<str>>,
}

impl Digests {
    /// Returns the digest of a file of this status.
    pub(super) fn get(&self, status: &Metadata, checksum: ChecksumType) -> Option<Arc<str>> {
        let key = DigestKey::of(status, checksum);
        self.shard(&key, |generations| generations.get(&key))
    }

    /// Keeps a digest, unless the file may change without a sign.
    pub(super) fn keep(&self, status: &Metadata, checksum: ChecksumType, digest: &Arc<str>) {
        let key = DigestKey::of(status, checksum);
        if is_settled(status.ctime(), SystemTime::now()) {
            self.shard(&key, |generations| generations.insert(key, Arc::clone(digest)));
        }
    }

    fn shard<T>(&self, key: &DigestKey, work: impl FnOnce(&mut Generations) -> T) -> T {
        let at = usize::try_from(key.inode % SHARDS as u64).unwrap_or(0);
        work(&mut self.shards[at].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Generations {
    fn get(&mut self, key: &DigestKey) -> Option<Arc<str>> {
        if let Some(digest) = self.young.get(key) {
            return Some(Arc::clone(digest));
        }
        let digest = self.old.remove(key)?;
        self.insert(*key, Arc::clone(&digest));
        Some(digest)
    }

    fn insert(&mut self, key: DigestKey, digest: Arc<str>) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, digest);
    }
}

impl DigestKey {
    fn of(status: &Metadata, checksum: ChecksumType) -> Self {
        Self {
            device: status.dev(),
            inode: status.ino(),
            size: status.len(),
            modified: (status.mtime(), status.mtime_nsec()),
            changed: (status.ctime(), status.ctime_nsec()),
            checksum,
        }
    }
}

/// Returns whether a change at this second is so long ago that the next one has another time.
pub(super) fn is_settled(seconds: i64, now: SystemTime) -> bool {
    let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    now.duration_since(changed).is_ok_and(|age| age > STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        let mut generations = Generations::default();
        let key = |inode| DigestKey {
            device: 1,
            inode,
            size: 0,
            modified: (0, 0),
            changed: (0, 0),
            checksum: ChecksumType::Sha256,
        };
        for inode in 0..20 * GENERATION as u64 {
            generations.insert(key(inode), Arc::from("x"));
            assert!(generations.get(&key(0)).is_some(), "{inode}");
        }
        assert!(generations.young.len() + generations.old.len() <= 2 * GENERATION + 1);
    }

    #[test]
    fn fresh_files_are_not_settled() {
        let now = UNIX_EPOCH + Duration::from_secs(1000);
        assert!(is_settled(997, now) && !is_settled(998, now) && !is_settled(1001, now));
    }
}
