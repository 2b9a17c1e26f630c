//! Digests of content.

use std::fmt;

/// A digest of 128 bits: half of BLAKE3's, enough to distinguish contents, hostile ones too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 16]);

impl Digest {
    /// Returns the digest of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DigestHasher::new();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Returns its bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An incremental digest.
#[derive(Debug, Default)]
pub struct DigestHasher(blake3::Hasher);

impl DigestHasher {
    /// Creates a digest of no bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of all bytes.
    pub fn finish(&self) -> Digest {
        let mut half = [0; 16];
        half.copy_from_slice(&self.0.finalize().as_bytes()[..16]);
        Digest(half)
    }
}
