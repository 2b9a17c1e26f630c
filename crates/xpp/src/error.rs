//! Errors of reading a file.

use std::fmt;

/// The reason why the bytes of an `.xpp` file give no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XppError {
    /// The bytes don't start with an envelope.
    NoEnvelope,
    /// The envelope is malformed.
    BadEnvelope(String),
    /// The file is not a parse result.
    UnknownDocumentType(String),
    /// The encoding is unknown.
    UnknownEncoding(String),
    /// The version is unknown.
    UnknownVersion(String),
    /// The file was made from another source than the given one.
    Stale,
    /// The source is needed, and the file does not hold it.
    NoSource,
    /// The bytes end too early.
    Truncated,
    /// The checksum does not match.
    WrongChecksum,
    /// The payload is damaged, or was written by a program that does not follow the format.
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
