//! Times: milliseconds since 1970 in tables, ISO 8601 in commands and answers.

use kukla_rubytext::time::civil::{Civil, days};
use kukla_world::clock;

/// The time zone that answers have.
const ZONE: &str = "Z";

/// Returns the time of day in milliseconds since 1970.
pub fn now() -> i64 {
    let since = clock::time_of_day().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Writes a time as `2026-11-17T23:36:48.036Z`.
pub fn written(milliseconds: i64) -> String {
    let (seconds, rest) = (milliseconds.div_euclid(1000), milliseconds.rem_euclid(1000));
    let Civil { year, month, day, hour, minute, second, .. } = Civil::new(seconds, 0);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}{ZONE}")
}

/// Writes a time as PostgreSQL writes it into JSON: `2026-11-17T23:36:48.036+00:00`, without zeros at its end.
pub(crate) fn within_json(milliseconds: i64) -> String {
    let text = written(milliseconds);
    let text = text.trim_end_matches(ZONE).trim_end_matches('0').trim_end_matches('.');
    format!("{text}+00:00")
}

/// Reads a time of ISO 8601, such as `2026-11-17T23:36:48.036+01:00`; without a zone it is UTC.
pub fn read(text: &str) -> Option<i64> {
    let mut rest = Digits(text.trim());
    let year = rest.number(4)?;
    rest.expect("-")?;
    let month = rest.number(2)?;
    rest.expect("-")?;
    let day = rest.number(2)?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (month, day) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
    let date = days(year, month, day) * 86_400_000;
    if rest.0.is_empty() {
        return Some(date);
    }
    let is_split = rest.skip("T") || rest.skip("t") || rest.skip(" ");
    Some(date + is_split.then(|| rest.time_of_day()).flatten()?)
}

/// The rest of a text.
#[derive(Clone, Copy)]
struct Digits<'a>(&'a str);

impl Digits<'_> {
    /// Takes a number of so many digits.
    fn number(&mut self, n_digits: usize) -> Option<i64> {
        let digits = self.0.get(..n_digits)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.0 = &self.0[n_digits..];
        digits.parse().ok()
    }

    fn skip(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.skip(text).then_some(())
    }

    /// Takes a time of day with its zone, in milliseconds of UTC.
    fn time_of_day(&mut self) -> Option<i64> {
        let hour = self.number(2)?;
        self.expect(":")?;
        let minute = self.number(2)?;
        let second = if self.skip(":") { self.number(2)? } else { 0 };
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let milliseconds = ((hour * 60 + minute) * 60 + second) * 1000 + self.fraction();
        Some(milliseconds - self.zone()? * 60_000)
    }

    /// Takes milliseconds behind a point; further digits are dropped.
    fn fraction(&mut self) -> i64 {
        if !self.skip(".") && !self.skip(",") {
            return 0;
        }
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        self.0 = rest;
        let three = digits.chars().chain("000".chars()).take(3);
        three.fold(0, |sum, digit| sum * 10 + i64::from(digit.to_digit(10).unwrap_or(0)))
    }

    /// Takes a zone, in minutes, to the end of the text.
    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.0.eq_ignore_ascii_case(ZONE) {
            return Some(0);
        }
        let sign = match (self.skip("+"), self.skip("-")) {
            (true, _) => 1,
            (_, true) => -1,
            _ => return None,
        };
        let hours = self.number(2)?;
        self.skip(":");
        let minutes = if self.0.is_empty() { 0 } else { self.number(2)? };
        (self.0.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        let written_again = |text: &str| read(text).map(written);
        for (text, expected) in [
            ("2026-11-17T23:36:48.036Z", "2026-11-17T23:36:48.036Z"),
            ("2026-11-17T23:36:48.036+00:00", "2026-11-17T23:36:48.036Z"),
            ("2026-11-18T00:36:48+01:00", "2026-11-17T23:36:48.000Z"),
            ("2026-11-17T22:06:48-0130", "2026-11-17T23:36:48.000Z"),
            ("2026-11-17T23:36:48.123456789Z", "2026-11-17T23:36:48.123Z"),
            ("2026-11-17 23:36", "2026-11-17T23:36:00.000Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000Z"),
        ] {
            assert_eq!(written_again(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "now",
            "2026",
            "2026-13-01",
            "2026-11-17T",
            "2026-11-17T25:00",
            "2026-11-17T23:36:48+1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
