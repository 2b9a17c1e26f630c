//! Identifiers of catalogs.

use std::hash::{BuildHasher, RandomState};

/// Returns a random UUID of version 4.
pub fn random() -> String {
    // A hasher's keys come from the system's random numbers; an identifier needs no better ones.
    let random = || RandomState::new().hash_one(0);
    let (high, low) = (random(), random());
    let high = (high & !0xf000) | 0x4000;
    let low = (low & !(0b11 << 62)) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}
