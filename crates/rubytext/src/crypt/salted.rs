//! Passwords of macOS.

use crate::digest::hex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha512};

/// `str2saltedsha512` of stdlib, with a salt of four bytes: the salt and the digest in hexadecimal.
pub fn salted_sha512(password: &str, salt: [u8; 4]) -> String {
    let digest = Sha512::new().chain_update(salt).chain_update(password).finalize();
    format!("{}{}", hex(&salt), hex(&digest))
}

/// PBKDF2 with HMAC-SHA-512, as `str2saltedpbkdf2` of stdlib uses it, with as many bytes as are wanted.
pub fn pbkdf2_sha512(password: &[u8], salt: &[u8], iterations: u32, length: usize) -> Vec<u8> {
    let Ok(keyed) = Hmac::<Sha512>::new_from_slice(password) else {
        // A key of HMAC may have any length.
        return Vec::new();
    };
    let mut out = Vec::with_capacity(length);
    for block in 1u32.. {
        if out.len() >= length {
            break;
        }
        let first = keyed.clone().chain_update(salt).chain_update(block.to_be_bytes());
        let mut round = first.finalize().into_bytes();
        let mut sum = round;
        for _ in 1..iterations {
            round = keyed.clone().chain_update(round).finalize().into_bytes();
            sum.iter_mut().zip(&round).for_each(|(byte, other)| *byte ^= other);
        }
        out.extend_from_slice(&sum);
    }
    out.truncate(length);
    out
}
