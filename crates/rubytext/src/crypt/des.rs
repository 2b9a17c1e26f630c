//! The two oldest kinds: a block of zeros, encrypted with DES many times over; the salt swaps bits within.

use super::LETTERS;

/// Two letters of salt; 25 rounds, eight characters of the password.
pub(super) fn hash(password: &str, setting: &str) -> Option<String> {
    let salt = letters(setting.get(..2)?)?;
    let first = password.as_bytes().get(..8).unwrap_or(password.as_bytes());
    let block = Cipher::new(key(first), salt).repeated(0, 25);
    Some(setting[..2].to_owned() + &shown(block))
}

/// `_`, four letters for the number of rounds, four of salt; the whole password counts.
pub(super) fn extended(password: &str, setting: &str) -> Option<String> {
    let (_, salt) = (letters(setting.get(1..5)?)?, letters(setting.get(5..9)?)?);
    let mut parts = password.as_bytes().chunks(8);
    let mut whole = key(parts.next().unwrap_or_default());
    for part in parts {
        whole = Cipher::new(whole, 0).repeated(whole, 1) ^ key(part);
    }
    let block = Cipher::new(whole, salt).repeated(0, rounds(setting));
    Some(setting[..9].to_owned() + &shown(block))
}

/// How often the extended kind encrypts.
pub(super) fn rounds(setting: &str) -> u32 {
    setting.get(1..5).and_then(letters).unwrap_or(0).max(1)
}

/// The number that letters stand for, the lowest first.
fn letters(text: &str) -> Option<u32> {
    text.bytes().rev().try_fold(0, |all, byte| {
        let digit = LETTERS.iter().position(|letter| *letter == byte)?;
        Some((all << 6) | u32::try_from(digit).ok()?)
    })
}

/// Seven bits of each character; the eighth bit of DES is for parity.
fn key(password: &[u8]) -> u64 {
    (0..8).fold(0, |key, at| (key << 8) | u64::from(password.get(at).map_or(0, |byte| byte << 1)))
}

/// Eleven letters, the highest bits first.
fn shown(block: u64) -> String {
    let bits = u128::from(block) << 2;
    (0..11).rev().map(|at| char::from(LETTERS[(bits >> (6 * at)) as usize & 63])).collect()
}

struct Cipher {
    keys: [u64; 16],
    /// Which bits of the first half of an expanded word are swapped with those of the second.
    swaps: u64,
}

impl Cipher {
    fn new(key: u64, salt: u32) -> Self {
        let chosen = permuted(key, 64, &CHOICE_1);
        let (mut c, mut d) = (chosen >> 28, chosen & HALF);
        let keys = SHIFTS.map(|n| {
            (c, d) = (rotated(c, n), rotated(d, n));
            permuted((c << 28) | d, 56, &CHOICE_2)
        });
        // The lowest bit of the salt is the first of 24.
        Self { keys, swaps: u64::from(salt.reverse_bits() >> 8) }
    }

    fn repeated(&self, block: u64, rounds: u32) -> u64 {
        (0..rounds).fold(block, |block, _| self.encrypted(block))
    }

    fn encrypted(&self, block: u64) -> u64 {
        let block = permuted(block, 64, &INITIAL);
        let (mut left, mut right) = (block >> 32, block & u64::from(u32::MAX));
        for key in self.keys {
            (left, right) = (right, left ^ self.mixed(right, key));
        }
        permuted((right << 32) | left, 64, &FINAL)
    }

    fn mixed(&self, word: u64, key: u64) -> u64 {
        let wide = permuted(word, 32, &EXPANSION);
        let swapped = ((wide >> 24) ^ wide) & self.swaps;
        let wide = wide ^ swapped ^ (swapped << 24) ^ key;
        let narrow = BOXES.iter().enumerate().fold(0, |out, (at, table)| {
            let six = (wide >> (42 - 6 * at)) as usize & 63;
            let (row, column) = ((six >> 4) & 2 | six & 1, (six >> 1) & 15);
            (out << 4) | u64::from(table[row * 16 + column])
        });
        permuted(narrow, 32, &PERMUTATION)
    }
}

const HALF: u64 = (1 << 28) - 1;

fn rotated(half: u64, n: u32) -> u64 {
    ((half << n) | (half >> (28 - n))) & HALF
}

/// Bits at these places, counted from the highest, which is 1.
fn permuted(bits: u64, width: u8, places: &[u8]) -> u64 {
    places.iter().fold(0, |out, place| (out << 1) | ((bits >> (width - place)) & 1))
}

// The tables of FIPS 46.

const SHIFTS: [u32; 16] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];

#[rustfmt::skip]
const INITIAL: [u8; 64] = [
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4,
    62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24, 16, 8,
    57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3,
    61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7,
];

#[rustfmt::skip]
const FINAL: [u8; 64] = [
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31,
    38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21, 61, 29,
    36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27,
    34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25,
];

#[rustfmt::skip]
const EXPANSION: [u8; 48] = [
    32, 1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 12, 13, 12, 13, 14, 15, 16, 17,
    16, 17, 18, 19, 20, 21, 20, 21, 22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1,
];

#[rustfmt::skip]
const PERMUTATION: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
    2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
];

#[rustfmt::skip]
const CHOICE_1: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
    63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
];

#[rustfmt::skip]
const CHOICE_2: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

#[rustfmt::skip]
const BOXES: [[u8; 64]; 8] = [
    [
        14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
        4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13,
    ],
    [
        15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
        0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9,
    ],
    [
        10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
        13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12,
    ],
    [
        7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
        10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14,
    ],
    [
        2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
        4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3,
    ],
    [
        12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
        9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13,
    ],
    [
        4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
        1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12,
    ],
    [
        13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
        7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
    ],
];
