//! `$5$` and `$6$`: rounds of SHA-256 or SHA-512.
//!
//! The crate `sha-crypt` computes; its reader of settings refuses salts and rounds that libxcrypt takes, so settings
//! are read and hashes written here.

use super::push_letters;
use sha_crypt::{Params, sha256_crypt, sha512_crypt};

/// The number that crypt(3) uses without `rounds=`.
const DEFAULT_ROUNDS: u32 = 5000;
/// More would only serve to keep a compiler busy; crypt(3) allows 999,999,999.
const MAX_ROUNDS: u32 = 10_000_000;

pub(super) fn sha256(password: &str, salt: &str) -> Option<String> {
    let setting = Setting::new(salt)?;
    let digest = sha256_crypt(password.as_bytes(), setting.salt.as_bytes(), setting.params);
    let mut out = format!("$5${}{}$", setting.prefix(), setting.salt);
    // Three bytes make four letters; which three turns with every group.
    for group in 0..10 {
        let places = rotate([group, group + 10, group + 20], group % 3, false);
        push_group(&mut out, &digest, places);
    }
    push_letters(&mut out, u32::from(digest[31]) << 8 | u32::from(digest[30]), 3);
    Some(out)
}

pub(super) fn sha512(password: &str, salt: &str) -> Option<String> {
    let setting = Setting::new(salt)?;
    let digest = sha512_crypt(password.as_bytes(), setting.salt.as_bytes(), setting.params);
    let mut out = format!("$6${}{}$", setting.prefix(), setting.salt);
    for group in 0..21 {
        let places = rotate([group, group + 21, group + 42], group % 3, true);
        push_group(&mut out, &digest, places);
    }
    push_letters(&mut out, digest[63].into(), 2);
    Some(out)
}

/// SHA-512 turns one way, SHA-256 the other.
fn rotate(places: [usize; 3], by: usize, left: bool) -> [usize; 3] {
    let mut places = places;
    if left {
        places.rotate_left(by)
    } else {
        places.rotate_right(by)
    }
    places
}

fn push_group(out: &mut String, digest: &[u8], [a, b, c]: [usize; 3]) {
    push_letters(
        out,
        u32::from(digest[a]) << 16 | u32::from(digest[b]) << 8 | u32::from(digest[c]),
        4,
    );
}

struct Setting<'a> {
    salt: &'a str,
    params: Params,
    /// The number of rounds, if the setting has one.
    rounds: Option<u32>,
}

impl<'a> Setting<'a> {
    fn new(setting: &'a str) -> Option<Self> {
        let (rounds, salt) = match setting.strip_prefix("rounds=") {
            Some(rest) => {
                let (rounds, salt) = rest.split_once('$')?;
                (Some(rounds.parse::<u32>().ok()?), salt)
            }
            None => (None, setting),
        };
        let salt = salt.split('$').next().unwrap_or("");
        let salt = salt.get(..16).unwrap_or(salt);
        let rounds = rounds.map(|rounds| rounds.clamp(Params::ROUNDS_MIN, MAX_ROUNDS));
        let params = Params::new(rounds.unwrap_or(DEFAULT_ROUNDS)).ok()?;
        Some(Self { salt, params, rounds })
    }

    fn prefix(&self) -> String {
        self.rounds.map(|rounds| format!("rounds={rounds}$")).unwrap_or_default()
    }
}
