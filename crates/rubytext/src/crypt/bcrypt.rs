//! `$2a$`, `$2b$`, `$2x$` and `$2y$`: Blowfish, as libxcrypt has it.
//!
//! The crate `bcrypt` can't give libxcrypt's bytes: it starts with the key of the rounds, while `$2a$` starts with another
//! one for some passwords ([`keys`]), and it refuses salts whose last letter has bits that don't count.

use crate::RubyError;
use blowfish::Blowfish;

const LETTERS: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const TEXT: &[u8; 24] = b"OrpheanBeholderScryDoubt";

/// A higher cost would take minutes or hours; crypt(3) allows 31.
const MAX_COST: u32 = 18;

/// `None` for a setting that crypt(3) refuses.
pub(super) fn hash(password: &str, kind: &str, setting: &str) -> Result<Option<String>, RubyError> {
    let Some((cost, rounds, salt)) = parse(setting) else { return Ok(None) };
    if rounds > MAX_COST {
        let message =
            format!("a bcrypt cost of {rounds} is too high, at most {MAX_COST} is possible");
        return Err(RubyError::argument(message));
    }
    let (first, key) = keys(password.as_bytes(), kind);
    let mut state = Blowfish::bc_init_state();
    state.salted_expand_key(&salt, &first);
    for _ in 0..1u64 << rounds {
        state.bc_expand_key(&key);
        state.bc_expand_key(&salt);
    }
    let mut out = format!("${kind}${cost}${}", encode(&salt));
    out.push_str(&encode(&encrypt(&state)[..23]));
    Ok(Some(out))
}

/// The cost as it is written, as a number, and the salt.
fn parse(setting: &str) -> Option<(&str, u32, [u8; 16])> {
    let (cost, salt) = setting.split_once('$')?;
    let rounds =
        cost.parse::<u32>().ok().filter(|rounds| (4..=31).contains(rounds) && cost.len() == 2)?;
    Some((cost, rounds, decode(salt.get(..22)?)?))
}

fn encrypt(state: &Blowfish) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(24);
    for block in TEXT.chunks(8) {
        let word =
            |at: usize| block[at..at + 4].iter().fold(0, |all, &b| (all << 8) | u32::from(b));
        let mut pair = [word(0), word(4)];
        for _ in 0..64 {
            pair = state.bc_encrypt(pair);
        }
        bytes.extend(pair.iter().flat_map(|word| word.to_be_bytes()));
    }
    bytes
}

/// The key that the state starts with and the one of the rounds, 18 words each.
///
/// `$2x$` keeps the bug of old implementations, which took bytes above 127 for negative numbers.
/// `$2a$` is the right way, made different for passwords on which the bug could go unnoticed.
fn keys(password: &[u8], kind: &str) -> (Vec<u8>, Vec<u8>) {
    let mut bytes = password.iter().copied().chain([0]).cycle();
    let (mut sign, mut differ) = (false, false);
    let mut words = Vec::with_capacity(18);
    for _ in 0..18 {
        let (mut right, mut wrong) = (0u32, 0u32);
        for place in 0..4 {
            let byte = bytes.next().unwrap_or(0);
            right = (right << 8) | u32::from(byte);
            wrong = (wrong << 8) | i32::from(byte.cast_signed()).cast_unsigned();
            sign |= place > 0 && wrong & 0x80 != 0;
        }
        differ |= right != wrong;
        words.push(if kind == "2x" { wrong } else { right });
    }
    let key = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let rounds = key(&words);
    if kind == "2a" && sign && !differ {
        words[0] ^= 0x10000;
    }
    (key(&words), rounds)
}

/// 22 letters make 16 bytes; the last bits are dropped.
fn decode(salt: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let (mut bits, mut count, mut at) = (0u32, 0, 0);
    for letter in salt.bytes() {
        let value = LETTERS.iter().position(|&l| l == letter)? as u32;
        bits = (bits << 6) | value;
        count += 6;
        if count >= 8 && at < 16 {
            count -= 8;
            bytes[at] = (bits >> count) as u8;
            at += 1;
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
}

fn encode(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |all, &b| (all << 8) | u32::from(b)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            out.push(char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]));
        }
    }
    out
}
