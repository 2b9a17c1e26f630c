//! Digests in hexadecimal.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// Returns the MD5 digest.
pub fn md5(bytes: &[u8]) -> String {
    hex(&Md5::digest(bytes))
}

/// Returns the SHA-1 digest.
pub fn sha1(bytes: &[u8]) -> String {
    hex(&Sha1::digest(bytes))
}

/// Returns the SHA-224 digest.
pub fn sha224(bytes: &[u8]) -> String {
    hex(&Sha224::digest(bytes))
}

/// Returns the SHA-256 digest.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-384 digest.
pub fn sha384(bytes: &[u8]) -> String {
    hex(&Sha384::digest(bytes))
}

/// Returns the SHA-512 digest.
pub fn sha512(bytes: &[u8]) -> String {
    hex(&Sha512::digest(bytes))
}

/// Formats bytes as hexadecimal, two digits per byte.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    let mut out = String::with_capacity(bytes.len() * 2);
    for &byte in bytes {
        out.push(digit(byte >> 4));
        out.push(digit(byte & 15));
    }
    out
}

/// Returns the version 5 UUID of a DNS name, as `fqdn_uuid` of stdlib does.
pub fn dns_uuid(name: &str) -> String {
    const NAMESPACE: [u8; 16] = [
        0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30,
        0xc8,
    ];
    let mut digest = Sha1::new();
    digest.update(NAMESPACE);
    digest.update(name);
    uuid(5, &digest.finalize())
}

/// Formats the first 16 bytes as a UUID of a version; bytes that are missing are zero.
pub fn uuid(version: u8, bytes: &[u8]) -> String {
    let mut uuid = [0; 16];
    uuid.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    uuid[6] = (uuid[6] & 0x0f) | (version << 4);
    uuid[8] = (uuid[8] & 0x3f) | 0x80;
    let text = hex(&uuid);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}
