//! Texts that are compressed once and sent many times, each time with other words in the middle.
//!
//! A stream of gzip may consist of blocks that were compressed apart from each other: what comes before the words, the
//! words as they are, and what comes behind them.

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use super::exchange::RouteError;

/// The head of a stream of gzip: its mark, deflate, no names, no time, an unknown system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff];
/// The longest text that a block has which is not compressed.
const MOST_STORED: usize = 0xffff;

/// A text without its middle.
#[derive(Debug)]
pub(super) struct Packed {
    front: PackedPiece,
    rest: PackedPiece,
}

/// A part of a text, compressed.
#[derive(Debug)]
struct PackedPiece {
    bytes: Box<[u8]>,
    crc: Crc,
}

impl Packed {
    /// Compresses both ends of a text; nothing if that fails.
    pub(super) fn new(front: &str, rest: &str) -> Option<Self> {
        let front = PackedPiece::new(front, FlushCompress::Sync)?;
        Some(Self { front, rest: PackedPiece::new(rest, FlushCompress::Finish)? })
    }

    /// Returns the number of bytes that it takes.
    pub(super) fn n_bytes(&self) -> usize {
        self.front.bytes.len() + self.rest.bytes.len() + size_of::<Self>()
    }

    /// Returns the length of the text with a middle of so many bytes.
    pub(super) fn text_length(&self, n_middle: usize) -> usize {
        self.front.n_bytes() + n_middle + self.rest.n_bytes()
    }

    /// Returns the text with a middle, as a stream of gzip; nothing if the middle is too long.
    pub(super) fn gzip(&self, middle: &str) -> Option<Vec<u8>> {
        let length = u16::try_from(middle.len()).ok().filter(|_| middle.len() <= MOST_STORED)?;
        let Self { front, rest } = self;
        let mut crc = Crc::new();
        crc.update(middle.as_bytes());
        let mut whole = Crc::new();
        [&front.crc, &crc, &rest.crc].into_iter().for_each(|part| whole.combine(part));
        let n_bytes = self.n_bytes() + middle.len() + 32;
        let mut out = Vec::with_capacity(n_bytes);
        out.extend(HEAD);
        out.extend_from_slice(&front.bytes);
        // A block that is neither the last nor compressed.
        out.push(0);
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend_from_slice(middle.as_bytes());
        out.extend_from_slice(&rest.bytes);
        out.extend(whole.sum().to_le_bytes());
        out.extend(whole.amount().to_le_bytes());
        Some(out)
    }

    /// Returns the text with a middle.
    pub(super) fn text(&self, middle: &str) -> Result<Vec<u8>, RouteError> {
        let mut out = Vec::with_capacity(self.text_length(middle.len()) + 64);
        self.front.read(&mut out)?;
        out.extend_from_slice(middle.as_bytes());
        self.rest.read(&mut out)?;
        Ok(out)
    }
}

impl PackedPiece {
    fn new(text: &str, flush: FlushCompress) -> Option<Self> {
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        let mut compress = Compress::new(Compression::fast(), false);
        let mut out = Vec::with_capacity(text.len() / 8 + 64);
        loop {
            let n_read = usize::try_from(compress.total_in()).ok()?;
            let status =
                compress.compress_vec(text.as_bytes().get(n_read..)?, &mut out, flush).ok()?;
            let is_done = match flush {
                FlushCompress::Finish => status == Status::StreamEnd,
                // A flush is over if there is room left.
                _ => compress.total_in() == text.len() as u64 && out.len() < out.capacity(),
            };
            if is_done {
                return Some(Self { bytes: out.into_boxed_slice(), crc });
            }
            out.reserve(out.capacity());
        }
    }

    fn n_bytes(&self) -> usize {
        self.crc.amount() as usize
    }

    /// Appends the text.
    fn read(&self, out: &mut Vec<u8>) -> Result<(), RouteError> {
        let end = out.len() + self.n_bytes();
        out.reserve(self.n_bytes() + 64);
        let mut decompress = Decompress::new(false);
        let read = decompress.decompress_vec(&self.bytes, out, FlushDecompress::Sync);
        match read.is_ok() && out.len() == end {
            true => Ok(()),
            false => Err(RouteError::Failed("a catalog in memory is damaged".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_text_is_the_same_with_and_without_gzip() {
        let long: String = (0..40_000).map(|n| format!("resource {n} of {}\n", n * n)).collect();
        for (front, rest) in [("", ""), ("a", "b"), ("{\"tags\":[]", &*long), (&*long, &*long)] {
            let packed = Packed::new(front, rest).expect("compressed");
            for middle in ["", "x", "a middle of another length each time", &long[..65_535]] {
                let expected = format!("{front}{middle}{rest}");
                assert_eq!(packed.text_length(middle.len()), expected.len());
                assert_eq!(packed.text(middle), Ok(expected.clone().into_bytes()));
                let bytes = packed.gzip(middle).expect("short");
                let mut text = String::new();
                let mut decoder = flate2::read::GzDecoder::new(&*bytes);
                decoder.read_to_string(&mut text).expect("valid");
                assert_eq!(text, expected);
                assert!(decoder.into_inner().is_empty());
            }
            assert_eq!(packed.gzip(&long[..65_536]), None);
        }
    }
}
