//! Puppet's `Timestamp`: nanoseconds since 1970, parsed and printed by formats.

use super::SECOND;
use super::civil::{self, Civil};
use super::strftime::{LocalTime, strftime};
use super::strptime::{ParsedTime, strptime};
use super::zone::{self, Offset};
use crate::RubyError;

/// The default formats with a zone as a separate argument, in the order of trial.
pub const FORMATS_WITHOUT_ZONE: [&str; 5] = ["%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"];

/// The default formats, in the order of trial.
pub const FORMATS: [&str; 10] = [
    "%FT%T.%N %Z",
    "%FT%T %Z",
    "%F %T.%N %Z",
    "%F %T %Z",
    "%F %Z",
    "%FT%T.%N",
    "%FT%T",
    "%F %T.%N",
    "%F %T",
    "%F",
];

/// The name of the compiling machine's zone.
const CURRENT: &str = "current";

/// Parses with one format.
///
/// `current_offset` is the machine's offset, for the zone `current`.
pub fn parse(
    text: &str,
    format: &str,
    timezone: Option<&str>,
    current_offset: i32,
) -> Result<i128, RubyError> {
    let parsed = strptime(text, format).filter(|parsed| !parsed.leftover);
    let Some(parsed) = parsed else {
        return Err(RubyError::argument(format!(
            "Unable to parse '{text}' using format '{format}'"
        )));
    };
    let timezone = nonempty(timezone);
    if timezone.is_some() && parsed.zone.is_some() {
        return Err(RubyError::argument(
            "Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument",
        ));
    }
    nanoseconds(&parsed, timezone, current_offset)
}

/// Parses with the first format that matches.
pub fn parse_any<S: AsRef<str>>(
    text: &str,
    formats: &[S],
    timezone: Option<&str>,
    current_offset: i32,
) -> Result<i128, RubyError> {
    let timezone = nonempty(timezone);
    let first_parsed = formats
        .iter()
        .filter_map(|format| strptime(text, format.as_ref()))
        .find(|parsed| !parsed.leftover && (timezone.is_none() || parsed.zone.is_none()));
    let Some(parsed) = first_parsed else {
        let names: Vec<&str> = formats.iter().map(AsRef::as_ref).collect();
        let message =
            format!("Unable to parse '{text}' using any of the formats {}", names.join(", "));
        return Err(RubyError::argument(message));
    };
    nanoseconds(&parsed, timezone, current_offset)
}

/// Parses with the default formats.
pub fn parse_default(
    text: &str,
    timezone: Option<&str>,
    current_offset: i32,
) -> Result<i128, RubyError> {
    match nonempty(timezone) {
        Some(_) => parse_any(text, &FORMATS_WITHOUT_ZONE, timezone, current_offset),
        None => parse_any(text, &FORMATS, None, current_offset),
    }
}

fn nonempty(timezone: Option<&str>) -> Option<&str> {
    timezone.filter(|timezone| !timezone.is_empty())
}

/// Computes the moment of parsed fields, as `Time.utc` does.
fn nanoseconds(
    parsed: &ParsedTime,
    timezone: Option<&str>,
    current_offset: i32,
) -> Result<i128, RubyError> {
    let Some(year) = parsed.year else {
        return Err(RubyError::type_("no implicit conversion of nil into Integer"));
    };
    // Far beyond sensible years, and within the calendar's arithmetic.
    if year.abs() > 10_000_000_000 {
        return Err(RubyError::argument("argument out of range"));
    }
    let (hour, minute, second) =
        (parsed.hour.unwrap_or(0), parsed.minute.unwrap_or(0), parsed.second.unwrap_or(0));
    if hour == 24 && minute > 0 {
        return Err(RubyError::argument("min out of range"));
    }
    if hour == 24 && second > 0 {
        return Err(RubyError::argument("sec out of range"));
    }
    let fraction = parsed.nanosecond.unwrap_or(0);
    if fraction < 0 {
        return Err(RubyError::argument("subsecx out of range"));
    }
    let days = civil::days(year, parsed.month.unwrap_or(1), parsed.day.unwrap_or(1));
    let of_day = i64::from(hour * 3600 + minute * 60 + second);
    let offset = match timezone.or(parsed.zone.as_deref()) {
        Some(timezone) => utc_offset(timezone, current_offset)?.nanoseconds,
        None => 0,
    };
    Ok(i128::from(days * 86_400 + of_day) * SECOND + i128::from(fraction) - offset)
}

/// Returns the offset of a zone from UTC.
pub fn utc_offset(timezone: &str, current_offset: i32) -> Result<Offset, RubyError> {
    if timezone.eq_ignore_ascii_case(CURRENT) {
        return Ok(Offset::seconds(current_offset.into()));
    }
    zone::utc_offset(timezone)
}

/// Formats in UTC, or in `timezone`.
pub fn format(
    nanoseconds: i128,
    format: &str,
    timezone: Option<&str>,
    current_offset: i32,
) -> Result<String, RubyError> {
    strftime(format, &local(nanoseconds, timezone, current_offset)?)
}

/// Formats a timestamp as `Timestamp#to_s` does.
pub fn to_s(nanoseconds: i128) -> Result<String, RubyError> {
    format(nanoseconds, FORMATS[0], None, 0)
}

fn local(
    nanoseconds: i128,
    timezone: Option<&str>,
    current_offset: i32,
) -> Result<LocalTime, RubyError> {
    let seconds = i64::try_from(nanoseconds.div_euclid(SECOND));
    let seconds = seconds.map_err(|_| RubyError::argument("argument out of range"))?;
    let nanosecond = nanoseconds.rem_euclid(SECOND) as u32;
    let (offset, zone) = match nonempty(timezone) {
        Some(timezone) => (written_offset(timezone, current_offset)?, None),
        None => (0, Some("UTC".to_owned())),
    };
    let shifted = seconds
        .checked_add(i64::from(offset))
        .ok_or_else(|| RubyError::argument("argument out of range"))?;
    Ok(LocalTime { civil: Civil::new(shifted, nanosecond), seconds, offset, zone })
}

/// Returns an offset to the minute; `±hh:mm` is taken as written.
fn written_offset(timezone: &str, current_offset: i32) -> Result<i32, RubyError> {
    let (hours, minutes, negative) = match timezone.as_bytes() {
        [sign @ (b'+' | b'-'), a, b, b':', c, d]
            if [a, b, c, d].iter().all(|b| b.is_ascii_digit()) =>
        {
            let two = |high: &u8, low: &u8| i32::from(high - b'0') * 10 + i32::from(low - b'0');
            (two(a, b), two(c, d), *sign == b'-')
        }
        _ => {
            let Offset { nanoseconds, rational } = utc_offset(timezone, current_offset)?;
            let minute = 60 * SECOND;
            // An Integer is divided rounding down, a Rational is truncated later.
            let minutes = match rational {
                true => nanoseconds.abs() / minute,
                false => nanoseconds.div_euclid(minute).abs(),
            };
            let minutes = i32::try_from(minutes).unwrap_or(i32::MAX);
            (minutes / 60, minutes % 60, nanoseconds < 0)
        }
    };
    let sign = if negative { '-' } else { '+' };
    if minutes > 59 {
        let expected =
            "\"+HH:MM\", \"-HH:MM\", \"UTC\" or \"A\"..\"I\",\"K\"..\"Z\" expected for utc_offset";
        return Err(RubyError::argument(format!("{expected}: {sign}{hours:02}:{minutes:02}")));
    }
    if hours > 23 {
        return Err(RubyError::argument("utc_offset out of range"));
    }
    let seconds = hours * 3600 + minutes * 60;
    Ok(if negative { -seconds } else { seconds })
}
