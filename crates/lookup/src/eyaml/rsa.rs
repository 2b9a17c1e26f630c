//! RSA with a private key.
//!
//! Numbers are lists of 64 bits, the lowest first. Nobody outside can measure how long a decryption takes, so no care is
//! taken that it always takes as long.

use super::der::{self, INTEGER, OCTETS, Reader, SEQUENCE};

/// Keys of more bits are refused.
const MAX_BYTES: usize = 2048;

/// A private key: modulus and exponent.
pub(super) struct PrivateKey {
    modulus: Vec<u64>,
    exponent: Vec<u8>,
    n_bytes: usize,
}

impl PrivateKey {
    /// Reads a key in PEM, of PKCS #1 or PKCS #8.
    pub(super) fn from_pem(text: &str) -> Option<Self> {
        if let Some(bytes) = der::pem(text, "RSA PRIVATE KEY") {
            return Self::from_pkcs1(&bytes);
        }
        let bytes = der::pem(text, "PRIVATE KEY")?;
        let mut info = Reader(&bytes).inside(SEQUENCE)?;
        info.expect(INTEGER)?;
        info.expect(SEQUENCE)?;
        Self::from_pkcs1(info.expect(OCTETS)?)
    }

    fn from_pkcs1(bytes: &[u8]) -> Option<Self> {
        let mut key = Reader(bytes).inside(SEQUENCE)?;
        key.expect(INTEGER)?;
        let modulus = without_zeros(key.expect(INTEGER)?);
        key.expect(INTEGER)?;
        let exponent = without_zeros(key.expect(INTEGER)?).to_vec();
        let is_odd = modulus.last().is_some_and(|last| last % 2 == 1);
        if !is_odd || modulus.len() > MAX_BYTES || exponent.len() > modulus.len() {
            return None;
        }
        Some(Self { modulus: number(modulus), exponent, n_bytes: modulus.len() })
    }

    /// What was encrypted with padding of PKCS #1.
    pub(super) fn decrypt(&self, cipher: &[u8]) -> Option<Vec<u8>> {
        let mut base = number(without_zeros(cipher));
        if base.len() > self.modulus.len() {
            return None;
        }
        base.resize(self.modulus.len(), 0);
        let padded = bytes(&power(&base, &self.exponent, &self.modulus), self.n_bytes);
        let rest = padded.strip_prefix(&[0, 2])?;
        let end = rest.iter().position(|byte| *byte == 0).filter(|end| *end >= 8)?;
        Some(rest[end + 1..].to_vec())
    }
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    &bytes[zeros..]
}

fn number(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| chunk.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
    bytes.rchunks(8).map(word).collect()
}

fn bytes(number: &[u64], n_bytes: usize) -> Vec<u8> {
    let all: Vec<u8> = number.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    all[all.len().saturating_sub(n_bytes)..].to_vec()
}

/// `base ** exponent % modulus` by Montgomery's method; the modulus is odd.
fn power(base: &[u64], exponent: &[u8], modulus: &[u64]) -> Vec<u64> {
    let inverse = inverse(modulus[0]);
    // R² % modulus, by doubling 1 as often as R² has bits.
    let mut square = vec![0; modulus.len()];
    square[0] = 1;
    for _ in 0..modulus.len() * 128 {
        double(&mut square, modulus);
    }
    let base = multiply(base, &square, modulus, inverse);
    let mut one = vec![0; modulus.len()];
    one[0] = 1;
    let mut result = multiply(&one, &square, modulus, inverse);
    for byte in exponent {
        for bit in (0..8).rev() {
            result = multiply(&result, &result, modulus, inverse);
            if byte >> bit & 1 == 1 {
                result = multiply(&result, &base, modulus, inverse);
            }
        }
    }
    multiply(&result, &one, modulus, inverse)
}

/// `-1 / n % 2⁶⁴` of an odd number.
fn inverse(n: u64) -> u64 {
    let mut inverse = 1_u64;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(inverse)));
    }
    inverse.wrapping_neg()
}

fn double(number: &mut [u64], modulus: &[u64]) {
    let mut carry = 0;
    for word in number.iter_mut() {
        let top = *word >> 63;
        *word = *word << 1 | carry;
        carry = top;
    }
    reduce(number, carry, modulus);
}

/// Subtracts the modulus once if the number, with a word in front of it, is not less.
fn reduce(number: &mut [u64], high: u64, modulus: &[u64]) {
    let is_less = number.iter().rev().lt(modulus.iter().rev());
    if high == 0 && is_less {
        return;
    }
    let mut borrow = false;
    for (word, other) in number.iter_mut().zip(modulus) {
        let (first, one) = word.overflowing_sub(*other);
        let (second, two) = first.overflowing_sub(u64::from(borrow));
        (*word, borrow) = (second, one || two);
    }
}

/// `a * b / R % modulus`
#[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits are wanted")]
fn multiply(a: &[u64], b: &[u64], modulus: &[u64], inverse: u64) -> Vec<u64> {
    let n = modulus.len();
    let mut sum = vec![0_u64; n + 2];
    for &word in b {
        add_product(&mut sum, a, word);
        let factor = sum[0].wrapping_mul(inverse);
        add_product(&mut sum, modulus, factor);
        sum.rotate_left(1);
        sum[n + 1] = 0;
    }
    let high = sum[n];
    sum.truncate(n);
    reduce(&mut sum, high, modulus);
    return sum;

    fn add_product(sum: &mut [u64], number: &[u64], factor: u64) {
        let mut carry = 0_u128;
        for (place, word) in number.iter().enumerate() {
            carry += u128::from(*word) * u128::from(factor) + u128::from(sum[place]);
            sum[place] = carry as u64;
            carry >>= 64;
        }
        for word in &mut sum[number.len()..] {
            carry += u128::from(*word);
            *word = carry as u64;
            carry >>= 64;
        }
    }
}
