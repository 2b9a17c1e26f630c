//! Integers of any size as Ruby computes with them, on top of `num-bigint`.
//!
//! Multiplication and division take time that grows faster than the size: callers limit sizes.

use std::cmp::Ordering;

pub use num_bigint::BigInt;
use num_bigint::{BigUint, Sign};

/// The behaviour of Ruby's `Integer` that differs from `num-bigint`, or that needs none of its traits in scope.
pub trait RubyInteger: Sized {
    /// Reads digits of a radix from 2 to 36; skips every other character.
    fn from_digits(is_negative: bool, digits: &str, radix: u32) -> Self;
    /// Returns the whole part of a finite number; `None` for an infinity or NaN.
    fn from_f64(number: f64) -> Option<Self>;
    /// Returns the number of which these are the bytes, the highest first.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Formats the absolute value in a radix from 2 to 36.
    fn digits(&self, radix: u32) -> String;
    /// Returns 64 bits, if the number fits.
    fn to_i64(&self) -> Option<i64>;
    /// Returns 128 bits, if the number fits.
    fn to_i128(&self) -> Option<i128>;
    /// Returns the nearest floating-point number, an infinity beyond the largest one.
    fn to_f64(&self) -> f64;
    /// Compares with a floating-point number, exactly; `None` for NaN.
    fn compare_f64(&self, other: f64) -> Option<Ordering>;
    /// Returns the absolute value.
    fn abs(&self) -> Self;
    /// Whether the number is below zero.
    fn is_negative(&self) -> bool;
    /// Whether the number is zero.
    fn is_zero(&self) -> bool;
    /// Whether the number is even.
    fn is_even(&self) -> bool;
    /// Counts the words of 32 bits of the absolute value: the measure for the work of a computation.
    fn n_words(&self) -> usize;
    /// Counts the bits of two's complement without the sign: `Integer#bit_length`.
    fn bit_length(&self) -> usize;
    /// Returns quotient and remainder as `Integer#divmod`: the remainder has the sign of `by`. `None` if that is zero.
    fn divmod(&self, by: &Self) -> Option<(Self, Self)>;
    /// Returns `Integer#remainder`, which has the sign of `self`. `None` if `by` is zero.
    fn remainder(&self, by: &Self) -> Option<Self>;
    /// Returns the greatest common divisor, which is never negative.
    fn gcd(&self, other: &Self) -> Self;
    /// Returns the least common multiple, which is never negative.
    fn lcm(&self, other: &Self) -> Self;
}

impl RubyInteger for BigInt {
    fn from_digits(is_negative: bool, digits: &str, radix: u32) -> Self {
        let value = |byte: u8| u8::try_from(char::from(byte).to_digit(radix)?).ok();
        let values: Vec<u8> = digits.bytes().filter_map(value).collect();
        let magnitude = BigUint::from_radix_be(&values, radix).unwrap_or_default();
        Self::from_biguint(if is_negative { Sign::Minus } else { Sign::Plus }, magnitude)
    }

    fn from_f64(number: f64) -> Option<Self> {
        <Self as num_traits::FromPrimitive>::from_f64(number)
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self::from_bytes_be(Sign::Plus, bytes)
    }

    fn digits(&self, radix: u32) -> String {
        self.magnitude().to_str_radix(radix)
    }

    fn to_i64(&self) -> Option<i64> {
        i64::try_from(self).ok()
    }

    fn to_i128(&self) -> Option<i128> {
        i128::try_from(self).ok()
    }

    fn to_f64(&self) -> f64 {
        num_traits::ToPrimitive::to_f64(self).unwrap_or(f64::NAN)
    }

    fn compare_f64(&self, other: f64) -> Option<Ordering> {
        let Some(whole) = <Self as RubyInteger>::from_f64(other) else {
            return 0.0.partial_cmp(&other);
        };
        let beyond = 0.0.partial_cmp(&other.fract());
        Some(self.cmp(&whole).then(beyond?))
    }

    fn abs(&self) -> Self {
        Self::from(self.magnitude().clone())
    }

    fn is_negative(&self) -> bool {
        self.sign() == Sign::Minus
    }

    fn is_zero(&self) -> bool {
        self.sign() == Sign::NoSign
    }

    fn is_even(&self) -> bool {
        !self.bit(0)
    }

    fn n_words(&self) -> usize {
        self.magnitude().iter_u32_digits().len()
    }

    fn bit_length(&self) -> usize {
        let bits = if self.is_negative() { (self + 1_u8).bits() } else { self.bits() };
        usize::try_from(bits).unwrap_or(usize::MAX)
    }

    fn divmod(&self, by: &Self) -> Option<(Self, Self)> {
        (!by.is_zero()).then(|| num_integer::Integer::div_mod_floor(self, by))
    }

    fn remainder(&self, by: &Self) -> Option<Self> {
        (!by.is_zero()).then(|| self % by)
    }

    fn gcd(&self, other: &Self) -> Self {
        num_integer::Integer::gcd(self, other)
    }

    fn lcm(&self, other: &Self) -> Self {
        num_integer::Integer::lcm(self, other)
    }
}
