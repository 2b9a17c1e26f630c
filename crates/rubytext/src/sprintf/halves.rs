//! Decimals that end in a half, as Ruby rounds them.
//!
//! Ruby prints with David Gay's algorithm, which first tries plain floating-point arithmetic. Where that can't decide on which
//! side of a half the number lies, Ruby takes it for a half and rounds to even: `0.35` becomes `0.4` though it is a bit less.
//! To print the same digits, this code reproduces the same rounding errors.

/// Digits rounded from a half: their value, and the power of ten of the first digit before rounding.
pub(super) struct Half {
    pub(super) digits: u64,
    pub(super) power: i32,
}

/// The requested number of digits.
#[derive(Clone, Copy)]
pub(super) enum DigitCount {
    /// The number of digits after the point.
    Fraction(i64),
    /// The number of all digits.
    Digits(i64),
}

/// Returns the digits, if the quick arithmetic finds a half behind the last of them; otherwise they must be rounded exactly.
pub(super) fn half(number: f64, digit_count: DigitCount) -> Option<Half> {
    if number == 0.0 || !number.is_finite() {
        return None;
    }
    let (mut power, sure) = estimate(number);
    let count = |power: i32| match digit_count {
        DigitCount::Fraction(precision) => precision + i64::from(power) + 1,
        DigitCount::Digits(digits) => digits,
    };
    let mut n_digits = count(power);
    if !(1..=14).contains(&n_digits) {
        return None;
    }
    let (mut scaled, mut errors) = scale(number, power);
    if !sure && scaled < 1.0 {
        power -= 1;
        n_digits = count(power);
        (scaled, errors) = (scaled * 10.0, errors + 1.0);
        if n_digits < 1 {
            return None;
        }
    }
    let error = (errors * scaled + 7.0) * f64::EPSILON * 10f64.powi(n_digits as i32 - 1);
    let digits = ambiguous(scaled, n_digits, error)?;
    // The estimate was off by the last bit, which exact rounding handles as well.
    if digits < 10u64.pow(n_digits as u32 - 1) {
        return None;
    }
    Some(Half { digits: digits + (digits & 1), power })
}

/// Gay's constant, with fewer digits than the number has.
#[expect(clippy::approx_constant, reason = "the same small error has to be made")]
const LOG10_2: f64 = 0.301_029_995_663_981;

/// Estimates the power of ten of the first digit; unless the flag is set, it may be one too high.
fn estimate(number: f64) -> (i32, bool) {
    let bits = number.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut fraction = bits & ((1 << 52) - 1);
    if exponent == -1023 {
        let shift = fraction.leading_zeros() - 11;
        fraction = (fraction << shift) & ((1 << 52) - 1);
        exponent = -1022 - shift as i32;
    }
    let mantissa = f64::from_bits(fraction | (1023 << 52));
    let log = (mantissa - 1.5) * 0.289_529_654_602_168
        + 0.176_091_259_055_8
        + f64::from(exponent) * LOG10_2;
    let power = log.floor() as i32;
    match power {
        0..=22 => (power - i32::from(number < 10f64.powi(power)), true),
        _ => (power, false),
    }
}

const LARGE: [f64; 5] = [1e16, 1e32, 1e64, 1e128, 1e256];

/// Scales a number to one digit before the point; returns a bound of the rounding errors too.
fn scale(number: f64, power: i32) -> (f64, f64) {
    let small = POWERS[(power.unsigned_abs() & 15) as usize];
    let mut rest = power.unsigned_abs() >> 4;
    let (mut number, mut errors) = (number, 2.0);
    if power > 0 {
        let mut divisor = small;
        if rest & 16 != 0 {
            rest &= 15;
            number /= LARGE[4];
            errors += 1.0;
        }
        for (_, large) in LARGE.iter().enumerate().filter(|(i, _)| rest >> i & 1 == 1) {
            divisor *= large;
            errors += 1.0;
        }
        return (number / divisor, errors);
    }
    number *= small;
    for (_, large) in LARGE.iter().enumerate().filter(|(i, _)| rest >> i & 1 == 1) {
        number *= large;
        errors += 1.0;
    }
    (number, errors)
}

const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Returns the digits before an apparent half.
fn ambiguous(mut number: f64, n_digits: i64, error: f64) -> Option<u64> {
    let mut digits = 0u64;
    for i in 1..=n_digits {
        let digit = number as u64;
        number -= digit as f64;
        digits = digits * 10 + digit;
        if number == 0.0 {
            return None;
        }
        if i < n_digits {
            number *= 10.0;
        }
    }
    (number <= 0.5 + error && number >= 0.5 - error).then_some(digits)
}
