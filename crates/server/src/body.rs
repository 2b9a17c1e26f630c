//! Bodies that are kept while services look at them.
//!
//! A service may fail after it has seen half of a body, and then the next service, or the server, gets the whole body
//! from its start. So what was read of a body is kept, in memory up to a bound and then in a file without a name,
//! until the exchange is over ([`Held`]). A body that no service sees is not kept at all.

mod spool;

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

use bytes::Bytes;

use crate::wire::WireError;
use spool::Spool;
pub(crate) use spool::unnamed;

/// A future of a part of a body; `None`: the end.
pub type NextPiece<'s> =
    Pin<Box<dyn Future<Output = Result<Option<Bytes>, BodyError>> + Send + 's>>;

/// Something that yields a body. The future can be cancelled without losing a part.
pub trait BodySource: Send {
    /// Reads the next part.
    fn next(&mut self) -> NextPiece<'_>;
}

/// Reason why a body can't be had.
#[derive(Debug)]
pub enum BodyError {
    /// Its sender failed.
    Wire(WireError),
    /// It is larger than the limit.
    TooLarge,
    /// The file for it can't be used.
    Spool(std::io::Error),
}

impl fmt::Display for BodyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(error) => error.fmt(out),
            Self::TooLarge => out.write_str("the body is too large"),
            Self::Spool(error) => write!(out, "the body can't be kept: {error}"),
        }
    }
}

impl std::error::Error for BodyError {}

impl From<WireError> for BodyError {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

/// Bounds of the bodies that are kept.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The number of bytes of a body in memory; more go to a file.
    pub memory: usize,
    /// The largest body.
    pub size: u64,
    /// The folder of the files.
    pub folder: PathBuf,
}

impl Default for Keep {
    fn default() -> Self {
        Self { memory: 256 << 10, size: 64 << 20, folder: std::env::temp_dir() }
    }
}

/// A body of which everything that was read is kept.
pub struct Held<'c> {
    source: Option<Box<dyn BodySource + 'c>>,
    spool: Spool,
    limit: u64,
    /// The size, if the sender said it.
    declared: Option<u64>,
}

impl fmt::Debug for Held<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Held({} bytes, whole: {})", self.spool.len(), self.is_whole())
    }
}

impl<'c> Held<'c> {
    /// Creates a body that is read from a source when it is needed.
    pub fn new(source: Box<dyn BodySource + 'c>, declared: Option<u64>, keep: &Keep) -> Self {
        let spool = Spool::new(keep.memory, keep.folder.clone());
        Self { source: Some(source), spool, limit: keep.size, declared }
    }

    /// Creates a body that is appended to.
    pub fn empty(keep: &Keep) -> Self {
        let spool = Spool::new(keep.memory, keep.folder.clone());
        Self { source: None, spool, limit: keep.size, declared: None }
    }

    /// Creates a body from bytes.
    pub fn from_bytes(bytes: Bytes, keep: &Keep) -> Self {
        let mut held = Self::empty(keep);
        held.spool.push(bytes);
        held
    }

    /// Whether all of it was read.
    pub fn is_whole(&self) -> bool {
        self.source.is_none()
    }

    /// Returns the size, if it is known.
    pub fn size(&self) -> Option<u64> {
        if self.is_whole() { Some(self.spool.len()) } else { self.declared }
    }

    /// Appends a part.
    pub async fn push(&mut self, bytes: Bytes) -> Result<(), BodyError> {
        if self.spool.len() + bytes.len() as u64 > self.limit {
            return Err(BodyError::TooLarge);
        }
        self.spool.push(bytes);
        self.spool.flush().await.map_err(BodyError::Spool)
    }

    /// Returns the part at an offset; `None`: the end. It can be cancelled.
    pub async fn read(&mut self, offset: u64) -> Result<Option<Bytes>, BodyError> {
        self.spool.flush().await.map_err(BodyError::Spool)?;
        if offset < self.spool.len() {
            return self.spool.read(offset).await.map(Some).map_err(BodyError::Spool);
        }
        let Some(source) = &mut self.source else { return Ok(None) };
        match source.next().await? {
            Some(bytes) => {
                if self.spool.len() + bytes.len() as u64 > self.limit {
                    return Err(BodyError::TooLarge);
                }
                self.spool.push(bytes.clone());
                Ok(Some(bytes))
            }
            None => {
                self.source = None;
                Ok(None)
            }
        }
    }

    /// Returns the first bytes, as many as there are but no more than that.
    pub async fn preview(&mut self, length: usize) -> Result<Vec<u8>, BodyError> {
        let mut out = Vec::new();
        while out.len() < length {
            let Some(bytes) = self.read(out.len() as u64).await? else { break };
            let n_wanted = (length - out.len()).min(bytes.len());
            out.extend_from_slice(&bytes[..n_wanted]);
        }
        Ok(out)
    }

    /// Reads everything.
    pub async fn complete(&mut self) -> Result<u64, BodyError> {
        while !self.is_whole() {
            self.read(self.spool.len()).await?;
        }
        Ok(self.spool.len())
    }

    /// Gives up the source: what was kept stays.
    pub fn into_kept(self) -> Held<'static> {
        Held { source: None, spool: self.spool, limit: self.limit, declared: self.declared }
    }

    /// Returns the part at an offset without keeping more; `None`: the end.
    pub async fn pass(&mut self, offset: u64) -> Result<Option<Bytes>, BodyError> {
        self.spool.flush().await.map_err(BodyError::Spool)?;
        if offset < self.spool.len() {
            return self.spool.read(offset).await.map(Some).map_err(BodyError::Spool);
        }
        let Some(source) = &mut self.source else { return Ok(None) };
        let piece = source.next().await?;
        if piece.is_none() {
            self.source = None;
        }
        Ok(piece)
    }
}

#[cfg(test)]
mod tests;
