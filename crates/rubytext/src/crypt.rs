//! Hashed passwords, as crypt(3) of Debian makes them, and those of macOS.
//!
//! [`crypt`] is what Ruby's `String#crypt` answers for the kinds that `pw_hash` of stdlib offers, and for the oldest.

mod bcrypt;
mod des;
mod md5_crypt;
mod salted;
mod sha_crypt;

pub use salted::{pbkdf2_sha512, salted_sha512};

use super::RubyError;

const LETTERS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The hash of a password, with its setting (`$6$salt`) in front.
pub fn crypt(password: &str, setting: &str) -> Result<String, RubyError> {
    // C sees a password up to its first NUL.
    if password.contains('\0') || setting.contains('\0') {
        return Err(RubyError::argument("string contains null byte"));
    }
    let is_bad = |c: char| c <= ' ' || c >= '\x7f' || "!*:;\\".contains(c);
    if setting.contains(is_bad) {
        return Ok(FAILED.to_owned());
    }
    let hash = match setting.get(1..).and_then(|rest| rest.split_once('$')) {
        Some(("1", salt)) => Some(md5_crypt::hash(password, salt)),
        Some(("5", salt)) => sha_crypt::sha256(password, salt),
        Some(("6", salt)) => sha_crypt::sha512(password, salt),
        Some((kind @ ("2a" | "2b" | "2x" | "2y"), salt)) => bcrypt::hash(password, kind, salt)?,
        _ if setting.starts_with('_') => des::extended(password, setting),
        _ => des::hash(password, setting),
    };
    Ok(hash.unwrap_or_else(|| FAILED.to_owned()))
}

/// About how many microseconds a setting takes, to be asked before it is used.
pub fn cost(setting: &str) -> usize {
    let rounds = |digits: &str| {
        let digits = digits.bytes().take_while(u8::is_ascii_digit);
        digits.fold(0, |all: usize, digit| {
            all.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
        })
    };
    match setting.get(1..).and_then(|rest| rest.split_once('$')) {
        Some(("5" | "6", salt)) => salt.strip_prefix("rounds=").map_or(5_000, rounds),
        Some(("2a" | "2b" | "2x" | "2y", salt)) => 1 << (rounds(salt).min(31) + 6),
        _ if setting.starts_with('_') => des::rounds(setting) as usize * 2,
        _ => 1_000,
    }
}

/// The answer of crypt(3) to an invalid setting.
const FAILED: &str = "*0";

/// Appends letters for bits, the lowest first.
fn push_letters(out: &mut String, mut bits: u32, count: usize) {
    for _ in 0..count {
        out.push(char::from(LETTERS[(bits & 63) as usize]));
        bits >>= 6;
    }
}
