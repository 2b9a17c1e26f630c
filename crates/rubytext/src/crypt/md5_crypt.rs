//! `$1$`: a thousand rounds of MD5.

use super::push_letters;
use md5::{Digest, Md5};

pub(super) fn hash(password: &str, salt: &str) -> String {
    let salt = salt.split('$').next().unwrap_or("");
    let salt = salt.get(..8).unwrap_or(salt);
    let digest = stretch(password.as_bytes(), salt.as_bytes());
    let mut out = format!("$1${salt}$");
    for [a, b, c] in [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5]] {
        let bits = u32::from(digest[a]) << 16 | u32::from(digest[b]) << 8 | u32::from(digest[c]);
        push_letters(&mut out, bits, 4);
    }
    push_letters(&mut out, digest[11].into(), 2);
    out
}

fn stretch(password: &[u8], salt: &[u8]) -> [u8; 16] {
    let inner: [u8; 16] = Md5::new()
        .chain_update(password)
        .chain_update(salt)
        .chain_update(password)
        .finalize()
        .into();
    let mut start = Md5::new().chain_update(password).chain_update("$1$").chain_update(salt);
    for chunk in password.chunks(16) {
        start.update(&inner[..chunk.len()]);
    }
    let mut length = password.len();
    while length > 0 {
        start.update(if length & 1 == 1 { &[0] } else { &password[..1] });
        length >>= 1;
    }
    let mut digest: [u8; 16] = start.finalize().into();
    for round in 0..1000 {
        let mut next = Md5::new();
        let odd = round % 2 == 1;
        next.update(if odd { password } else { &digest });
        if round % 3 != 0 {
            next.update(salt);
        }
        if round % 7 != 0 {
            next.update(password);
        }
        next.update(if odd { &digest } else { password });
        digest = next.finalize().into();
    }
    digest
}
