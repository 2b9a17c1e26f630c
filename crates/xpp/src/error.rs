//! Why a file can't be used.

use std::fmt;

/// Why the bytes of an `.xpp` file give no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XppError {
    /// They don't start with an envelope.
    NoEnvelope,
    /// The envelope is not well formed.
    BadEnvelope(String),
    /// They hold something else than a parse result.
    UnknownDocumentType(String),
    /// They are written in an encoding that is not known here.
    UnknownEncoding(String),
    /// They are written in a version that is not known here.
    UnknownVersion(String),
    /// They were made of another text than the one at hand.
    Stale,
    /// The source is needed, and they don't hold it.
    NoSource,
    /// They end too early.
    Truncated,
    /// They are not the bytes that were written.
    WrongChecksum,
    /// They are damaged, or were written by something that does not know the format.
    Corrupt(&'static str),
}

impl fmt::Display for XppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEnvelope => write!(f, "this is not an XPP file: it has no envelope"),
            Self::BadEnvelope(what) => write!(f, "the envelope is not well formed: {what}"),
            Self::UnknownDocumentType(name) => write!(f, "unknown document type `{name}`"),
            Self::UnknownEncoding(name) => write!(f, "unknown encoding `{name}`"),
            Self::UnknownVersion(version) => write!(f, "unknown version `{version}`"),
            Self::Stale => write!(f, "the source has changed since"),
            Self::NoSource => write!(f, "the file does not hold its source"),
            Self::Truncated => write!(f, "the file ends too early"),
            Self::WrongChecksum => write!(f, "the file is damaged: its checksum is wrong"),
            Self::Corrupt(what) => write!(f, "the file is damaged: {what}"),
        }
    }
}

impl std::error::Error for XppError {}
