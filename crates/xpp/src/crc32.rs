//! The checksum of zlib, gzip and Ruby's `Zlib.crc32`.
//!
//! Every load compares two, so it is the work of a crate that has the processor do most of it.

/// The CRC-32 of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
