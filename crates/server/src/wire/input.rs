//! Bytes of a connection that were read ahead.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::{Decoder, Head, HeadLimits, Malformed, Piece, WireError};

/// The number of bytes to ask for at once.
const READ: usize = 16 << 10;
/// The number of bytes to ask for while a message has not begun; most heads are smaller.
const FIRST: usize = 1024;

/// Bytes of a connection that were read ahead. All methods can be cancelled without losing any.
#[derive(Debug, Default)]
pub struct Input {
    /// The bytes.
    pub buffer: BytesMut,
    /// The number of bytes in which no end of a head was found.
    n_scanned: usize,
}

impl Input {
    /// Reads a head; `None`: the connection ended before it began.
    pub async fn head<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut R,
        limits: HeadLimits,
    ) -> Result<Option<Head>, WireError> {
        loop {
            if let Some(head) = self.take_head(limits)? {
                return Ok(Some(head));
            }
            // A connection that waits for a message has no buffer of its own.
            let n_read = match self.buffer.is_empty() {
                true => self.fill_first(reader).await?,
                false => self.fill(reader).await?,
            };
            if n_read == 0 {
                let is_clean = self.buffer.is_empty();
                return if is_clean { Ok(None) } else { Err(WireError::Truncated) };
            }
        }
    }

    /// Takes a head that was read whole.
    pub fn take_head(&mut self, limits: HeadLimits) -> Result<Option<Head>, Malformed> {
        let mut at = self.n_scanned;
        while let Some(found) = memchr::memchr(b'\n', &self.buffer[at..]) {
            let end = at + found + 1;
            let behind = &self.buffer[end..];
            let n_behind = match behind {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                // A first line that is empty would make everything behind it another message.
                _ if found == 0 && at == 0 => return Err(Malformed::LineEnd),
                _ => {
                    at = end;
                    continue;
                }
            };
            if end + n_behind > limits.size {
                return Err(Malformed::HeadTooLarge);
            }
            self.n_scanned = 0;
            let bytes = self.buffer.split_to(end + n_behind).freeze();
            return Head::parse(bytes, limits).map(Some);
        }
        if self.buffer.len() > limits.size {
            return Err(Malformed::HeadTooLarge);
        }
        // The last line may lack its end, and the one before it the line behind.
        self.n_scanned = at.saturating_sub(1);
        Ok(None)
    }

    /// Reads the next part of a body; `None`: its end.
    pub async fn body<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut R,
        decoder: &mut Decoder,
    ) -> Result<Option<Bytes>, WireError> {
        loop {
            match decoder.take(&mut self.buffer)? {
                Piece::Data(bytes) => return Ok(Some(bytes)),
                Piece::End => return Ok(None),
                Piece::More => {
                    if self.fill(reader).await? == 0 {
                        let is_end = decoder.ends_with_connection();
                        return if is_end { Ok(None) } else { Err(WireError::Truncated) };
                    }
                }
            }
        }
    }

    /// Reads a number of bytes.
    pub async fn exactly<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut R,
        length: usize,
    ) -> Result<Bytes, WireError> {
        while self.buffer.len() < length {
            if self.fill(reader).await? == 0 {
                return Err(WireError::Truncated);
            }
        }
        Ok(self.buffer.split_to(length).freeze())
    }

    /// Reads the first bytes of a message; 0: the connection ended.
    async fn fill_first<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut R,
    ) -> Result<usize, WireError> {
        self.buffer = BytesMut::new();
        let mut first = [0; FIRST];
        let n_read = reader.read(&mut first).await?;
        self.buffer.extend_from_slice(&first[..n_read]);
        Ok(n_read)
    }

    /// Reads what is there; 0: the connection ended.
    pub async fn fill<R: AsyncRead + Unpin>(&mut self, reader: &mut R) -> Result<usize, WireError> {
        self.buffer.reserve(READ);
        Ok(reader.read_buf(&mut self.buffer).await?)
    }
}
