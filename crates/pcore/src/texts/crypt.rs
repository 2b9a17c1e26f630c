//! Hashed passwords, as crypt(3) of Debian makes them, and those of macOS.
//!
//! [`crypt`] is what Ruby's `String#crypt` answers for the kinds that `pw_hash` of stdlib offers.

mod bcrypt;
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
        _ => None,
    };
    Ok(hash.unwrap_or_else(|| FAILED.to_owned()))
}

/// What crypt(3) answers if it can't make sense of the setting.
const FAILED: &str = "*0";

/// Appends letters for bits, the lowest first.
fn push_letters(out: &mut String, mut bits: u32, count: usize) {
    for _ in 0..count {
        out.push(char::from(LETTERS[(bits & 63) as usize]));
        bits >>= 6;
    }
}
