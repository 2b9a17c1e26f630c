//! Digests, keyed digests and keys derived from passwords.

use md5::Md5;
use pbkdf2::hmac::{Hmac, KeyInit, Mac};
use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// A digest algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// MD5
    Md5,
    /// SHA-1
    Sha1,
    /// SHA-224
    Sha224,
    /// SHA-256
    Sha256,
    /// SHA-384
    Sha384,
    /// SHA-512
    Sha512,
}

impl Algorithm {
    /// Returns the algorithm that OpenSSL knows by a name: `SHA256`, `sha256`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_uppercase().as_str() {
            "MD5" => Self::Md5,
            "SHA1" => Self::Sha1,
            "SHA224" => Self::Sha224,
            "SHA256" => Self::Sha256,
            "SHA384" => Self::Sha384,
            "SHA512" => Self::Sha512,
            _ => return None,
        })
    }

    /// Returns OpenSSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
        }
    }

    /// Returns the number of bytes in a digest.
    pub const fn length(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// Returns the digest of bytes.
    pub fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Md5 => Md5::digest(bytes).to_vec(),
            Self::Sha1 => Sha1::digest(bytes).to_vec(),
            Self::Sha224 => Sha224::digest(bytes).to_vec(),
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha384 => Sha384::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }

    /// Returns the HMAC of bytes.
    pub fn hmac(self, key: &[u8], bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Md5 => keyed::<Hmac<Md5>>(key, bytes),
            Self::Sha1 => keyed::<Hmac<Sha1>>(key, bytes),
            Self::Sha224 => keyed::<Hmac<Sha224>>(key, bytes),
            Self::Sha256 => keyed::<Hmac<Sha256>>(key, bytes),
            Self::Sha384 => keyed::<Hmac<Sha384>>(key, bytes),
            Self::Sha512 => keyed::<Hmac<Sha512>>(key, bytes),
        }
    }

    /// Returns the key of so many bytes that PBKDF2 derives from a password.
    pub fn pbkdf2(self, password: &[u8], salt: &[u8], iterations: u32, length: usize) -> Vec<u8> {
        let mut key = vec![0; length];
        let out = &mut key[..];
        match self {
            Self::Md5 => pbkdf2_hmac::<Md5>(password, salt, iterations, out),
            Self::Sha1 => pbkdf2_hmac::<Sha1>(password, salt, iterations, out),
            Self::Sha224 => pbkdf2_hmac::<Sha224>(password, salt, iterations, out),
            Self::Sha256 => pbkdf2_hmac::<Sha256>(password, salt, iterations, out),
            Self::Sha384 => pbkdf2_hmac::<Sha384>(password, salt, iterations, out),
            Self::Sha512 => pbkdf2_hmac::<Sha512>(password, salt, iterations, out),
        }
        key
    }
}

/// Returns the code of bytes under a key; HMAC takes keys of any length.
fn keyed<M: Mac + KeyInit>(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else { return Vec::new() };
    mac.update(bytes);
    mac.finalize().into_bytes().to_vec()
}

/// Returns the CRC-32 checksum, as `Zlib.crc32` does.
pub fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let shift = |sum: u32, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        (0..8).fold(sum ^ u32::from(*byte), shift)
    };
    !bytes.iter().fold(u32::MAX, step)
}

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
