//! What Ruby computes with integers of any size; division rounds down, and bits are those of two's complement.
//!
//! Multiplication and division take time that grows with the square of the size: callers limit sizes.

use std::cmp::Ordering;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Sub};

use super::{BigInt, divide};

impl BigInt {
    /// How it is beside a floating-point number; `None` for no number.
    pub fn compare_f64(&self, other: f64) -> Option<Ordering> {
        let Some(whole) = Self::from_f64(other) else { return 0.0.partial_cmp(&other) };
        let beyond = 0.0.partial_cmp(&other.fract());
        Some(self.cmp(&whole).then(beyond?))
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        Self { negative: false, words: self.words.clone() }
    }

    /// Is it zero?
    pub fn is_zero(&self) -> bool {
        self.words.is_empty()
    }

    /// Is it even?
    pub fn is_even(&self) -> bool {
        self.words.first().is_none_or(|word| word % 2 == 0)
    }

    /// How many bits the number takes, without its sign: `Integer#bit_length`.
    pub fn bit_length(&self) -> usize {
        let one = Self::from(1_i64);
        let shown = if self.negative { -&(self + &one) } else { self.clone() };
        let unused = shown.words.last().map_or(0, |word| word.leading_zeros());
        shown.words.len() * 32 - unused as usize
    }

    /// Quotient and remainder as `Integer#divmod`: the remainder has the sign of the divisor. `None` for zero.
    pub fn divmod(&self, by: &Self) -> Option<(Self, Self)> {
        let (quotient, rest) = self.quotient_and_rest(by)?;
        if rest.is_zero() || rest.negative == by.negative {
            return Some((quotient, rest));
        }
        Some((&quotient - &Self::from(1_i64), &rest + by))
    }

    /// `Integer#remainder`: it has the sign of the number that is divided. `None` for zero.
    pub fn remainder(&self, by: &Self) -> Option<Self> {
        Some(self.quotient_and_rest(by)?.1)
    }

    /// Both cut off towards zero.
    fn quotient_and_rest(&self, by: &Self) -> Option<(Self, Self)> {
        let (quotient, rest) = divide_words(&self.words, &by.words)?;
        let quotient = Self::from_words(self.negative != by.negative, quotient);
        Some((quotient, Self::from_words(self.negative, rest)))
    }

    /// The number, so many times multiplied by itself.
    pub fn power(&self, mut exponent: u32) -> Self {
        let (mut result, mut square) = (Self::from(1_i64), self.clone());
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = &result * &square;
            }
            exponent /= 2;
            if exponent > 0 {
                square = &square * &square;
            }
        }
        result
    }

    /// `Integer#<<`
    pub fn shifted_left(&self, bits: usize) -> Self {
        self.shifted(bits)
    }

    /// `Integer#>>`: rounds down.
    pub fn shifted_right(&self, bits: usize) -> Self {
        let minus_one = Self::from(-1_i64);
        // -x >> n is -((x - 1) >> n) - 1.
        if self.negative {
            return &minus_one - &(&minus_one - self).shifted_right(bits);
        }
        let whole = self.words.get(bits / 32..).unwrap_or_default();
        let cut = bits % 32;
        let above = |at: usize| whole.get(at + 1).map_or(0, |word| u64::from(*word) << 32);
        let words = whole.iter().enumerate();
        let words = words.map(|(at, word)| ((above(at) | u64::from(*word)) >> cut) as u32);
        Self::from_words(false, words.collect())
    }

    /// The words of two's complement, so many.
    fn complement(&self, n: usize) -> Vec<u32> {
        let mut words = self.words.clone();
        words.resize(n, 0);
        if self.negative {
            let mut carry = true;
            for word in &mut words {
                (*word, carry) = (!*word).overflowing_add(u32::from(carry));
            }
        }
        words
    }

    fn bitwise(&self, other: &Self, op: fn(u32, u32) -> u32) -> Self {
        let n = self.words.len().max(other.words.len()) + 1;
        let (left, right) = (self.complement(n), other.complement(n));
        let words: Vec<u32> = left.iter().zip(&right).map(|(a, b)| op(*a, *b)).collect();
        if words.last().is_none_or(|word| word >> 31 == 0) {
            return Self::from_words(false, words);
        }
        let absolute = Self { negative: true, words }.complement(n);
        Self::from_words(true, absolute)
    }
}

impl Neg for &BigInt {
    type Output = BigInt;

    fn neg(self) -> BigInt {
        BigInt::from_words(!self.negative, self.words.clone())
    }
}

impl Add for &BigInt {
    type Output = BigInt;

    fn add(self, other: &BigInt) -> BigInt {
        if self.negative == other.negative {
            return BigInt::from_words(self.negative, add(&self.words, &other.words));
        }
        let (larger, smaller) =
            if self.abs() >= other.abs() { (self, other) } else { (other, self) };
        BigInt::from_words(larger.negative, subtract(&larger.words, &smaller.words))
    }
}

impl Sub for &BigInt {
    type Output = BigInt;

    fn sub(self, other: &BigInt) -> BigInt {
        self + &-other
    }
}

impl Mul for &BigInt {
    type Output = BigInt;

    fn mul(self, other: &BigInt) -> BigInt {
        let mut words = vec![0_u32; self.words.len() + other.words.len()];
        for (at, a) in self.words.iter().enumerate() {
            let mut carry = 0_u64;
            for (word, b) in words[at..].iter_mut().zip(other.words.iter().chain([&0])) {
                carry += u64::from(*word) + u64::from(*a) * u64::from(*b);
                *word = carry as u32;
                carry >>= 32;
            }
        }
        BigInt::from_words(self.negative != other.negative, words)
    }
}

impl BitAnd for &BigInt {
    type Output = BigInt;

    fn bitand(self, other: &BigInt) -> BigInt {
        self.bitwise(other, |a, b| a & b)
    }
}

impl BitOr for &BigInt {
    type Output = BigInt;

    fn bitor(self, other: &BigInt) -> BigInt {
        self.bitwise(other, |a, b| a | b)
    }
}

impl BitXor for &BigInt {
    type Output = BigInt;

    fn bitxor(self, other: &BigInt) -> BigInt {
        self.bitwise(other, |a, b| a ^ b)
    }
}

fn add(a: &[u32], b: &[u32]) -> Vec<u32> {
    let word = |words: &[u32], at: usize| words.get(at).map_or(0, |word| u64::from(*word));
    let mut carry = 0;
    let sum = |at| {
        carry += word(a, at) + word(b, at);
        let low = carry as u32;
        carry >>= 32;
        low
    };
    (0..=a.len().max(b.len())).map(sum).collect()
}

/// The first is at least as large.
fn subtract(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut borrow = false;
    let difference = |(at, a): (usize, &u32)| {
        let (low, first) = a.overflowing_sub(b.get(at).copied().unwrap_or(0));
        let (low, second) = low.overflowing_sub(u32::from(borrow));
        borrow = first || second;
        low
    };
    a.iter().enumerate().map(difference).collect()
}

/// Long division of absolute values: each word of the quotient is guessed from the highest words, and mended.
fn divide_words(a: &[u32], b: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
    let &[.., second, top] = b else {
        let divisor = *b.first()?;
        let mut quotient = a.to_vec();
        let rest = divide(&mut quotient, divisor);
        return Some((quotient, vec![rest]));
    };
    if a.len() < b.len() {
        return Some((Vec::new(), a.to_vec()));
    }
    // With the highest bit of the divisor set, a guess is at most two too high.
    let shift = top.leading_zeros() as usize;
    if shift > 0 {
        let moved = |words: &[u32]| BigInt::from_words(false, words.to_vec()).shifted(shift).words;
        let (quotient, rest) = divide_words(&moved(a), &moved(b))?;
        return Some((quotient, BigInt::from_words(false, rest).shifted_right(shift).words));
    }
    let (n, top, second) = (b.len(), u64::from(top), u64::from(second));
    let mut rest = a.to_vec();
    rest.push(0);
    let mut quotient = vec![0; a.len() - n + 1];
    for (at, word) in quotient.iter_mut().enumerate().rev() {
        let high = (u64::from(rest[at + n]) << 32) | u64::from(rest[at + n - 1]);
        let (mut guess, mut left) = (high / top, high % top);
        let next = u64::from(rest[at + n - 2]);
        while guess >> 32 != 0 || guess * second > ((left << 32) | next) {
            guess -= 1;
            left += top;
            if left >> 32 != 0 {
                break;
            }
        }
        if take_away(&mut rest[at..=at + n], b, guess) {
            guess -= 1;
            give_back(&mut rest[at..=at + n], b);
        }
        *word = guess as u32;
    }
    Some((quotient, rest))
}

/// Subtracts a multiple in place; whether it was too much.
fn take_away(rest: &mut [u32], b: &[u32], factor: u64) -> bool {
    let (mut carry, mut borrow) = (0_u64, false);
    for (word, b) in rest.iter_mut().zip(b.iter().chain([&0])) {
        carry += u64::from(*b) * factor;
        let (low, first) = word.overflowing_sub(carry as u32);
        let (low, second) = low.overflowing_sub(u32::from(borrow));
        (*word, borrow) = (low, first || second);
        carry >>= 32;
    }
    borrow
}

fn give_back(rest: &mut [u32], b: &[u32]) {
    let mut carry = 0_u64;
    for (word, b) in rest.iter_mut().zip(b.iter().chain([&0])) {
        carry += u64::from(*word) + u64::from(*b);
        *word = carry as u32;
        carry >>= 32;
    }
}
