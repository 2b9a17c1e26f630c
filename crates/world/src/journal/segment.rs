//! Segments of a journal: files of records, each behind a head with its number, its length and its checksum.
//!
//! A head has a checksum of its own, and begins with bytes that no text in UTF-8 has. So damage in a segment costs the
//! records that it hits: reading goes on at the next head, whose number says how many are lost.

mod head;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use head::Head;

/// The end of the names of segments.
const SUFFIX: &str = "segment";

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
    /// Where records begin; none for one that is damaged.
    places: Vec<Option<u64>>,
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
        while at < length {
            let number = u32::try_from(places.len()).map_err(io::Error::other)?;
            match head::read(&file, at, length)?.filter(|head| head.number == number) {
                Some(head) if head.is_whole(&file, at)? => {
                    places.push(Some(at));
                    at = head.end(at);
                }
                _ => {
                    let Some((next, head)) = head::next(&file, at + 1, length)? else { break };
                    let Some(n_lost) = head.number.checked_sub(number) else { break };
                    // A record is no smaller than its head.
                    if u64::from(n_lost) > (next - at) / head::SIZE {
                        break;
                    }
                    places.extend((0..n_lost).map(|_| None));
                    at = next;
                }
            }
        }
        let is_torn = at < length && file.set_len(at).is_err();
        Ok(Self { path: path.to_owned(), file, first, n_bytes: at, is_torn, places })
    }

    /// Returns the number behind that of the last record.
    pub(super) fn end(&self) -> u64 {
        self.first + self.places.len() as u64
    }

    /// Returns where a record begins; nothing if it is damaged.
    pub(super) fn place(&self, number: u64) -> Option<u64> {
        let index = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        self.places.get(index).copied().flatten()
    }

    /// Returns the number of bytes of records with smaller numbers.
    pub(super) fn bytes_before(&self, number: u64) -> u64 {
        if number >= self.end() {
            return self.n_bytes;
        }
        if number <= self.first { 0 } else { self.place(number).unwrap_or(0) }
    }

    /// Appends a record; returns the number of bytes that it takes.
    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<u64> {
        let number = u32::try_from(self.places.len()).map_err(io::Error::other)?;
        let mut bytes = Head::of(record, number)?.written().to_vec();
        bytes.extend(record);
        if let Err(error) = self.file.write_all(&bytes) {
            // A full disk leaves a part of the record, behind which no other must stand.
            self.is_torn = self.file.set_len(self.n_bytes).is_err();
            return Err(error);
        }
        self.places.push(Some(self.n_bytes));
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
    let Some(head) = head::read(file, at, length)? else { return Ok(None) };
    head.content(file, at)
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
        for cut in super::head::SIZE as usize + 5..whole.len() {
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
            let journal = Journal::open(&path).expect("opened");
            let is_first = at < whole.len() - super::head::SIZE as usize - b"second".len();
            // A damaged end can't be told from a torn one.
            assert_eq!(journal.range(), if is_first { (0, 2) } else { (0, 1) }, "byte {at}");
            if is_first {
                assert_eq!(journal.read(0).expect("read"), None);
                assert_eq!(journal.read(1).expect("read"), Some(b"second".to_vec()));
            }
        }
        std::fs::remove_dir_all(&path).expect("removed");
    }

    #[test]
    fn damage_costs_the_records_that_it_hits() {
        let path = directory("damage");
        // Records of several sizes, one of them larger than what is searched at once.
        let contents: Vec<Vec<u8>> =
            (0..40_u8).map(|n| vec![n; 1 + usize::from(n) * usize::from(n) * 90]).collect();
        let segment = {
            let journal = Journal::open(&path).expect("opened");
            for content in &contents {
                journal.append(content).expect("written");
            }
            super::paths(&path).expect("listed").remove(0)
        };
        let whole = std::fs::read(&segment).expect("read");
        let mut ends = vec![0];
        for content in &contents {
            ends.push(ends[ends.len() - 1] + super::head::SIZE as usize + content.len());
        }
        let mut seed = 7_usize;
        for _ in 0..30 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let from = (seed >> 20) % (whole.len() - 1);
            let to = (from + 1 + (seed >> 40) % 90_000).min(whole.len());
            let mut damaged = whole.clone();
            damaged[from..to].fill(0xFF);
            std::fs::write(&segment, &damaged).expect("written");
            let journal = Journal::open(&path).expect("opened");
            let is_hit = |n: usize| from < ends[n + 1] && to > ends[n];
            let last = (0..contents.len()).rfind(|n| !is_hit(*n)).expect("one is left");
            assert_eq!(journal.range(), (0, last as u64 + 1), "{from} to {to}");
            for (n, content) in contents.iter().enumerate().take(last + 1) {
                let read = journal.read(n as u64).expect("read");
                match is_hit(n) && damaged[ends[n]..ends[n + 1]] != whole[ends[n]..ends[n + 1]] {
                    true => assert_eq!(read, None, "{n} of {from} to {to}"),
                    false => assert_eq!(read.as_ref(), Some(content), "{n} of {from} to {to}"),
                }
            }
            assert_eq!(journal.append(b"new").expect("written"), last as u64 + 1);
        }
        std::fs::remove_dir_all(&path).expect("removed");
    }
}
