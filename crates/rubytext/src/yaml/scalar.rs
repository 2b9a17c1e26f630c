//! The types of plain scalars: Psych's `ScalarScanner`.

use super::word_table::WORD;
use crate::time::civil;
use crate::{BigInt, RubyError, RubyInteger as _, float, integer};

/// The type of a plain scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// `~`, `null` or empty
    Nil,
    /// `yes`, `off`, `True`
    Bool(bool),
    /// `1_000`, `0x1f`, `1:30`
    Int(BigInt),
    /// `1.5`, `.inf`
    Float(f64),
    /// `:name`
    Symbol(String),
    /// `2016-01-02`
    Date,
    /// `2016-01-02 03:04:05`
    Time,
    /// A text.
    Str,
}

/// Returns the type that Psych gives a plain scalar.
pub fn tokenize(text: &str) -> Result<Scalar, RubyError> {
    if text.is_empty() {
        return Ok(Scalar::Nil);
    }
    if starts_with_letters(text) || text.contains('\n') {
        return Ok(word(text));
    }
    if is_time(text) {
        return Ok(if is_valid_time(text) { Scalar::Time } else { Scalar::Str });
    }
    if let Some((year, month, day)) = date(text) {
        return Ok(if is_valid_date(year, month, day) { Scalar::Date } else { Scalar::Str });
    }
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        ".inf" | "+.inf" => return Ok(Scalar::Float(f64::INFINITY)),
        "-.inf" => return Ok(Scalar::Float(f64::NEG_INFINITY)),
        ".nan" => return Ok(Scalar::Float(f64::NAN)),
        _ => (),
    }
    if text.len() > 1 && text.starts_with(':') {
        return Ok(Scalar::Symbol(symbol(text)));
    }
    number(text)
}

/// Returns true if `[[:word:]]` matches the character in Ruby 3.1.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let code = u32::from(c);
    let after = WORD.partition_point(|&(first, _)| first <= code);
    after > 0 && code <= WORD[after - 1].1
}

/// Returns true for a start that no number, date or symbol has.
fn starts_with_letters(text: &str) -> bool {
    let is_letter = |c: char| {
        c.is_alphabetic()
            || c.is_ascii_whitespace()
            || c == '\x0b'
            || "_!@#$%^&*(){}<>|/\\~;=".contains(c)
    };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), _) if is_letter(first) => true,
        (Some(first), Some(second)) => {
            !first.is_ascii_digit() && !".:-".contains(first) && is_letter(second)
        }
        _ => false,
    }
}

/// Classifies a short word, which may be a Boolean or nil. Psych's pattern matches any line of the text.
fn word(text: &str) -> Scalar {
    if text.chars().count() > 5 {
        return Scalar::Str;
    }
    let lines = || {
        text.split('\n')
            .enumerate()
            .filter(|(index, line)| *index == 0 || !line.is_empty())
            .map(|(_, line)| line)
    };
    // A line break counts too, since it is none of these letters.
    let other = |c: char| !"ytonf~".contains(c.to_ascii_lowercase());
    let line_starts = text.char_indices().filter(|&(at, _)| at == 0 || text[..at].ends_with('\n'));
    if line_starts.map(|(_, c)| c).any(other) {
        return Scalar::Str;
    }
    let any = |words: &[&str]| {
        lines().any(|line| words.iter().any(|word| line.eq_ignore_ascii_case(word)))
    };
    match () {
        () if text == "~" || any(&["null"]) => Scalar::Nil,
        () if any(&["yes", "true", "on"]) => Scalar::Bool(true),
        () if any(&["no", "false", "off"]) => Scalar::Bool(false),
        () => Scalar::Str,
    }
}

/// Returns the name after the colon, without quotes.
fn symbol(text: &str) -> String {
    let body = &text[1..];
    for quote in ['"', '\''] {
        if let Some(inner) = body.strip_prefix(quote)
            && let Some(end) = inner.rfind(quote)
        {
            let name = &inner[..end];
            return name.strip_prefix(':').unwrap_or(name).to_owned();
        }
    }
    body.to_owned()
}

fn number(text: &str) -> Result<Scalar, RubyError> {
    if let Some(scalar) = sexagesimal(text) {
        return Ok(scalar);
    }
    if is_float(text) {
        if matches!(text, "." | "+." | "-.") {
            return Ok(Scalar::Str);
        }
        return Ok(Scalar::Float(float::parse(&cleaned_float(text))?));
    }
    if is_integer(text) {
        let digits: String = text.chars().filter(|c| !",_".contains(*c)).collect();
        return Ok(Scalar::Int(integer::parse(&digits, 0)?));
    }
    Ok(Scalar::Str)
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// Parses `1:30`, `1:30:15`, `1:30.5`: in base 60, in Psych always as if there were hours before.
fn sexagesimal(text: &str) -> Option<Scalar> {
    let body = unsigned(text);
    let (whole, fraction) = match body.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (body, None),
    };
    let parts: Vec<&str> = whole.split(':').collect();
    let (first, rest) = parts.split_first()?;
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let is_sixty =
        |part: &str| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
    let fits = first.starts_with(|c: char| c.is_ascii_digit())
        && is_digits(first)
        && matches!(rest.len(), 1 | 2)
        && rest.iter().copied().all(is_sixty)
        && fraction.is_none_or(is_digits);
    if !fits {
        return None;
    }
    let powers = [3600i128, 60, 1];
    let parts = text.split(':').zip(powers);
    if fraction.is_some() {
        let sum = parts.fold(0.0, |sum, (part, power)| sum + float::to_f(part) * power as f64);
        return Some(Scalar::Float(sum));
    }
    let mut sum =
        parts.map(|(part, power)| integer::to_i(part, 10).ok()?.to_i128()?.checked_mul(power));
    let sum = sum.try_fold(0i128, |sum, part| sum.checked_add(part?))?;
    Some(Scalar::Int(sum.into()))
}

/// Returns true for a point, digits with commas and underscores before it, and an optional exponent with a sign.
fn is_float(text: &str) -> bool {
    let Some((whole, rest)) = unsigned(text).split_once('.') else { return false };
    let whole_fits = whole.is_empty()
        || (whole.starts_with(|c: char| c.is_ascii_digit())
            && whole.bytes().all(|b| b.is_ascii_digit() || b == b'_' || b == b','));
    let exponent = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let exponent_fits = exponent.is_empty() || {
        let digits = exponent.strip_prefix(['e', 'E']).and_then(|e| e.strip_prefix(['+', '-']));
        digits
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    whole_fits && exponent_fits
}

/// Removes commas, underscores and a point that no digit follows.
fn cleaned_float(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let drops_point = c == '.' && chars.peek().is_none_or(|next| matches!(next, 'e' | 'E'));
        if c != ',' && c != '_' && !drops_point {
            out.push(c);
        }
    }
    out
}

fn is_integer(text: &str) -> bool {
    let body = unsigned(text);
    let all = |digits: &str, fits: fn(char) -> bool| {
        !digits.is_empty() && digits.chars().all(|c| fits(c) || c == '_' || c == ',')
    };
    if let Some(digits) = body.strip_prefix("0b") {
        return all(digits, |c| matches!(c, '0' | '1'));
    }
    if let Some(digits) = body.strip_prefix("0x") {
        return all(digits, |c| c.is_ascii_hexdigit());
    }
    if let Some(digits) = body.strip_prefix('0') {
        return digits.is_empty() || all(digits, |c| ('0'..='7').contains(&c));
    }
    // Commas and underscores are allowed only singly, between digits.
    let parts_fit = body
        .split([',', '_'])
        .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    parts_fit && body.starts_with(|c: char| c.is_ascii_digit())
}

/// Parses year, month and day of `2016-1-02`.
fn date(text: &str) -> Option<(i64, u32, u32)> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_digits = |part: &str, max: usize| {
        (1..=max).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    if parts.next().is_some()
        || year.len() != 4
        || !is_digits(year, 4)
        || !is_digits(month, 2)
        || !is_digits(day, 2)
    {
        return None;
    }
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    // Psych does not try larger months and days.
    (month <= 12 && day <= 31).then_some((year, month, day))
}

fn is_valid_date(year: i64, month: u32, day: u32) -> bool {
    (1..=12).contains(&month)
        && day > 0
        && civil::date(civil::days(year, month, day)) == (year, month, day)
}

/// Returns true for `2016-01-02 03:04:05.5 +01:00`.
fn is_time(text: &str) -> bool {
    let mut scan = TimeScan(text.strip_prefix('-').unwrap_or(text));
    let date = scan.digits(4, 4)
        && scan.eat('-')
        && scan.digits(1, 2)
        && scan.eat('-')
        && scan.digits(1, 2);
    let gap = scan.eat('t') || scan.eat('T') || scan.spaces();
    let time = scan.digits(1, 2)
        && scan.eat(':')
        && scan.digits(2, 2)
        && scan.eat(':')
        && scan.digits(2, 2);
    if !(date && gap && time) {
        return false;
    }
    if scan.eat('.') {
        scan.digits(0, usize::MAX);
    }
    if scan.0.is_empty() {
        return true;
    }
    scan.spaces();
    if scan.eat('Z') {
        return scan.0.is_empty();
    }
    if !(scan.eat('+') || scan.eat('-')) || !scan.digits(1, 2) {
        return false;
    }
    scan.eat(':');
    scan.0.is_empty() || (scan.digits(2, 2) && scan.0.is_empty())
}

struct TimeScan<'a>(&'a str);

impl TimeScan<'_> {
    fn eat(&mut self, c: char) -> bool {
        let behind = self.0.strip_prefix(c);
        self.0 = behind.unwrap_or(self.0);
        behind.is_some()
    }

    fn digits(&mut self, min: usize, max: usize) -> bool {
        let count = self.0.bytes().take(max).take_while(u8::is_ascii_digit).count();
        self.0 = &self.0[count..];
        count >= min
    }

    fn spaces(&mut self) -> bool {
        let behind = self.0.trim_start_matches(|c: char| matches!(c, ' ' | '\t'..='\r'));
        let has_moved = behind.len() < self.0.len();
        self.0 = behind;
        has_moved
    }
}

/// Returns true if `Time.utc` accepts the fields.
fn is_valid_time(text: &str) -> bool {
    let numbers: Vec<u32> = text
        .trim_start_matches('-')
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .take(6)
        .filter_map(|part| part.parse().ok())
        .collect();
    let [_, month, day, hour, minute, second] = numbers[..] else { return false };
    let midnight = hour < 24 || (minute == 0 && second == 0);
    (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour <= 24
        && minute < 60
        && second <= 60
        && midnight
}

/// Returns the class that Psych checks before it finds a date or time to be invalid.
pub(super) fn class_of_lookalike(text: &str) -> Option<&'static str> {
    if starts_with_letters(text) || text.contains('\n') {
        return None;
    }
    if is_time(text) {
        return Some("Time");
    }
    date(text).map(|_| "Date")
}
