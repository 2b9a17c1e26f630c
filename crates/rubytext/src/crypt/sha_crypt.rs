//! `$5$` and `$6$`: rounds of SHA-256 or SHA-512.

use super::push_letters;
use sha2::{Digest, Sha256, Sha512};

const DEFAULT_ROUNDS: u32 = 5000;
/// More would only serve to keep a compiler busy; crypt(3) allows 999,999,999.
const MAX_ROUNDS: u32 = 10_000_000;

pub(super) fn sha256(password: &str, salt: &str) -> Option<String> {
    let setting = Setting::new(salt)?;
    let digest = stretch::<Sha256>(password.as_bytes(), setting.salt.as_bytes(), setting.rounds);
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
    let digest = stretch::<Sha512>(password.as_bytes(), setting.salt.as_bytes(), setting.rounds);
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
    rounds: u32,
    has_rounds: bool,
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
        let rounds_used = rounds.unwrap_or(DEFAULT_ROUNDS).clamp(1000, MAX_ROUNDS);
        Some(Self { salt, rounds: rounds_used, has_rounds: rounds.is_some() })
    }

    fn prefix(&self) -> String {
        if self.has_rounds { format!("rounds={}$", self.rounds) } else { String::new() }
    }
}

fn stretch<D: Digest>(password: &[u8], salt: &[u8], rounds: u32) -> Vec<u8> {
    let inner =
        D::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut start = D::new().chain_update(password).chain_update(salt);
    start.update(repeated(&inner, password.len()));
    let mut length = password.len();
    while length > 0 {
        start.update(if length & 1 == 1 { &inner[..] } else { password });
        length >>= 1;
    }
    let mut digest = start.finalize().to_vec();
    let mut of_password = D::new();
    for _ in 0..password.len() {
        of_password.update(password);
    }
    let password = repeated(&of_password.finalize(), password.len());
    let mut of_salt = D::new();
    for _ in 0..16 + usize::from(digest[0]) {
        of_salt.update(salt);
    }
    let salt = repeated(&of_salt.finalize(), salt.len());
    for round in 0..rounds {
        digest = step::<D>(round, &digest, &password, &salt);
    }
    digest
}

fn step<D: Digest>(round: u32, digest: &[u8], password: &[u8], salt: &[u8]) -> Vec<u8> {
    let odd = round % 2 == 1;
    let mut next = D::new();
    next.update(if odd { password } else { digest });
    if !round.is_multiple_of(3) {
        next.update(salt);
    }
    if !round.is_multiple_of(7) {
        next.update(password);
    }
    next.update(if odd { digest } else { password });
    next.finalize().to_vec()
}

/// As many bytes as are wanted, over and over.
fn repeated(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(length).collect()
}
