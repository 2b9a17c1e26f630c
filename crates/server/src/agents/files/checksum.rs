//! Types of checksums, and the checksums of files.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt as _;

use kukla_rubytext::digest::hex;
use kukla_rubytext::time::civil::Civil;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Sha224, Sha256, Sha384, Sha512};

/// The bytes that the types `…lite` look at.
const LITE: u64 = 512;

/// A type of checksum that agents can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChecksumType {
    /// MD5
    Md5,
    /// MD5 of the first 512 bytes.
    Md5Lite,
    /// SHA-1
    Sha1,
    /// SHA-1 of the first 512 bytes.
    Sha1Lite,
    /// SHA-224
    Sha224,
    /// SHA-256
    Sha256,
    /// SHA-256 of the first 512 bytes.
    Sha256Lite,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
    /// The time at which the content was changed.
    Mtime,
    /// The time at which anything about the file was changed.
    Ctime,
    /// Nothing.
    Nothing,
}

/// All types with their names.
const TYPES: [(&str, ChecksumType); 12] = [
    ("md5", ChecksumType::Md5),
    ("md5lite", ChecksumType::Md5Lite),
    ("sha1", ChecksumType::Sha1),
    ("sha1lite", ChecksumType::Sha1Lite),
    ("sha224", ChecksumType::Sha224),
    ("sha256", ChecksumType::Sha256),
    ("sha256lite", ChecksumType::Sha256Lite),
    ("sha384", ChecksumType::Sha384),
    ("sha512", ChecksumType::Sha512),
    ("mtime", ChecksumType::Mtime),
    ("ctime", ChecksumType::Ctime),
    ("none", ChecksumType::Nothing),
];

impl ChecksumType {
    /// Returns the type of a name.
    pub fn named(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|(_, of_name)| *of_name)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        TYPES.iter().find(|(_, of_name)| *of_name == self).map_or("none", |(name, _)| name)
    }

    /// Returns the value for which no byte of the file is read; none if the content decides.
    pub(super) fn of_status(self, status: &Metadata) -> Option<String> {
        match self {
            Self::Mtime => Some(time_text(status.mtime())),
            Self::Ctime => Some(time_text(status.ctime())),
            Self::Nothing => Some(String::new()),
            _ => None,
        }
    }

    /// Reads a file and returns its digest in hexadecimal; empty for the types that don't read.
    pub(super) fn of_content(self, file: &File) -> io::Result<String> {
        let Some(mut digest) = self.digest() else { return Ok(String::new()) };
        let mut rest = file.take(if self.is_lite() { LITE } else { u64::MAX });
        let mut buffer = vec![0; 64 << 10];
        loop {
            match rest.read(&mut buffer) {
                Ok(0) => return Ok(hex(&digest.finalize())),
                Ok(length) => digest.update(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn is_lite(self) -> bool {
        matches!(self, Self::Md5Lite | Self::Sha1Lite | Self::Sha256Lite)
    }

    fn digest(self) -> Option<Box<dyn DynDigest>> {
        Some(match self {
            Self::Md5 | Self::Md5Lite => Box::new(Md5::default()),
            Self::Sha1 | Self::Sha1Lite => Box::new(Sha1::default()),
            Self::Sha224 => Box::new(Sha224::default()),
            Self::Sha256 | Self::Sha256Lite => Box::new(Sha256::default()),
            Self::Sha384 => Box::new(Sha384::default()),
            Self::Sha512 => Box::new(Sha512::default()),
            Self::Mtime | Self::Ctime | Self::Nothing => return None,
        })
    }
}

/// Formats a time as Ruby's `Time#to_s` does where the zone is UTC.
pub(super) fn time_text(seconds: i64) -> String {
    let Civil { year, month, day, hour, minute, second, .. } = Civil::new(seconds, 0);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} +0000")
}
