//! The chunked coding.

use bytes::{Buf as _, Bytes, BytesMut};

use super::{Head, HeadLimits, Malformed};

/// The largest size of a trailer.
const TRAILER: HeadLimits = HeadLimits { size: 8 << 10, fields: 32 };
/// The longest line with the size of a chunk.
const SIZE_LINE: usize = 64;

/// Extensions of chunks that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extensions {
    /// None: a message with one is refused, because parsers disagree about where an extension ends.
    Refused,
    /// `ieof` and `use-original-body` at the last chunk.
    Icap,
}

/// A part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Some bytes.
    Data(Bytes),
    /// The end of the body.
    End,
    /// More bytes of the connection are needed.
    More,
}

/// A body in chunks that is being read.
#[derive(Clone, Debug)]
pub struct Chunks {
    extensions: Extensions,
    state: State,
    /// Whether the last chunk said that the preview is the whole body.
    pub is_ieof: bool,
    /// The place from which on the original body follows.
    pub original_from: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Size,
    Data(u64),
    DataEnd,
    Trailer,
    Done,
    /// It was malformed before, and stays so: what is behind must not be taken for another part.
    Failed(Malformed),
}

impl Chunks {
    /// Creates a reader at the start of a body.
    pub fn new(extensions: Extensions) -> Self {
        Self { extensions, state: State::Size, is_ieof: false, original_from: None }
    }

    /// Whether the end was read.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Takes the next part out of a buffer. An error is returned again by every later call.
    pub fn take(&mut self, buffer: &mut BytesMut) -> Result<Piece, Malformed> {
        let taken = self.step(buffer);
        if let Err(reason) = taken {
            self.state = State::Failed(reason);
        }
        taken
    }

    fn step(&mut self, buffer: &mut BytesMut) -> Result<Piece, Malformed> {
        loop {
            match self.state {
                State::Failed(reason) => return Err(reason),
                State::Size => {
                    let Some(line) = line(buffer, SIZE_LINE, Malformed::Chunk)? else {
                        return Ok(Piece::More);
                    };
                    self.state = match self.size(&line)? {
                        0 => State::Trailer,
                        size => State::Data(size),
                    };
                }
                State::Data(_) if buffer.is_empty() => return Ok(Piece::More),
                State::Data(left) => {
                    let length = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
                    let left = left - length as u64;
                    self.state = if left == 0 { State::DataEnd } else { State::Data(left) };
                    return Ok(Piece::Data(buffer.split_to(length).freeze()));
                }
                State::DataEnd => {
                    let start = &buffer[..buffer.len().min(2)];
                    if start != &b"\r\n"[..start.len()] {
                        return Err(Malformed::Chunk);
                    }
                    if start.len() < 2 {
                        return Ok(Piece::More);
                    }
                    buffer.advance(2);
                    self.state = State::Size;
                }
                State::Trailer => {
                    if !trailer(buffer)? {
                        return Ok(Piece::More);
                    }
                    self.state = State::Done;
                }
                State::Done => return Ok(Piece::End),
            }
        }
    }

    fn size(&mut self, line: &[u8]) -> Result<u64, Malformed> {
        let n_digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if n_digits == 0 || n_digits > 15 {
            return Err(Malformed::Chunk);
        }
        let digit = |byte: &u8| u64::from(char::from(*byte).to_digit(16).unwrap_or(0));
        let size = line[..n_digits].iter().fold(0, |sum, byte| sum << 4 | digit(byte));
        match (&line[n_digits..], self.extensions) {
            (b"", _) => (),
            (extension, Extensions::Icap) if size == 0 => self.extension(extension)?,
            _ => return Err(Malformed::Chunk),
        }
        Ok(size)
    }

    fn extension(&mut self, text: &[u8]) -> Result<(), Malformed> {
        let text = text.trim_ascii_start().strip_prefix(b";").ok_or(Malformed::Chunk)?.trim_ascii();
        if text == b"ieof" {
            self.is_ieof = true;
            return Ok(());
        }
        let digits = text.strip_prefix(b"use-original-body=").ok_or(Malformed::Chunk)?;
        let number = std::str::from_utf8(digits).ok().filter(|digits| {
            (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        self.original_from =
            Some(number.and_then(|digits| digits.parse().ok()).ok_or(Malformed::Chunk)?);
        Ok(())
    }
}

/// Takes a line without its end; `None`: it is not there yet.
fn line(
    buffer: &mut BytesMut,
    longest: usize,
    reason: Malformed,
) -> Result<Option<Bytes>, Malformed> {
    let visible = &buffer[..buffer.len().min(longest)];
    let Some(at) = memchr::memchr2(b'\r', b'\n', visible) else {
        return if buffer.len() >= longest { Err(reason) } else { Ok(None) };
    };
    match visible.get(at..at + 2) {
        Some(b"\r\n") => {
            let line = buffer.split_to(at).freeze();
            buffer.advance(2);
            Ok(Some(line))
        }
        None if visible[at] == b'\r' && buffer.len() < longest => Ok(None),
        _ => Err(reason),
    }
}

/// Takes the trailer, whose fields are checked and dropped; whether it was all there.
fn trailer(buffer: &mut BytesMut) -> Result<bool, Malformed> {
    let mut at = 0;
    loop {
        let rest = &buffer[at..];
        match memchr::memchr(b'\n', rest) {
            None if buffer.len() > TRAILER.size => return Err(Malformed::Trailer),
            None => return Ok(false),
            Some(end) => {
                at += end + 1;
                if end <= 1 {
                    break;
                }
            }
        }
    }
    let lines = buffer.split_to(at).freeze();
    let head = [b"trailer\r\n", &*lines].concat();
    Head::parse(head.into(), TRAILER).map(|_| true).map_err(|_| Malformed::Trailer)
}

/// Appends a chunk to a message.
pub fn chunk(out: &mut Vec<u8>, data: &[u8]) {
    if !data.is_empty() {
        out.extend_from_slice(format!("{:x}\r\n", data.len()).as_bytes());
        out.extend_from_slice(data);
        out.extend_from_slice(b"\r\n");
    }
}

/// Returns the end of a body in chunks.
pub fn last_chunk() -> &'static [u8] {
    b"0\r\n\r\n"
}
