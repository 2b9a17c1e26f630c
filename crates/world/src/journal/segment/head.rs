//! Heads of records: a mark, the number of the record within its segment, the length and the checksum of its content, and
//! the checksum of the head.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::super::MOST_RECORD;

/// The number of bytes of a head.
pub(super) const SIZE: u64 = 20;
/// The first bytes of a head. Records are texts, and no text in UTF-8 has these.
const MARK: [u8; 4] = [0xFF, 0xFE, b'k', 0xFD];
/// The number of bytes that are searched for a head at once.
const WINDOW: usize = 64 << 10;

/// A head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The number of the record within its segment, from 0.
    pub(super) number: u32,
    length: u32,
    checksum: u32,
}

impl Head {
    /// Returns the head of a record.
    pub(super) fn of(record: &[u8], number: u32) -> io::Result<Self> {
        let length = u32::try_from(record.len()).map_err(io::Error::other)?;
        Ok(Self { number, length, checksum: checksum(record) })
    }

    pub(super) fn written(self) -> [u8; SIZE as usize] {
        let Self { number, length, checksum: content } = self;
        let mut bytes = [0; SIZE as usize];
        bytes[..4].copy_from_slice(&MARK);
        bytes[4..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        bytes[12..16].copy_from_slice(&content.to_le_bytes());
        let own = checksum(&bytes[..16]);
        bytes[16..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// Reads a head from bytes that begin with it.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let is_valid = bytes.starts_with(&MARK) && number(16)? == checksum(&bytes[..16]);
        let head = Self { number: number(4)?, length: number(8)?, checksum: number(12)? };
        (is_valid && head.length as usize <= MOST_RECORD).then_some(head)
    }

    /// Returns where the record ends whose head begins at a place.
    pub(super) fn end(self, at: u64) -> u64 {
        at + SIZE + u64::from(self.length)
    }

    /// Reads the content of a record; nothing if it is not whole.
    pub(super) fn content(self, file: &File, at: u64) -> io::Result<Option<Vec<u8>>> {
        if self.end(at) > file.metadata()?.len() {
            return Ok(None);
        }
        let mut record = vec![0; self.length as usize];
        file.read_exact_at(&mut record, at + SIZE)?;
        Ok((checksum(&record) == self.checksum).then_some(record))
    }

    /// Returns whether the content of a record is whole.
    pub(super) fn is_whole(self, file: &File, at: u64) -> io::Result<bool> {
        Ok(self.content(file, at)?.is_some())
    }
}

/// Reads the head at a place; nothing if there is none.
pub(super) fn read(file: &File, at: u64, length: u64) -> io::Result<Option<Head>> {
    if at + SIZE > length {
        return Ok(None);
    }
    let mut bytes = [0; SIZE as usize];
    file.read_exact_at(&mut bytes, at)?;
    Ok(Head::parse(&bytes))
}

/// Returns the next record from a place on that is whole.
pub(super) fn next(file: &File, from: u64, length: u64) -> io::Result<Option<(u64, Head)>> {
    let mut at = from;
    let mut window = vec![0; WINDOW];
    while at + SIZE <= length {
        let n_bytes = usize::try_from(length - at).unwrap_or(WINDOW).min(WINDOW);
        file.read_exact_at(&mut window[..n_bytes], at)?;
        for offset in memchr::memmem::find_iter(&window[..n_bytes], &MARK) {
            let place = at + offset as u64;
            if let Some(head) = read(file, place, length)?
                && head.is_whole(file, place)?
            {
                return Ok(Some((place, head)));
            }
        }
        if n_bytes < WINDOW {
            break;
        }
        // A mark may lie across the border.
        at += (WINDOW - MARK.len() + 1) as u64;
    }
    Ok(None)
}

/// Returns the checksum of bytes, by which torn and damaged ones are known.
fn checksum(bytes: &[u8]) -> u32 {
    // FNV-1a on words of eight bytes: errors of a disk are no attack.
    let mut state: u64 = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    for word in bytes.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        state = (state ^ u64::from_le_bytes(padded)).wrapping_mul(0x0100_0000_01b3);
        state ^= state >> 29;
    }
    u32::try_from(state >> 32).unwrap_or_default()
}
