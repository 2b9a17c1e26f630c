//! Passwords of macOS.

use crate::digest::hex;
use pbkdf2::pbkdf2_hmac;
use sha2::{Digest, Sha512};

/// `str2saltedsha512` of stdlib, with a salt of four bytes: the salt and the digest in hexadecimal.
pub fn salted_sha512(password: &str, salt: [u8; 4]) -> String {
    let digest = Sha512::new().chain_update(salt).chain_update(password).finalize();
    format!("{}{}", hex(&salt), hex(&digest))
}

/// PBKDF2 with HMAC-SHA-512, as `str2saltedpbkdf2` of stdlib uses it, with as many bytes as are wanted.
pub fn pbkdf2_sha512(password: &[u8], salt: &[u8], iterations: u32, length: usize) -> Vec<u8> {
    let mut out = vec![0; length];
    pbkdf2_hmac::<Sha512>(password, salt, iterations, &mut out);
    out
}
