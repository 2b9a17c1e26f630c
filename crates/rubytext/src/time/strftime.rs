//! Ruby's `Time#strftime`.

use super::civil::{Civil, DAYS, MONTHS};
use crate::RubyError;
use std::fmt::Write;

/// A moment in a time zone.
#[derive(Debug, Clone)]
pub struct LocalTime {
    /// The local date and time of day.
    pub civil: Civil,
    /// Seconds since 1970.
    pub seconds: i64,
    /// The offset from UTC in seconds, positive to the east.
    pub offset: i32,
    /// The name of the zone; `None` if only the offset is known.
    pub zone: Option<String>,
}

/// The maximum width, above which Ruby would try to build a text of gigabytes.
const MAX_WIDTH: usize = 1 << 24;

/// Formats a time.
pub fn strftime(format: &str, time: &LocalTime) -> Result<String, RubyError> {
    let mut out = String::with_capacity(format.len() * 2);
    let mut rest = format;
    while let Some(percent) = rest.find('%') {
        out.push_str(&rest[..percent]);
        rest = &rest[percent..];
        match TimeDirective::read(rest) {
            Some((directive, behind)) => {
                if directive.width > MAX_WIDTH {
                    let message = format!("Numerical result out of range - {format}");
                    return Err(RubyError::new("Errno::ERANGE", message));
                }
                rest = behind;
                directive.print(time, &mut out)?;
            }
            // An invalid directive is literal text, up to the character that makes it invalid.
            None => {
                let invalid = || RubyError::argument(format!("invalid format: {format}"));
                let length = unknown_length(rest).ok_or_else(invalid)?;
                out.push_str(&rest[..length]);
                rest = &rest[length..];
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[derive(Default)]
struct TimeDirective {
    left: bool,
    upper: bool,
    change_case: bool,
    padding: Option<char>,
    width: usize,
    colons: usize,
    letter: char,
}

/// Returns the length of an invalid directive; `None` if it has no end.
fn unknown_length(text: &str) -> Option<usize> {
    let mut directive = TimeDirective::default();
    let mut at = 1;
    while let Some(c) = text[at..].chars().next() {
        match directive.item(&text[at..]) {
            Some(length) => at += length,
            None => return Some(at + c.len_utf8()),
        }
    }
    None
}

impl TimeDirective {
    /// Parses the directive at the start; returns the rest too.
    fn read(text: &str) -> Option<(Self, &str)> {
        let mut directive = Self::default();
        let mut rest = text.strip_prefix('%')?;
        while let Some(length) = directive.item(rest) {
            rest = &rest[length..];
        }
        directive.letter = rest.chars().next()?;
        let is_directive =
            "YCymBbhjdeHkIlMSLNzZAauwGgVUWspPntcDFvxXrRT%".contains(directive.letter);
        (is_directive && !(directive.colons > 3 && directive.letter == 'z'))
            .then(|| (directive, &rest[1..]))
    }

    /// Parses a flag, a width, colons or a modifier, and returns its length; `None` if there is none of them.
    fn item(&mut self, rest: &str) -> Option<usize> {
        let c = rest.chars().next()?;
        // Flags precede the width.
        if self.width > 0 && "-^#_".contains(c) {
            return None;
        }
        match c {
            '-' => (self.left, self.padding, self.width) = (true, None, 0),
            '^' => self.upper = true,
            '#' => self.change_case = true,
            '_' => self.padding = Some(' '),
            ':' => {
                let colons = rest.bytes().take_while(|&b| b == b':').count();
                // Ruby treats four or more colons as if the directive were not there.
                self.colons = colons.min(4);
                let is_read = colons > 3 || rest[colons..].starts_with('z');
                return is_read.then_some(self.colons);
            }
            '0'..='9' => {
                if c == '0' {
                    self.padding = Some('0');
                }
                let length = rest.bytes().take_while(u8::is_ascii_digit).count();
                self.width = rest[..length].parse::<i32>().ok()? as usize;
                return Some(length);
            }
            'E' if rest[1..].starts_with(['c', 'C', 'x', 'X', 'y', 'Y']) => (),
            'O' if rest[1..].starts_with(|c| "deHkIlmMSuUVwWy".contains(c)) => (),
            _ => return None,
        }
        Some(1)
    }

    fn print(&self, time: &LocalTime, out: &mut String) -> Result<(), RubyError> {
        let civil = &time.civil;
        let year_width = |year: i64| if year < 0 { 5 } else { 4 };
        let (iso_year, iso_week) = civil.iso_week();
        let twelve = (civil.hour + 11) % 12 + 1;
        match self.letter {
            'Y' => self.number(civil.year, year_width(civil.year), '0', out),
            'C' => self.number(civil.year.div_euclid(100), 2, '0', out),
            'y' => self.number(civil.year.rem_euclid(100), 2, '0', out),
            'G' => self.number(iso_year, year_width(iso_year), '0', out),
            'g' => self.number(iso_year.rem_euclid(100), 2, '0', out),
            'm' => self.number(civil.month.into(), 2, '0', out),
            'd' => self.number(civil.day.into(), 2, '0', out),
            'e' => self.number(civil.day.into(), 2, ' ', out),
            'j' => self.number(civil.day_of_year().into(), 3, '0', out),
            'H' => self.number(civil.hour.into(), 2, '0', out),
            'k' => self.number(civil.hour.into(), 2, ' ', out),
            'I' => self.number(twelve.into(), 2, '0', out),
            'l' => self.number(twelve.into(), 2, ' ', out),
            'M' => self.number(civil.minute.into(), 2, '0', out),
            'S' => self.number(civil.second.into(), 2, '0', out),
            'V' => self.number(iso_week.into(), 2, '0', out),
            'U' => self.number(civil.week(0).into(), 2, '0', out),
            'W' => self.number(civil.week(1).into(), 2, '0', out),
            'u' => self.number(i64::from((civil.weekday() + 6) % 7 + 1), 1, '0', out),
            'w' => self.number(civil.weekday().into(), 1, '0', out),
            's' => self.number(time.seconds, 1, '0', out),
            'L' => self.fraction(civil.nanosecond, 3, out),
            'N' => self.fraction(civil.nanosecond, 9, out),
            'z' => self.offset(time.offset, time.zone.as_deref() == Some("UTC"), out),
            _ => return self.words(time, out),
        }
        Ok(())
    }

    fn words(&self, time: &LocalTime, out: &mut String) -> Result<(), RubyError> {
        let civil = &time.civil;
        let month = MONTHS[civil.month as usize - 1];
        let day = DAYS[civil.weekday() as usize];
        let half = if civil.hour < 12 { "AM" } else { "PM" };
        match self.letter {
            'B' => self.word(month, self.change_case, out),
            'b' | 'h' => self.word(&month[..3], self.change_case, out),
            'A' => self.word(day, self.change_case, out),
            'a' => self.word(&day[..3], self.change_case, out),
            'p' if self.change_case => self.text(&half.to_lowercase(), out),
            'P' if !self.change_case && !self.upper => self.text(&half.to_lowercase(), out),
            'p' | 'P' => self.text(half, out),
            'Z' => {
                let zone = time.zone.as_deref().unwrap_or("");
                let zone = if self.change_case { zone.to_lowercase() } else { zone.to_owned() };
                self.text(
                    &if self.upper && !self.change_case { zone.to_uppercase() } else { zone },
                    out,
                );
            }
            'n' => self.text("\n", out),
            't' => self.text("\t", out),
            '%' => self.text("%", out),
            letter => {
                let text = strftime(composite(letter), time)?;
                let composed = Self { left: false, ..*self };
                composed.word(&text, false, out);
            }
        }
        Ok(())
    }

    fn number(&self, number: i64, default_width: usize, default_padding: char, out: &mut String) {
        let width = match () {
            () if self.left => 1,
            () if self.width > 0 => self.width,
            () => default_width,
        };
        // Writing to a `String` can't fail.
        let _ = match self.padding.unwrap_or(default_padding) {
            '0' => write!(out, "{number:0width$}"),
            _ => write!(out, "{number:width$}"),
        };
    }

    /// Appends the digits after the point, truncated.
    fn fraction(&self, nanosecond: u32, default_width: usize, out: &mut String) {
        let width = if self.width > 0 { self.width } else { default_width };
        let digits = format!("{nanosecond:09}");
        out.push_str(&digits[..width.min(9)]);
        out.extend(std::iter::repeat_n('0', width.saturating_sub(9)));
    }

    fn word(&self, text: &str, upper: bool, out: &mut String) {
        if self.upper || upper {
            self.text(&text.to_uppercase(), out)
        } else {
            self.text(text, out)
        }
    }

    fn text(&self, text: &str, out: &mut String) {
        let missing = self.width.saturating_sub(text.chars().count());
        if !self.left && !text.is_empty() {
            let padding = if self.padding == Some('0') { '0' } else { ' ' };
            out.extend(std::iter::repeat_n(padding, missing));
        }
        out.push_str(text);
    }

    /// Appends `+hhmm`, `+hh:mm`, `+hh:mm:ss` or the shortest exact form.
    fn offset(&self, offset: i32, utc: bool, out: &mut String) {
        let (hours, minutes, seconds) = {
            let offset = offset.unsigned_abs();
            (offset / 3600, offset / 60 % 60, offset % 60)
        };
        let tail = match (self.colons, minutes, seconds) {
            (0, ..) => format!("{minutes:02}"),
            (1, ..) => format!(":{minutes:02}"),
            (3, 0, 0) => String::new(),
            (3, _, 0) => format!(":{minutes:02}"),
            _ => format!(":{minutes:02}:{seconds:02}"),
        };
        let width = self.width.saturating_sub(tail.len() + 1).max(2);
        // In UTC `%-z` marks the zone as unknown.
        let sign = if offset < 0 || (self.left && utc) { '-' } else { '+' };
        if self.padding == Some(' ') {
            let signed = format!("{sign}{hours}");
            let _ = write!(out, "{signed:>0$}{tail}", width + 1);
        } else {
            let _ = write!(out, "{sign}{hours:0width$}{tail}");
        }
    }
}

fn composite(letter: char) -> &'static str {
    match letter {
        'c' => "%a %b %e %H:%M:%S %Y",
        'D' | 'x' => "%m/%d/%y",
        'F' => "%Y-%m-%d",
        'v' => "%e-%^b-%4Y",
        'r' => "%I:%M:%S %p",
        'R' => "%H:%M",
        _ => "%H:%M:%S",
    }
}
