//! The body that an ICAP client sends: a preview, and the rest if it is asked for.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncWriteExt as _;

use super::server::AskingProxy;
use crate::body::{BodyError, BodySource, NextPiece};
use crate::wire::{Chunks, Decoder, Extensions, Input, WireError};

/// The number of bytes of an unwanted body that are read.
const DRAIN: usize = 1 << 20;
/// The number of bytes of a body after which other connections of the thread have their turn.
const TURN: usize = 256 << 10;

/// A body that an ICAP client sends.
pub(super) struct SentBody<'c> {
    pub(super) stream: &'c mut AskingProxy,
    input: &'c mut Input,
    decoder: Decoder,
    stage: Stage,
    time: Duration,
    /// The number of bytes since other connections had their turn.
    n_bytes: usize,
}

/// The part of the body that is read now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The preview.
    Preview,
    /// All of it, without a preview.
    Whole,
    /// The rest behind the preview.
    Rest,
    /// Everything was read.
    Done,
}

impl<'c> SentBody<'c> {
    pub(super) fn new(
        stream: &'c mut AskingProxy,
        input: &'c mut Input,
        preview: Option<u64>,
        time: Duration,
    ) -> Self {
        let stage = if preview.is_some() { Stage::Preview } else { Stage::Whole };
        Self { stream, input, decoder: decoder(), stage, time, n_bytes: 0 }
    }

    /// Marks that the message has no body.
    pub(super) fn none(mut self) -> Self {
        self.stage = Stage::Done;
        self
    }

    /// Whether the client was asked for more than the preview.
    pub(super) fn has_continued(&self) -> bool {
        self.stage == Stage::Rest
    }

    /// Reads the next part; asks for the rest behind the preview.
    pub(super) async fn read_next(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            if self.stage == Stage::Done {
                return Ok(None);
            }
            if self.n_bytes >= TURN {
                self.n_bytes = 0;
                tokio::task::yield_now().await;
            }
            if let Some(bytes) = self.piece().await? {
                self.n_bytes += bytes.len();
                return Ok(Some(bytes));
            }
            self.end_part().await?;
        }
    }

    /// Goes on behind a part that was read: asks for the rest behind the preview, if there is one.
    async fn end_part(&mut self) -> Result<(), BodyError> {
        if self.stage != Stage::Preview || is_ieof(&self.decoder) {
            self.stage = Stage::Done;
            return Ok(());
        }
        self.decoder = decoder();
        self.stage = Stage::Rest;
        let text = b"ICAP/1.0 100 Continue\r\n\r\n";
        Ok(self.stream.write_all(text).await.map_err(WireError::Io)?)
    }

    /// Asks for everything behind the preview, which must come before an answer begins that has the body in it; returns
    /// what was left of the preview.
    pub(super) async fn want_all(&mut self) -> Result<Vec<u8>, BodyError> {
        let mut left = Vec::new();
        while self.stage == Stage::Preview {
            match self.piece().await? {
                Some(bytes) if left.len() + bytes.len() > DRAIN => return Err(BodyError::TooLarge),
                Some(bytes) => left.extend_from_slice(&bytes),
                None => self.end_part().await?,
            }
        }
        Ok(left)
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, BodyError> {
        let next = self.input.body(&mut *self.stream, &mut self.decoder);
        let timed_out = |_| WireError::Io(std::io::ErrorKind::TimedOut.into());
        Ok(tokio::time::timeout(self.time, next).await.map_err(timed_out)??)
    }

    /// Reads the preview to its end; returns whether the connection is at the end of the message then.
    pub(super) async fn finish_preview(&mut self) -> Result<bool, BodyError> {
        match self.stage {
            Stage::Done => Ok(true),
            Stage::Whole | Stage::Rest => {
                // A client that still sends would not read the answer.
                let mut n_left = DRAIN;
                while let Some(bytes) = self.piece().await? {
                    n_left = n_left.saturating_sub(bytes.len());
                    if n_left == 0 {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Stage::Preview => {
                while self.piece().await?.is_some() {}
                Ok(true)
            }
        }
    }
}

fn decoder() -> Decoder {
    Decoder::Chunks(Chunks::new(Extensions::Icap))
}

fn is_ieof(decoder: &Decoder) -> bool {
    matches!(decoder, Decoder::Chunks(chunks) if chunks.is_ieof)
}

impl BodySource for &mut SentBody<'_> {
    fn next(&mut self) -> NextPiece<'_> {
        Box::pin(self.read_next())
    }
}
