//! Responses on their way to a client.

use bytes::Bytes;

use super::forward_h2::Streaming;
use super::upstream::{Connection, Server};
use crate::body::{BodyError, BodySource, Held, NextPiece};
use crate::wire::{Decoder, Fields, WireError};
use std::sync::Arc;
use std::time::Duration;

/// A response on its way to a client.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The header fields without those of the connection.
    pub(super) fields: Fields,
    /// The size of the body, if it is known.
    pub(super) size: Option<u64>,
    pub(super) body: AnswerBody,
    /// Whether the rest of the request was not read, so that the connection can't be used again.
    pub(super) closes: bool,
}

/// The body of a response.
#[derive(Debug)]
pub(super) enum AnswerBody {
    /// These bytes.
    Whole(Bytes),
    /// A body that was kept, and the place of the next part.
    Kept(Box<Held<'static>>, u64),
    /// A body that arrives.
    Arriving(Box<Arriving>),
    /// A body that arrives on a connection of HTTP/2.
    Streaming(Box<Streaming>),
    /// The connections become one.
    Tunnel(Box<Connection>),
}

/// A body that arrives from a server.
#[derive(Debug)]
pub(super) struct Arriving {
    pub(super) connection: Option<Connection>,
    pub(super) server: Arc<Server>,
    pub(super) decoder: Decoder,
    /// Whether the connection can be kept when the body has ended.
    pub(super) is_reusable: bool,
    pub(super) time: Duration,
}

impl Answer {
    /// Creates a response with a text.
    pub(super) fn text(status: u16, text: &str) -> Self {
        let fields = vec![(b"Content-Type".to_vec(), b"text/plain".to_vec())];
        let size = Some(text.len() as u64);
        let body = AnswerBody::Whole(Bytes::copy_from_slice(text.as_bytes()));
        Self { status, fields, size, body, closes: false }
    }
}

impl AnswerBody {
    /// Returns the next part; `None`: the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        match self {
            Self::Whole(bytes) if bytes.is_empty() => Ok(None),
            Self::Whole(bytes) => Ok(Some(std::mem::take(bytes))),
            Self::Kept(held, offset) => {
                let piece = held.pass(*offset).await?;
                *offset += piece.as_ref().map_or(0, |bytes| bytes.len() as u64);
                Ok(piece)
            }
            Self::Arriving(arriving) => arriving.next_piece().await,
            Self::Streaming(streaming) => streaming.next_piece().await,
            Self::Tunnel(_) => Ok(None),
        }
    }

    /// Returns the next part if it has arrived already.
    pub(super) fn ready(&mut self) -> Option<Bytes> {
        match self {
            Self::Whole(bytes) if !bytes.is_empty() => Some(std::mem::take(bytes)),
            Self::Arriving(arriving) => {
                let Arriving { connection, decoder, .. } = &mut **arriving;
                match decoder.take(&mut connection.as_mut()?.input.buffer) {
                    Ok(crate::wire::Piece::Data(bytes)) => Some(bytes),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Arriving {
    /// Reads the next part; gives the connection back at the end.
    pub(super) async fn next_piece(&mut self) -> Result<Option<Bytes>, BodyError> {
        let Some(connection) = &mut self.connection else { return Ok(None) };
        let next = connection.input.body(&mut connection.stream, &mut self.decoder);
        let timed_out = |_| WireError::Io(std::io::ErrorKind::TimedOut.into());
        let piece = tokio::time::timeout(self.time, next).await.map_err(timed_out)??;
        if piece.is_none()
            && let Some(connection) = self.connection.take()
            && self.is_reusable
        {
            self.server.put(connection);
        }
        Ok(piece)
    }
}

impl BodySource for Arriving {
    fn next(&mut self) -> NextPiece<'_> {
        Box::pin(self.next_piece())
    }
}
