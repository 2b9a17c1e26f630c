//! Integers of any size: how they are read and printed; `arithmetic` computes with them.

mod arithmetic;

use std::cmp::Ordering;
use std::fmt;

/// An integer of any size. Zero is never negative, and no leading word is zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct BigInt {
    negative: bool,
    /// The absolute value, words of 32 bits, the lowest first.
    words: Vec<u32>,
}

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

impl BigInt {
    /// From words of 32 bits, the lowest first.
    pub fn from_words(negative: bool, mut words: Vec<u32>) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        Self { negative: negative && !words.is_empty(), words }
    }

    /// The whole part of a finite number; `None` for an infinity or no number.
    pub fn from_f64(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        let bits = number.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
        let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
        if exponent < -52 {
            return Some(Self::default());
        }
        let mut result = if exponent < 0 {
            Self::from(i128::from(mantissa >> -exponent))
        } else {
            Self::from(i128::from(mantissa)).shifted(exponent as usize)
        };
        result.negative = number < 0.0 && !result.words.is_empty();
        Some(result)
    }

    fn shifted(&self, bits: usize) -> Self {
        let mut words = vec![0; bits / 32];
        let mut carry = 0u64;
        for &word in &self.words {
            carry |= u64::from(word) << (bits % 32);
            words.push(carry as u32);
            carry >>= 32;
        }
        words.push(carry as u32);
        Self::from_words(self.negative, words)
    }

    /// Reads digits of a radix from 2 to 36; anything else among them is skipped.
    pub fn from_digits(negative: bool, digits: &str, radix: u32) -> Self {
        let mut words: Vec<u32> = Vec::new();
        // As many digits as fit in a word at once.
        let (mut chunk, mut scale) = (0u64, 1u64);
        for digit in digits.bytes().filter_map(|b| char::from(b).to_digit(radix)) {
            chunk = chunk * u64::from(radix) + u64::from(digit);
            scale *= u64::from(radix);
            if scale * u64::from(radix) > u64::from(u32::MAX) {
                multiply_add(&mut words, scale, chunk);
                (chunk, scale) = (0, 1);
            }
        }
        multiply_add(&mut words, scale, chunk);
        Self::from_words(negative, words)
    }

    /// Digits of the absolute value in a radix from 2 to 36.
    pub fn digits(&self, radix: u32) -> String {
        let mut words = self.words.clone();
        let mut digits = Vec::new();
        let (mut scale, mut count) = (radix, 1);
        while let Some(next) = scale.checked_mul(radix) {
            (scale, count) = (next, count + 1);
        }
        while !words.is_empty() {
            let mut rest = divide(&mut words, scale);
            for _ in 0..count {
                digits.push(DIGITS[(rest % radix) as usize]);
                rest /= radix;
            }
        }
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            digits.push(b'0');
        }
        digits.iter().rev().map(|&b| char::from(b)).collect()
    }

    /// With a sign, in a radix from 2 to 36, as `Integer#to_s(radix)`.
    pub fn to_radix(&self, radix: u32) -> String {
        format!("{}{}", if self.negative { "-" } else { "" }, self.digits(radix))
    }

    /// The number whose bytes these are, the highest first.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let word = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| (all << 8) | u32::from(*byte));
        Self::from_words(false, bytes.rchunks(4).map(word).collect())
    }

    /// Is it below zero?
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The absolute value in words of 32 bits, the lowest first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// As 64 bits, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.to_i128()?).ok()
    }

    /// As 128 bits, if it fits; the lowest number of 128 bits is taken not to.
    pub fn to_i128(&self) -> Option<i128> {
        if self.words.len() > 4 {
            return None;
        }
        let absolute = self.words.iter().rev().fold(0u128, |all, &w| (all << 32) | u128::from(w));
        let absolute = i128::try_from(absolute).ok()?;
        Some(if self.negative { -absolute } else { absolute })
    }

    /// The nearest floating-point number.
    pub fn to_f64(&self) -> f64 {
        self.to_radix(10).parse().unwrap_or(f64::NAN)
    }
}

impl From<i128> for BigInt {
    fn from(number: i128) -> Self {
        let absolute = number.unsigned_abs();
        let words = (0..4).map(|i| (absolute >> (32 * i)) as u32).collect();
        Self::from_words(number < 0, words)
    }
}

impl From<i64> for BigInt {
    fn from(number: i64) -> Self {
        Self::from(i128::from(number))
    }
}

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_radix(10))
    }
}

impl Ord for BigInt {
    fn cmp(&self, other: &Self) -> Ordering {
        let absolute = || {
            let longer = self.words.len().cmp(&other.words.len());
            longer.then_with(|| self.words.iter().rev().cmp(other.words.iter().rev()))
        };
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => absolute(),
            (true, true) => absolute().reverse(),
        }
    }
}

impl PartialOrd for BigInt {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn multiply_add(words: &mut Vec<u32>, factor: u64, summand: u64) {
    let mut carry = summand;
    for word in words.iter_mut() {
        carry += u64::from(*word) * factor;
        *word = carry as u32;
        carry >>= 32;
    }
    if carry > 0 {
        words.push(carry as u32);
    }
}

/// Divides in place and gives the remainder.
fn divide(words: &mut Vec<u32>, divisor: u32) -> u32 {
    let mut rest = 0u64;
    for word in words.iter_mut().rev() {
        rest = (rest << 32) | u64::from(*word);
        *word = (rest / u64::from(divisor)) as u32;
        rest %= u64::from(divisor);
    }
    while words.last() == Some(&0) {
        words.pop();
    }
    rest as u32
}
