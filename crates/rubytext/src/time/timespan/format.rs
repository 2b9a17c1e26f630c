//! Formats of timespans, for printing and parsing.

use crate::BigInt;
use crate::RubyError;
use crate::sprintf::{self, Argument};
use std::collections::HashSet;

/// A parsed format.
#[derive(Debug, Clone)]
pub struct Format {
    text: String,
    segments: Vec<FormatSegment>,
}

#[derive(Debug, Clone, PartialEq)]
enum FormatSegment {
    Literal(String),
    Value(TimespanField),
}

#[derive(Debug, Clone, PartialEq)]
struct TimespanField {
    unit: Unit,
    /// `None` for `%-`: no padding.
    padding: Option<char>,
    width: Option<u64>,
    /// Set for the largest unit of a format, which includes everything above it.
    total: bool,
}

/// Units from the smallest to the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Nanosecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
}

impl Format {
    /// Parses a format: `%D %H %M %S %L %N`, each with `-`, `_` or `0` and a width.
    pub fn parse(format: &str) -> Result<Self, RubyError> {
        let mut segments = parse_segments(format)?;
        let values = || {
            segments
                .iter()
                .filter_map(|s| if let FormatSegment::Value(v) = s { Some(v.unit) } else { None })
        };
        let highest = values().max();
        let first = segments.iter_mut().find_map(|segment| match segment {
            FormatSegment::Value(value) if Some(value.unit) == highest => Some(value),
            _ => None,
        });
        if let Some(value) = first {
            value.total = true;
        }
        Ok(Self { text: format.to_owned(), segments })
    }

    /// Formats a timespan.
    pub fn print(&self, nanoseconds: i128) -> Result<String, RubyError> {
        let mut out = String::new();
        if nanoseconds < 0 {
            out.push('-');
        }
        for segment in &self.segments {
            match segment {
                FormatSegment::Literal(text) => out.push_str(text),
                FormatSegment::Value(value) => {
                    value.print(nanoseconds.saturating_abs(), &mut out)?
                }
            }
        }
        Ok(out)
    }

    /// Parses a timespan.
    pub fn read(&self, text: &str) -> Result<i128, RubyError> {
        let refused = || {
            RubyError::argument(format!("Unable to parse '{text}' using format '{}'", self.text))
        };
        // The search recurses once per segment.
        if self.segments.len() > 1000 {
            return Err(refused());
        }
        for segment in &self.segments {
            if let FormatSegment::Value(value) = segment {
                value.check_repeat(self)?;
            }
        }
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let mut groups = Vec::new();
        let mut failed = HashSet::new();
        if !matches(&self.segments, unsigned, &mut groups, &mut failed) {
            return Err(refused());
        }
        groups.reverse();
        let mut total: i128 = 0;
        for (segment, group) in self.segments.iter().zip(groups) {
            let FormatSegment::Value(value) = segment else { continue };
            let digits = group.trim_start_matches(|c: char| c == '\0' || is_space(c));
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(refused());
            }
            let part = value.nanoseconds(digits)?;
            total = part.and_then(|part| total.checked_add(part)).ok_or_else(refused)?;
        }
        Ok(if text.starts_with('-') { -total } else { total })
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

fn parse_segments(format: &str) -> Result<Vec<FormatSegment>, RubyError> {
    let mut segments: Vec<FormatSegment> = Vec::new();
    let chars: Vec<char> = format.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if chars[at] != '%' {
            push_literal(&mut segments, chars[at]);
            at += 1;
            continue;
        }
        let (segment, next) = parse_value(&chars, at)?;
        match segment {
            Some(value) => segments.push(FormatSegment::Value(value)),
            None => push_literal(&mut segments, '%'),
        }
        at = next;
    }
    Ok(segments)
}

fn push_literal(segments: &mut Vec<FormatSegment>, c: char) {
    match segments.last_mut() {
        Some(FormatSegment::Literal(text)) => text.push(c),
        _ => segments.push(FormatSegment::Literal(c.to_string())),
    }
}

/// Parses a directive and returns its end; `None` for `%%`.
fn parse_value(chars: &[char], start: usize) -> Result<(Option<TimespanField>, usize), RubyError> {
    let bad = |at: usize| {
        let text: String = chars.iter().collect();
        let expression: String = chars[start..at].iter().collect();
        RubyError::argument(format!(
            "Bad format specifier '{expression}' in '{text}', at position {at}"
        ))
    };
    let (mut padding, mut width, mut fresh) = (Some('0'), None::<u64>, true);
    for (at, &c) in chars.iter().enumerate().skip(start + 1) {
        let unit = match c {
            '%' => return Ok((None, at + 1)),
            '-' | '_' if fresh => {
                padding = if c == '-' { None } else { Some(' ') };
                fresh = false;
                continue;
            }
            '0' if fresh => {
                fresh = false;
                continue;
            }
            '0'..='9' => {
                let digit = u64::from(c) - u64::from('0');
                width = Some(width.unwrap_or(0).saturating_mul(10).saturating_add(digit));
                fresh = false;
                continue;
            }
            'D' => Unit::Day,
            'H' => Unit::Hour,
            'M' => Unit::Minute,
            'S' => Unit::Second,
            'L' => Unit::Millisecond,
            'N' => Unit::Nanosecond,
            _ => return Err(bad(at)),
        };
        return Ok((Some(TimespanField { unit, padding, width, total: false }), at + 1));
    }
    // Ruby names the last position, not the end.
    Err(bad(chars.len() - 1))
}

impl TimespanField {
    fn default_width(&self) -> u64 {
        match self.unit {
            Unit::Day => 1,
            Unit::Hour | Unit::Minute | Unit::Second => 2,
            Unit::Millisecond => 3,
            Unit::Nanosecond => 9,
        }
    }

    fn is_fraction(&self) -> bool {
        self.unit <= Unit::Millisecond
    }

    fn print(&self, total: i128, out: &mut String) -> Result<(), RubyError> {
        let number = self.number(total);
        let width = self.width.unwrap_or_else(|| self.default_width());
        let format = match (self.padding, self.is_fraction()) {
            (None, _) => "%d".to_owned(),
            (Some(_), true) => format!("%-{width}d"),
            (Some(' '), false) => format!("%{width}d"),
            (Some(padding), false) => format!("%{padding}{width}d"),
        };
        let argument: &dyn Argument = &BigInt::from(number);
        out.push_str(&sprintf::format(&format, &[argument])?);
        Ok(())
    }

    /// Returns the number to print.
    fn number(&self, total: i128) -> i128 {
        let cut =
            |unit: i128, limit: i128| if self.total { total / unit } else { total / unit % limit };
        let number = match self.unit {
            Unit::Day => total / 86_400_000_000_000,
            Unit::Hour => cut(3_600_000_000_000, 24),
            Unit::Minute => cut(60_000_000_000, 60),
            Unit::Second => cut(1_000_000_000, 60),
            Unit::Millisecond => cut(1_000_000, 1000),
            Unit::Nanosecond => {
                let width = self.width.unwrap_or(9).min(9) as u32;
                cut(10i128.pow(9 - width), 10i128.pow(width))
            }
        };
        // After a point, trailing zeros are insignificant.
        if !self.is_fraction() || self.total || self.padding == Some('0') {
            return number;
        }
        let mut number = number;
        while number != 0 && number % 10 == 0 {
            number /= 10;
        }
        number
    }

    /// Returns the minimum and maximum number of characters, whether they may be spaces, and whether space before is skipped.
    fn shape(&self) -> Shape {
        let width = self.width.map(|width| usize::try_from(width).unwrap_or(usize::MAX));
        let default = self.default_width() as usize;
        let (min, max, spaces, skip) = match (width, self.padding) {
            (None, None | Some('0')) => {
                (1, if self.total { usize::MAX } else { default }, false, false)
            }
            (None, Some(_)) if self.total => (1, usize::MAX, false, true),
            (None, Some(_)) => (1, default, true, false),
            (Some(width), None) => (1, width, false, false),
            (Some(width), Some('0')) => (width, width, false, false),
            (Some(width), Some(_)) => (width, width, true, false),
        };
        Shape { min, max, spaces, skip }
    }

    /// Refuses a repetition that exceeds the limits of Ruby's regular expressions, or can't match.
    fn check_repeat(&self, format: &Format) -> Result<(), RubyError> {
        let (Some(width), padding) = (self.width, self.padding) else { return Ok(()) };
        let reason = match padding {
            _ if width > 100_000 => "too big number",
            None if width == 0 => "upper is smaller than lower in repeat range",
            _ => return Ok(()),
        };
        Err(RubyError::new("RegexpError", format!("{reason}: /{}/", format.regexp())))
    }

    /// Converts digits of this unit; `None` if they are too large.
    fn nanoseconds(&self, digits: &str) -> Result<Option<i128>, RubyError> {
        let number = digits.parse::<i128>().ok();
        let unit = match self.unit {
            Unit::Day => 86_400_000_000_000,
            Unit::Hour => 3_600_000_000_000,
            Unit::Minute => 60_000_000_000,
            Unit::Second => 1_000_000_000,
            Unit::Millisecond | Unit::Nanosecond => {
                if self.total {
                    return Err(RubyError::argument(
                        "Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude",
                    ));
                }
                10i128.pow(9u32.saturating_sub(digits.len() as u32))
            }
        };
        Ok(number.and_then(|number| number.checked_mul(unit)))
    }
}

struct Shape {
    min: usize,
    max: usize,
    spaces: bool,
    skip: bool,
}

/// Returns true if the segments match all of the text. The groups are pushed last to first.
///
/// Greedy with backtracking; `failed` caches dead ends, which bounds the work by segments times text.
fn matches<'t>(
    segments: &[FormatSegment],
    text: &'t str,
    groups: &mut Vec<&'t str>,
    failed: &mut HashSet<(usize, usize)>,
) -> bool {
    let Some((first, rest)) = segments.split_first() else { return text.is_empty() };
    if failed.contains(&(segments.len(), text.len())) {
        return false;
    }
    let is_match = match first {
        FormatSegment::Literal(literal) => {
            text.strip_prefix(literal.as_str()).is_some_and(|behind| {
                let matched = matches(rest, behind, groups, failed);
                if matched {
                    groups.push(literal_of(text, behind));
                }
                matched
            })
        }
        FormatSegment::Value(value) => match_value(&value.shape(), rest, text, groups, failed),
    };
    if !is_match {
        failed.insert((segments.len(), text.len()));
    }
    is_match
}

fn literal_of<'t>(text: &'t str, behind: &str) -> &'t str {
    &text[..text.len() - behind.len()]
}

fn match_value<'t>(
    shape: &Shape,
    rest: &[FormatSegment],
    text: &'t str,
    groups: &mut Vec<&'t str>,
    failed: &mut HashSet<(usize, usize)>,
) -> bool {
    let text = if shape.skip { text.trim_start_matches(is_space) } else { text };
    let fits = |b: &u8| b.is_ascii_digit() || (shape.spaces && is_space(char::from(*b)));
    let longest = text.bytes().take(shape.max).take_while(fits).count();
    for length in (shape.min..=longest).rev() {
        if matches(rest, &text[length..], groups, failed) {
            groups.push(&text[..length]);
            return true;
        }
    }
    false
}

impl Format {
    /// Returns the regular expression that Puppet makes of the format, which Ruby's messages quote.
    fn regexp(&self) -> String {
        let mut out = String::from("\\A-?");
        for segment in &self.segments {
            match segment {
                FormatSegment::Literal(text) => {
                    out.push('(');
                    for c in text.chars() {
                        if c == '-' || c == ' ' || ".*?+^$|\\()[]{}#".contains(c) {
                            out.push('\\');
                        }
                        out.push(c);
                    }
                    out.push(')');
                }
                FormatSegment::Value(value) => out.push_str(&value.regexp()),
            }
        }
        out.push_str("\\z");
        out
    }
}

impl TimespanField {
    fn regexp(&self) -> String {
        let default = self.default_width();
        match (self.width, self.padding) {
            (None, None | Some('0')) if self.total => "([0-9]+)".to_owned(),
            (None, None | Some('0')) => format!("([0-9]{{1,{default}}})"),
            (None, Some(_)) if self.total => "\\s*([0-9]+)".to_owned(),
            (None, Some(_)) => format!("([0-9\\s]{{1,{default}}})"),
            (Some(width), None) => format!("([0-9]{{1,{width}}})"),
            (Some(width), Some('0')) => format!("([0-9]{{{width}}})"),
            (Some(width), Some(_)) => format!("([0-9\\s]{{{width}}})"),
        }
    }
}
