//! Offsets of time zones, parsed as Ruby's `DateTime._strptime` does.

use super::SECOND;
use super::zone_table::ZONES;
use crate::RubyError;

/// The offset of a zone from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// In nanoseconds: an offset may have any fraction of an hour.
    pub nanoseconds: i128,
    /// Set if it was written as a fraction of an hour; Ruby then computes with a Rational, which rounds differently.
    pub rational: bool,
}

impl Offset {
    /// Creates an offset of whole seconds.
    pub fn seconds(seconds: i64) -> Self {
        Self { nanoseconds: i128::from(seconds) * SECOND, rational: false }
    }
}

/// Returns Puppet's offset of a zone, whose start must be valid for `%z`.
pub fn utc_offset(zone: &str) -> Result<Offset, RubyError> {
    let offset = length(zone).and_then(|length| offset(&zone[..length]));
    offset.ok_or_else(|| RubyError::argument(format!("Illegal timezone '{zone}'")))
}

/// Returns the length of the zone at the start.
pub(super) fn length(text: &str) -> Option<usize> {
    numeric_length(text).or_else(|| named_time_length(text)).or_else(|| word_length(text))
}

/// Returns the length of `+01:00`, `UTC+1`, `gmt-01:30:15`.
fn numeric_length(text: &str) -> Option<usize> {
    let after = ["gmt", "utc", "ut", ""].into_iter().find_map(|name| {
        let head = text.get(..name.len())?;
        let rest = &text[name.len()..];
        (head.eq_ignore_ascii_case(name) && rest.starts_with(['+', '-'])).then_some(name.len() + 1)
    })?;
    let digits = |at: usize| text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let mut at = after + digits(after);
    if at == after {
        return None;
    }
    if text[at..].starts_with([',', '.', ':']) && digits(at + 1) > 0 {
        at += 1 + digits(at + 1);
        if text[at..].starts_with(':') && digits(at + 1) > 0 {
            at += 1 + digits(at + 1);
        }
    }
    Some(at)
}

/// Returns the length of `Central European Standard Time`.
fn named_time_length(text: &str) -> Option<usize> {
    let head = text
        .find(|c: char| !(c.is_alphabetic() || c == '.' || super::strptime::is_space(c)))
        .unwrap_or(text.len());
    let lower = text[..head].to_ascii_lowercase();
    // Greedy, so the last match counts.
    (1..head).rev().filter(|&at| lower.is_char_boundary(at)).find_map(|at| {
        let rest = &lower[at..];
        let rest = rest.strip_prefix("standard").or_else(|| rest.strip_prefix("daylight"))?;
        let time = rest.trim_start_matches(super::strptime::is_space);
        let ends = |behind: &str| !behind.starts_with(is_word);
        let behind = time.strip_prefix("time")?;
        let end = head - behind.len();
        (time.len() < rest.len() && ends(&text[end..])).then_some(end)
    })
}

/// Returns the length of `EST`, `jst dst`.
fn word_length(text: &str) -> Option<usize> {
    let word = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    if word == 0 {
        return None;
    }
    let ends = |at: usize| !text[at..].starts_with(is_word);
    let behind = text[word..].trim_start_matches(super::strptime::is_space);
    let at = text.len() - behind.len();
    let is_summer = behind.get(..3).is_some_and(|dst| dst.eq_ignore_ascii_case("dst"));
    if at > word && is_summer && ends(at + 3) {
        return Some(at + 3);
    }
    ends(word).then_some(word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the offset of a zone; `None` for an unknown name.
pub(super) fn offset(zone: &str) -> Option<Offset> {
    let squeezed: Vec<&str> =
        zone.split(super::strptime::is_space).filter(|word| !word.is_empty()).collect();
    let lower = squeezed.join(" ").to_lowercase();
    let (name, summer) = match lower.strip_suffix(" standard time") {
        Some(name) => (name, false),
        None => match lower.strip_suffix(" daylight time").or_else(|| lower.strip_suffix(" dst")) {
            Some(name) => (name, true),
            None => (lower.as_str(), false),
        },
    };
    if let Ok(at) = ZONES.binary_search_by_key(&name, |&(zone, _)| zone) {
        return Some(Offset::seconds(i64::from(ZONES[at].1) + if summer { 3600 } else { 0 }));
    }
    let digits = ["gmt", "utc"].into_iter().find_map(|utc| name.strip_prefix(utc)).unwrap_or(name);
    numeric_offset(digits)
}

fn numeric_offset(text: &str) -> Option<Offset> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let text = &text[1..];
    if let Some((hours, fraction)) = text.split_once([',', '.']) {
        let nanoseconds = sign * (number(hours)? * 3600 * SECOND + part_of_hour(fraction));
        return Some(Offset { nanoseconds, rational: true });
    }
    let seconds = if text.contains(':') { colons(text)? } else { packed(text)? };
    Some(Offset { nanoseconds: sign * seconds * SECOND, rational: false })
}

/// Parses the digits at the start; more than nine of them are no offset.
fn number(text: &str) -> Option<i128> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..length].parse().ok().filter(|_| length < 10)
}

/// Parses `+1:2:3`.
fn colons(text: &str) -> Option<i128> {
    let mut parts = text.split(':');
    let (hours, minutes) = (number(parts.next()?)?, number(parts.next()?)?);
    let seconds = parts.next().map_or(Some(0), number)?;
    Some(hours * 3600 + minutes * 60 + seconds)
}

/// Converts the digits after the point of `+1.5`, an hour and a half, to nanoseconds.
fn part_of_hour(fraction: &str) -> i128 {
    let length = fraction.bytes().take_while(u8::is_ascii_digit).count().min(18);
    let scale = 10i128.pow(length as u32);
    fraction[..length].parse::<i128>().unwrap_or(0) * 3600 * SECOND / scale
}

/// Parses `+9`, `+09`, `+930`, `+0930`, `+093015`.
fn packed(text: &str) -> Option<i128> {
    let digits = &text[..text.bytes().take_while(u8::is_ascii_digit).count()];
    // An odd number of digits leaves one for the hours.
    let hours = 2 - digits.len() % 2;
    let part = |from: usize| digits.get(from..from + 2).map_or(Some(0), number);
    Some(number(digits.get(..hours)?)? * 3600 + part(hours)? * 60 + part(hours + 2)?)
}
