//! The body of a message on its way to a service.

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::call::IcapError;
use crate::body::Held;
use crate::wire::{Malformed, WireError, chunk, last_chunk};

/// The number of bytes that are sent at once.
const SEND: usize = 64 << 10;

/// The body of the message, and how much of it was sent.
pub(super) struct Original<'b, 'c> {
    pub(super) body: Option<&'b mut Held<'c>>,
    pub(super) offset: u64,
    pub(super) is_sent: bool,
}

/// Appends the original body from an offset on.
pub(super) async fn append(
    new: &mut Held<'static>,
    body: Option<&mut Held<'_>>,
    from: u64,
) -> Result<(), IcapError> {
    let Some(body) = body else { return Err(Malformed::Chunk.into()) };
    let mut at = from;
    let size = body.complete().await.map_err(IcapError::Body)?;
    if from > size {
        return Err(Malformed::Chunk.into());
    }
    while let Some(bytes) = body.read(at).await.map_err(IcapError::Body)? {
        at += bytes.len() as u64;
        new.push(bytes).await.map_err(IcapError::Answer)?;
    }
    Ok(())
}

/// Sends the body from an offset on; returns whether the service took all of it.
pub(super) async fn send_rest<W: AsyncWrite + Unpin>(
    writer: &mut W,
    body: Option<&mut Held<'_>>,
    mut offset: u64,
) -> Result<bool, IcapError> {
    let Some(body) = body else { return Ok(true) };
    let mut out = Vec::new();
    loop {
        out.clear();
        let piece: Option<Bytes> = body.read(offset).await.map_err(IcapError::Body)?;
        match &piece {
            Some(bytes) => {
                let bytes = &bytes[..bytes.len().min(SEND)];
                chunk(&mut out, bytes);
                offset += bytes.len() as u64;
            }
            None => out.extend_from_slice(last_chunk()),
        }
        // A service that has answered early may close: its answer says what that means.
        if write(writer, &out).await.is_err() {
            return Ok(false);
        }
        if piece.is_none() {
            return Ok(true);
        }
    }
}

pub(super) async fn write<W: AsyncWrite + Unpin>(
    writer: &mut W,
    bytes: &[u8],
) -> Result<(), IcapError> {
    writer.write_all(bytes).await.map_err(WireError::Io)?;
    writer.flush().await.map_err(|error| WireError::Io(error).into())
}

pub(super) fn is_closed(error: &IcapError) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    match error {
        IcapError::Wire(WireError::Io(error)) => {
            matches!(error.kind(), BrokenPipe | ConnectionReset | ConnectionAborted)
        }
        _ => false,
    }
}
