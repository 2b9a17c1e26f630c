//! Puppet's `Timespan`: nanoseconds, parsed and printed by formats.

pub mod format;

use super::SECOND;
use crate::RubyError;
use format::Format;

/// The default formats, in the order of trial; the first one prints.
pub const FORMATS: [&str; 8] = [
    "%D-%H:%M:%S.%-N",
    "%H:%M:%S.%-N",
    "%M:%S.%-N",
    "%S.%-N",
    "%D-%H:%M:%S",
    "%H:%M:%S",
    "%D-%H:%M",
    "%S",
];

/// Parses with one format.
pub fn parse(text: &str, format: &str) -> Result<i128, RubyError> {
    Format::parse(format)?.read(text)
}

/// Parses with the first format that matches. An invalid format is an error.
pub fn parse_any<S: AsRef<str>>(text: &str, formats: &[S]) -> Result<i128, RubyError> {
    for format in formats {
        match Format::parse(format.as_ref())?.read(text) {
            Err(error) if error.class == "ArgumentError" => (),
            result => return result,
        }
    }
    let names: Vec<&str> = formats.iter().map(AsRef::as_ref).collect();
    let message = format!("Unable to parse '{text}' using any of the formats {}", names.join(", "));
    Err(RubyError::argument(message))
}

/// Formats a timespan.
pub fn format(nanoseconds: i128, format: &str) -> Result<String, RubyError> {
    Format::parse(format)?.print(nanoseconds)
}

/// Formats a timespan as `Timespan#to_s` does.
pub fn to_s(nanoseconds: i128) -> Result<String, RubyError> {
    format(nanoseconds, FORMATS[0])
}

/// The parts of a timespan, as in its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fields {
    /// Set if the timespan is negative. The parts never are.
    pub negative: bool,
    /// Whole days.
    pub days: i128,
    /// 0 to 23
    pub hours: i128,
    /// 0 to 59
    pub minutes: i128,
    /// 0 to 59
    pub seconds: i128,
    /// 0 to 999
    pub milliseconds: i128,
    /// 0 to 999
    pub microseconds: i128,
    /// 0 to 999
    pub nanoseconds: i128,
}

impl Fields {
    /// Splits nanoseconds.
    pub fn new(nanoseconds: i128) -> Self {
        let total = nanoseconds.unsigned_abs() as i128;
        let seconds = total / SECOND;
        Self {
            negative: nanoseconds < 0,
            days: seconds / 86_400,
            hours: seconds / 3600 % 24,
            minutes: seconds / 60 % 60,
            seconds: seconds % 60,
            milliseconds: total / 1_000_000 % 1000,
            microseconds: total / 1000 % 1000,
            nanoseconds: total % 1000,
        }
    }

    /// Returns the nanoseconds; `None` on overflow. Parts may exceed their range here.
    pub fn nanoseconds(&self) -> Option<i128> {
        let Self {
            negative,
            days,
            hours,
            minutes,
            seconds,
            milliseconds,
            microseconds,
            nanoseconds,
        } = *self;
        let steps = [
            (24, hours),
            (60, minutes),
            (60, seconds),
            (1000, milliseconds),
            (1000, microseconds),
            (1000, nanoseconds),
        ];
        let total = steps
            .into_iter()
            .try_fold(days, |total, (factor, part)| total.checked_mul(factor)?.checked_add(part))?;
        if negative { total.checked_neg() } else { Some(total) }
    }
}

/// Converts to seconds as a floating-point number.
pub fn to_f(nanoseconds: i128) -> f64 {
    // Ruby reduces the fraction before it divides.
    let common = gcd(nanoseconds.unsigned_abs(), SECOND as u128) as i128;
    (nanoseconds / common) as f64 / (SECOND / common) as f64
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Converts to whole seconds, rounded down.
pub fn to_i(nanoseconds: i128) -> i128 {
    nanoseconds.div_euclid(SECOND)
}

/// Converts seconds to nanoseconds, truncated; `None` for infinities, NaN and overflow.
pub fn from_seconds(seconds: f64) -> Option<i128> {
    let product = seconds * SECOND as f64;
    (product.abs() < 1e38).then_some(product as i128)
}
