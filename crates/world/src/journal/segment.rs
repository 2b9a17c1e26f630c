//! Segments of a journal: files of records, each behind its length and its checksum.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::MOST_RECORD;

/// The length of a record (4 bytes), and the checksum of its content (4 bytes).
const HEAD: u64 = 8;
/// The end of the names of segments.
const SUFFIX: &str = "journal";

/// A segment, and where its records begin.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// The number of the first record.
    pub(super) first: u64,
    pub(super) n_bytes: u64,
    /// Set if something behind the last record could not be cut off: nothing is appended.
    pub(super) is_torn: bool,
    places: Vec<u64>,
}

impl Segment {
    /// Makes an empty segment.
    pub(super) fn create(directory: &Path, first: u64) -> io::Result<Self> {
        let path = directory.join(format!("{first:016x}.{SUFFIX}"));
        let file = private(&path)?;
        File::open(directory)?.sync_all()?;
        Ok(Self { path, file, first, n_bytes: 0, is_torn: false, places: Vec::new() })
    }

    /// Reads a segment, and cuts off what is torn at its end.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let first = u64::from_str_radix(name, 16).map_err(io::Error::other)?;
        let file = OpenOptions::new().read(true).append(true).open(path)?;
        let length = file.metadata()?.len();
        let (mut places, mut at) = (Vec::new(), 0);
        while let Some(end) = end_of(&file, at, length)? {
            places.push(at);
            at = end;
        }
        let is_torn = at < length && file.set_len(at).is_err();
        Ok(Self { path: path.to_owned(), file, first, n_bytes: at, is_torn, places })
    }

    /// Returns the number behind that of the last record.
    pub(super) fn end(&self) -> u64 {
        self.first + self.places.len() as u64
    }

    /// Returns where a record begins that the segment has.
    pub(super) fn place(&self, number: u64) -> u64 {
        let index = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        self.places.get(index).copied().unwrap_or(self.n_bytes)
    }

    /// Appends a record; returns the number of bytes that it takes.
    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<u64> {
        let length = u32::try_from(record.len()).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(record.len() + 8);
        bytes.extend(length.to_le_bytes());
        bytes.extend(checksum(record).to_le_bytes());
        bytes.extend(record);
        if let Err(error) = self.file.write_all(&bytes) {
            // A full disk leaves a part of the record, behind which no other must stand.
            self.is_torn = self.file.set_len(self.n_bytes).is_err();
            return Err(error);
        }
        self.places.push(self.n_bytes);
        self.n_bytes += bytes.len() as u64;
        Ok(bytes.len() as u64)
    }
}

/// Returns the segments of a directory by the numbers of their records.
pub(super) fn paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == SUFFIX) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Opens a file for reading and appending; a new one is its owner's alone.
pub(super) fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// Reads the record at a place; nothing if it is damaged.
pub(super) fn record(file: &File, at: u64) -> io::Result<Option<Vec<u8>>> {
    let length = file.metadata()?.len();
    let Some(end) = end_of(file, at, length)? else { return Ok(None) };
    let mut record = vec![0; usize::try_from(end - at - HEAD).map_err(io::Error::other)?];
    file.read_exact_at(&mut record, at + HEAD)?;
    Ok(Some(record))
}

/// Returns the end of the record at a place; nothing if there is none, or not a whole one.
fn end_of(file: &File, at: u64, length: u64) -> io::Result<Option<u64>> {
    if at + HEAD > length {
        return Ok(None);
    }
    let mut head = [0; HEAD as usize];
    file.read_exact_at(&mut head, at)?;
    let [a, b, c, d, e, f, g, h] = head;
    let n_bytes = u32::from_le_bytes([a, b, c, d]);
    let end = at + HEAD + u64::from(n_bytes);
    if end > length || n_bytes as usize > MOST_RECORD {
        return Ok(None);
    }
    let mut record = vec![0; n_bytes as usize];
    file.read_exact_at(&mut record, at + HEAD)?;
    let is_whole = checksum(&record) == u32::from_le_bytes([e, f, g, h]);
    Ok(is_whole.then_some(end))
}

/// Returns the checksum of a record, by which a torn one is known.
fn checksum(record: &[u8]) -> u32 {
    // FNV-1a on words of eight bytes: errors of a torn write are no attack.
    let mut state: u64 = 0xcbf2_9ce4_8422_2325 ^ record.len() as u64;
    for word in record.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        state = (state ^ u64::from_le_bytes(bytes)).wrapping_mul(0x0100_0000_01b3);
        state ^= state >> 29;
    }
    u32::try_from(state >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::journal::Journal;

    fn directory(name: &str) -> std::path::PathBuf {
        let name = format!("kukla-journal-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn records_come_back_in_their_order_after_a_crash() {
        let path = directory("order");
        {
            let journal = Journal::open(&path).expect("opened");
            assert!(Journal::open(&path).is_err(), "one process at a time");
            for n in 0..10_u8 {
                let number = journal.append(&[n; 5]).expect("written");
                journal.flush(number).expect("flushed");
            }
            journal.done(4).expect("marked");
        }
        let journal = Journal::open(&path).expect("opened");
        // The segment is small, so all of its records are seen again.
        assert_eq!(journal.range(), (0, 10));
        assert_eq!(journal.read(9).expect("read"), Some(vec![9; 5]));
        journal.done(10).expect("marked");
        journal.clear().expect("cleared");
        assert_eq!(journal.waiting().bytes, 0);
        assert_eq!(journal.append(b"next").expect("written"), 10);
        assert_eq!(journal.read(10).expect("read"), Some(b"next".to_vec()));
        std::fs::remove_dir_all(&path).expect("removed");
    }

    #[test]
    fn a_torn_end_is_cut_off_and_damage_is_noticed() {
        let path = directory("torn");
        let segment = {
            let journal = Journal::open(&path).expect("opened");
            journal.append(b"first").expect("written");
            journal.append(b"second").expect("written");
            super::paths(&path).expect("listed").remove(0)
        };
        let whole = std::fs::read(&segment).expect("read");
        for cut in 14..whole.len() {
            std::fs::write(&segment, &whole[..cut]).expect("written");
            let journal = Journal::open(&path).expect("opened");
            assert_eq!(journal.range(), (0, 1), "cut at {cut}");
            assert_eq!(journal.append(b"again").expect("written"), 1);
            assert_eq!(journal.read(1).expect("read"), Some(b"again".to_vec()));
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            std::fs::write(&segment, &damaged).expect("written");
            let (_, end) = Journal::open(&path).expect("opened").range();
            assert!(end < 2, "byte {at}");
        }
        std::fs::remove_dir_all(&path).expect("removed");
    }
}
