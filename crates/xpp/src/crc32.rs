//! The checksum of zlib, gzip and Ruby's `Zlib.crc32`.
//!
//! Every load computes two, so a crate does it that uses the processor's instructions.

/// Returns the CRC-32 of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
