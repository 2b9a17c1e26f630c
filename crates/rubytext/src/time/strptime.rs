//! Ruby's `DateTime._strptime`: parsing by a format.

use super::civil::{DAYS, MONTHS};
use super::zone;

/// The parsed fields, as far as Puppet uses them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedTime {
    /// The year; `None` if the format has none.
    pub year: Option<i64>,
    /// 1 to 12
    pub month: Option<u32>,
    /// 1 to 31
    pub day: Option<u32>,
    /// 0 to 24
    pub hour: Option<u32>,
    /// 0 to 59
    pub minute: Option<u32>,
    /// 0 to 60
    pub second: Option<u32>,
    /// Nanoseconds; further digits are dropped.
    pub nanosecond: Option<i64>,
    /// The zone as written.
    pub zone: Option<String>,
    /// Set if the text goes on behind the format.
    pub leftover: bool,
}

/// Parses a text; `None` if it does not match the format.
pub fn strptime(text: &str, format: &str) -> Option<ParsedTime> {
    let mut reader =
        Reader { rest: text, parsed: ParsedTime::default(), century: None, afternoon: None };
    reader.read(format)?;
    let mut parsed = reader.parsed;
    parsed.leftover = !reader.rest.is_empty();
    if let (Some(century), Some(year)) = (reader.century, parsed.year) {
        parsed.year = Some(year.checked_add(century.checked_mul(100)?)?);
    }
    if let (Some(afternoon), Some(hour)) = (reader.afternoon, parsed.hour) {
        parsed.hour = Some(hour % 12 + afternoon);
    }
    Some(parsed)
}

pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

struct Reader<'a> {
    rest: &'a str,
    parsed: ParsedTime,
    century: Option<i64>,
    afternoon: Option<u32>,
}

impl Reader<'_> {
    fn read(&mut self, format: &str) -> Option<()> {
        let mut format = format;
        while let Some(c) = format.chars().next() {
            format = &format[c.len_utf8()..];
            match c {
                '%' if !format.is_empty() => format = self.directive(format)?,
                _ if is_space(c) => self.rest = self.rest.trim_start_matches(is_space),
                _ => self.literal(c)?,
            }
        }
        Some(())
    }

    fn literal(&mut self, c: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(c)?;
        Some(())
    }

    /// Parses the text of a directive, and returns the format behind it.
    fn directive<'f>(&mut self, format: &'f str) -> Option<&'f str> {
        let (letter, behind) = split_directive(format);
        let Some(letter) = letter else {
            // An invalid directive is literal text.
            self.literal('%')?;
            return Some(format);
        };
        match letter {
            'c' => self.read("%a %b %e %H:%M:%S %Y")?,
            'D' | 'x' => self.read("%m/%d/%y")?,
            'F' => self.read("%Y-%m-%d")?,
            'n' | 't' => self.read(" ")?,
            'R' => self.read("%H:%M")?,
            'r' => self.read("%I:%M:%S %p")?,
            'T' | 'X' => self.read("%H:%M:%S")?,
            'v' => self.read("%e-%b-%Y")?,
            '+' => self.read("%a %b %e %H:%M:%S %Z %Y")?,
            '%' => self.literal('%')?,
            _ => self.field(letter, is_number_next(behind))?,
        }
        Some(behind)
    }

    fn field(&mut self, letter: char, number_next: bool) -> Option<()> {
        match letter {
            'A' | 'a' => drop(self.name(&DAYS)?),
            'B' | 'b' | 'h' => self.parsed.month = Some(self.name(&MONTHS)? + 1),
            'C' => self.century = Some(self.signed(number_next.then_some(2))?),
            'd' | 'e' => self.parsed.day = Some(self.blank_number(1..=31)?),
            'H' | 'k' => self.parsed.hour = Some(self.blank_number(0..=24)?),
            'I' | 'l' => self.parsed.hour = Some(self.blank_number(1..=12)?),
            'G' => drop(self.signed(number_next.then_some(4))?),
            'g' => {
                let year = self.number(2, 0..=99)?;
                self.default_century(year);
            }
            'j' => drop(self.number(3, 1..=366)?),
            'L' => self.fraction(number_next.then_some(3))?,
            'N' => self.fraction(number_next.then_some(9))?,
            'M' => self.parsed.minute = Some(self.number(2, 0..=59)?),
            'm' => self.parsed.month = Some(self.number(2, 1..=12)?),
            'p' | 'P' => self.half()?,
            'Q' | 's' => drop(self.signed(None)?),
            'S' => self.parsed.second = Some(self.number(2, 0..=60)?),
            'U' | 'W' => drop(self.number(2, 0..=53)?),
            'u' => drop(self.number(1, 1..=7)?),
            'V' => drop(self.number(2, 1..=53)?),
            'w' => drop(self.number(1, 0..=6)?),
            'Y' => self.parsed.year = Some(self.signed(number_next.then_some(4))?),
            'y' => {
                let year = self.number(2, 0..=99)?;
                self.parsed.year = Some(year.into());
                self.default_century(year);
            }
            _ => self.zone()?,
        }
        Some(())
    }

    fn default_century(&mut self, year: u32) {
        self.century = self.century.or(Some(if year >= 69 { 19 } else { 20 }));
    }

    fn digits(&mut self, max: Option<usize>) -> Option<&str> {
        let length = self
            .rest
            .bytes()
            .take(max.unwrap_or(usize::MAX))
            .take_while(u8::is_ascii_digit)
            .count();
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        (length > 0).then_some(digits)
    }

    fn number(&mut self, width: usize, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
        self.digits(Some(width))?.parse().ok().filter(|number| range.contains(number))
    }

    /// Parses a number whose first digit may be a space.
    fn blank_number(&mut self, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
        match self.rest.strip_prefix(' ') {
            Some(rest) => {
                self.rest = rest;
                self.number(1, range)
            }
            None => self.number(2, range),
        }
    }

    fn sign(&mut self) -> i64 {
        let sign = if self.rest.starts_with('-') { -1 } else { 1 };
        self.rest = self.rest.strip_prefix(['+', '-']).unwrap_or(self.rest);
        sign
    }

    fn signed(&mut self, width: Option<usize>) -> Option<i64> {
        let sign = self.sign();
        // A year of more than 18 digits does not fit the calendar's arithmetic.
        let digits = self.digits(width)?;
        digits.parse::<i64>().ok().map(|number| sign * number)
    }

    fn fraction(&mut self, width: Option<usize>) -> Option<()> {
        let sign = self.sign();
        let digits = self.digits(width)?;
        let nine = format!("{:0<9}", digits.get(..9).unwrap_or(digits));
        self.parsed.nanosecond = Some(sign * nine.parse::<i64>().ok()?);
        Some(())
    }

    /// Parses a name, in full or its first three letters, and returns its index.
    fn name(&mut self, names: &[&str]) -> Option<u32> {
        let starts = |name: &str| {
            self.rest.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        };
        let (index, length) = names.iter().enumerate().find_map(|(index, name)| {
            let length = if starts(name) { name.len() } else { 3 };
            starts(&name[..length]).then_some((index, length))
        })?;
        self.rest = &self.rest[length..];
        u32::try_from(index).ok()
    }

    /// Parses `am`, `PM`, `a.m.`.
    fn half(&mut self) -> Option<()> {
        let lower = self.rest.get(..2)?.to_ascii_lowercase();
        self.afternoon = Some(if lower.starts_with('p') { 12 } else { 0 });
        let long = self.rest.get(..4).map(str::to_ascii_lowercase);
        let length = match (lower.as_str(), long.as_deref()) {
            ("am" | "pm", _) => 2,
            (_, Some("a.m." | "p.m.")) => 4,
            _ => return None,
        };
        self.rest = &self.rest[length..];
        Some(())
    }

    fn zone(&mut self) -> Option<()> {
        let length = zone::length(self.rest)?;
        self.parsed.zone = Some(self.rest[..length].to_owned());
        self.rest = &self.rest[length..];
        Some(())
    }
}

/// Splits the letter of a valid directive off the format.
fn split_directive(format: &str) -> (Option<char>, &str) {
    let allowed = match format.as_bytes() {
        [b'E', ..] => "cCxXyY",
        [b'O', ..] => "deHImMSuUVwWy",
        [b':', ..] => {
            let colons = format.bytes().take_while(|&b| b == b':').count();
            let is_zone = colons <= 3 && format[colons..].starts_with('z');
            return if is_zone { (Some('z'), &format[colons + 1..]) } else { (None, format) };
        }
        _ => {
            let letter = format
                .chars()
                .next()
                .filter(|&c| "AaBbhCcDdeFGgHkIljLNMmntPpQRrSsTXUWuVvwxYyZz%+".contains(c));
            return (letter, letter.map_or(format, |_| &format[1..]));
        }
    };
    match format[1..].chars().next().filter(|&c| allowed.contains(c)) {
        Some(letter) => (Some(letter), &format[2..]),
        None => (None, format),
    }
}

/// Returns true if the format goes on with a number, so that a number before it ends after its usual width.
fn is_number_next(format: &str) -> bool {
    let Some(directive) = format.strip_prefix('%') else {
        return format.starts_with(|c: char| c.is_ascii_digit());
    };
    let letter = directive.strip_prefix(['E', 'O']).unwrap_or(directive);
    letter
        .starts_with(|c: char| c.is_ascii_digit() || "CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy".contains(c))
}
