//! `String#scanf`, as Puppet's `scanf` uses it.
//!
//! A format is a list of items ([`ScanItem`]): directives and the words between them. Each becomes a regular expression that must
//! match where the previous one ended; the first that doesn't ends the scan, without an error.

use super::float::is_space;
use super::{BigInt, Data, RubyError, RubyInteger as _, float, integer};
use kukla_regex::{Options, Regex};

/// Returns the values that the format matches in the text, in order.
pub fn scanf(text: &str, format: &str) -> Result<Vec<Data>, RubyError> {
    let mut values = Vec::new();
    let mut rest = text;
    for item in items(format) {
        let Some((data, behind)) = item.find(rest)? else { break };
        values.extend(data);
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    Ok(values)
}

/// A directive with the space before it, or a word.
struct ScanItem<'f> {
    /// The item as written.
    text: &'f str,
    space: bool,
    skip: bool,
    width: Option<&'f str>,
    kind: ItemKind<'f>,
}

enum ItemKind<'f> {
    /// The letter of a conversion.
    Letter(char),
    /// `[a-z]` without the brackets, or all of `[[:alpha:]]`.
    Class(&'f str),
    /// `%%`
    Percent,
    /// Literal text.
    Word,
}

/// Splits a format into items. Invalid ones are skipped.
fn items(format: &str) -> Vec<ScanItem<'_>> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let rest = &format[at..];
        match directive(rest).or_else(|| word(rest)) {
            Some(item) => {
                at += item.text.len();
                items.push(item);
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    items
}

fn word(text: &str) -> Option<ScanItem<'_>> {
    let end = text.find(|c| c == '%' || is_space(c)).unwrap_or(text.len());
    let text = &text[..end];
    (end > 0).then_some(ScanItem {
        text,
        space: false,
        skip: false,
        width: None,
        kind: ItemKind::Word,
    })
}

fn directive(text: &str) -> Option<ScanItem<'_>> {
    let trimmed = text.trim_start_matches(is_space);
    let space = trimmed.len() < text.len();
    let body = trimmed.strip_prefix('%')?;
    let item = |rest: &str, skip, width, kind| {
        Some(ScanItem { text: &text[..text.len() - rest.len()], space, skip, width, kind })
    };
    if let Some(rest) = body.strip_prefix('%') {
        return item(rest, false, None, ItemKind::Percent);
    }
    let skip = body.starts_with('*');
    let body = body.strip_prefix('*').unwrap_or(body);
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let (width, body) = body.split_at(digits);
    let width = (digits > 0).then_some(width);
    if body.starts_with('[') {
        let (class, rest) = class(body)?;
        return item(rest, skip, width, ItemKind::Class(class));
    }
    let letter = body.chars().next().filter(|c| "diuxofegsca".contains(c.to_ascii_lowercase()))?;
    item(&body[1..], skip, width, ItemKind::Letter(letter))
}

/// Splits a character class off the start.
fn class(text: &str) -> Option<(&str, &str)> {
    if let Some(name) = text.strip_prefix("[[:") {
        let length = name.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(name.len());
        if length > 0 && name[length..].starts_with(":]]") {
            let end = 3 + length + 3;
            return Some((&text[..end], &text[end..]));
        }
    }
    let end = text[1..].find(']')? + 1;
    Some((&text[1..end], &text[end + 1..]))
}

impl ScanItem<'_> {
    /// Matches the item at the start; returns its value and the rest. The value of a suppressed item is `None`.
    fn find<'t>(&self, text: &'t str) -> Result<Option<(Option<Data>, &'t str)>, RubyError> {
        let text = if self.counts_space() { text } else { text.trim_start_matches(is_space) };
        let options = Options { multi_line: true, ..Options::default() };
        let regex = Regex::with_options(&format!("\\A{}", self.pattern()), options)
            .map_err(|error| RubyError::new("RegexpError", error.to_string()))?;
        let captures =
            regex.captures(text, 0).map_err(|error| RubyError::argument(error.to_string()))?;
        let Some(captures) = captures else { return Ok(None) };
        let matched = captures.get(1).unwrap_or("");
        let value = if self.skip { None } else { self.value(matched)? };
        Ok(Some((value, &text[captures.end()..])))
    }

    /// Returns true for single characters and classes, which may match space; all other items skip it.
    fn counts_space(&self) -> bool {
        match self.kind {
            ItemKind::Letter('c') => !self.space,
            ItemKind::Class(_) => !self.skip,
            ItemKind::Letter(_) | ItemKind::Percent | ItemKind::Word => false,
        }
    }

    fn pattern(&self) -> String {
        match (&self.kind, self.width) {
            (ItemKind::Percent, _) => r"(\s*%)".to_owned(),
            (ItemKind::Class(class), None) if class.starts_with("[[:") => format!("({class}+)"),
            (ItemKind::Class(class), Some(width)) if class.starts_with("[[:") => {
                format!("({class}{{1,{width}}})")
            }
            (ItemKind::Class(class), Some(width)) => format!("([{class}]{{1,{width}}})"),
            (ItemKind::Class(class), None) => {
                let others =
                    class.strip_prefix('^').map_or_else(|| format!("^{class}"), str::to_owned);
                format!("([{class}]+)(?=[{others}]|\\z)")
            }
            (ItemKind::Letter(letter), width) => {
                letter_pattern(*letter, width, self.space).unwrap_or_else(|| self.literal())
            }
            (ItemKind::Word, _) => self.literal(),
        }
    }

    /// Returns the pattern of the literal text.
    fn literal(&self) -> String {
        let mut out = String::from("(");
        for c in self.text.chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\x0c' => out.push_str("\\f"),
                '\x0b' => out.push_str("\\v"),
                _ if " .*?+^$|\\()[]{}-#".contains(c) => out.extend(['\\', c]),
                _ => out.push(c),
            }
        }
        out.push(')');
        out
    }

    fn value(&self, text: &str) -> Result<Option<Data>, RubyError> {
        let int = |number: BigInt| Some(number.to_i64().map_or(Data::Big(number), Data::Int));
        Ok(match self.kind {
            ItemKind::Letter('d' | 'u') => int(integer::to_i(text, 10)?),
            ItemKind::Letter('x' | 'X') => int(integer::to_i(text, 16)?),
            ItemKind::Letter('o') => int(integer::to_i(text, 8)?),
            ItemKind::Letter('i') => int(integer::parse(text, 0)?),
            ItemKind::Letter('s' | 'c') | ItemKind::Class(_) => Some(Data::str(text)),
            ItemKind::Letter('a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G') => {
                Some(Data::Float(float_value(text)))
            }
            ItemKind::Letter(_) | ItemKind::Percent | ItemKind::Word => None,
        })
    }
}

const FLOAT: &str =
    r"[-+]?(?:0[xX](?:\.\h+|\h+(?:\.\h*)?)[pP][-+]?\d+|\d+(?![\d.])|\d*\.\d*(?:[eE][-+]?\d+)?)";

/// Returns the pattern of a conversion; `None` for a letter that is literal text, as are most capitals.
fn letter_pattern(letter: char, width: Option<&str>, space: bool) -> Option<String> {
    // No text reaches a width that exceeds 64 bits.
    let n = width.map(|width| width.parse::<u64>().unwrap_or(u64::MAX));
    Some(match (letter, width, n) {
        ('i', _, Some(n)) => integer_pattern(n),
        ('i', ..) => r"([-+]?(?:0[0-7]+|0[Xx]\h+|[1-9]\d*))".to_owned(),
        ('d' | 'u', Some(width), Some(n)) => match n {
            0 | 1 => format!(r"(\d{{1,{width}}})"),
            _ => format!(r"([-+]\d{{1,{}}}|\d{{1,{width}}})", n - 1),
        },
        ('d' | 'u', ..) => r"([-+]?\d+)".to_owned(),
        ('x' | 'X', _, Some(n)) => hex_pattern(n),
        ('x' | 'X', ..) => r"([-+]?(?:0[Xx])?\h+)".to_owned(),
        ('o', Some(width), Some(n)) => {
            format!("([-+][0-7]{{1,{}}}|[0-7]{{1,{width}}})", n as i128 - 1)
        }
        ('o', ..) => "([-+]?[0-7]+)".to_owned(),
        ('a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G', Some(width), _) => {
            format!(r"(?={FLOAT})(\S{{1,{width}}})")
        }
        ('a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G', ..) => format!("({FLOAT})"),
        ('s', Some(width), _) => format!(r"(\S{{1,{width}}})"),
        ('s', ..) => r"(\S+)".to_owned(),
        ('c', Some(width), _) => format!("(.{{1,{width}}})"),
        ('c', ..) => if space { r"\s*(.)" } else { "(.)" }.to_owned(),
        _ => return None,
    })
}

/// Returns the pattern of an integer. Signs and prefixes count towards the width, so each needs its own.
fn integer_pattern(n: u64) -> String {
    let mut parts = Vec::new();
    if n > 1 {
        parts.push(format!(r"[1-9]\d{{1,{}}}", n - 1));
        parts.push(format!("0[0-7]{{1,{}}}", n - 1));
    }
    if n > 2 {
        parts.push(format!("[-+]0[0-7]{{1,{}}}", n - 2));
        parts.push(format!(r"[-+][1-9]\d{{1,{}}}", n - 2));
        parts.push(format!(r"0[Xx]\h{{1,{}}}", n - 2));
    }
    if n > 3 {
        parts.push(format!(r"[-+]0[Xx]\h{{1,{}}}", n - 3));
    }
    parts.push(r"\d".to_owned());
    format!("({})", parts.join("|"))
}

fn hex_pattern(n: u64) -> String {
    let mut parts = Vec::new();
    if n > 3 {
        parts.push(format!(r"[-+]0[Xx]\h{{1,{}}}", n - 3));
    }
    if n > 2 {
        parts.push(format!(r"0[Xx]\h{{1,{}}}", n - 2));
    }
    if n > 1 {
        parts.push(format!(r"[-+]\h{{1,{}}}", n - 1));
    }
    parts.push(format!(r"\h{{1,{n}}}"));
    format!("({})", parts.join("|"))
}

fn float_value(text: &str) -> f64 {
    hexadecimal(text).unwrap_or_else(|| {
        // Otherwise the parser would stop at the point of `5.e+3`.
        let joined = text.replacen(".e", "e", 1).replacen(".E", "E", 1);
        let exponent = joined.split(['e', 'E']).nth(1);
        let has_sign = exponent.is_some_and(|exponent| exponent.starts_with(['+', '-']));
        let digits =
            joined.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
        float::to_f(if has_sign && digits { &joined } else { text })
    })
}

/// Parses `0x1.8p3`.
fn hexadecimal(text: &str) -> Option<f64> {
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let body = text.trim_start_matches(['+', '-']);
    let body = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X"))?;
    let (mantissa, exponent) = body.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let hex = |digits: &str| BigInt::from_digits(false, digits, 16).to_f64();
    let value = hex(whole) + hex(fraction) / 16f64.powi(i32::try_from(fraction.len()).ok()?);
    let length = exponent
        .char_indices()
        .find(|&(at, c)| !(c.is_ascii_digit() || (at == 0 && "+-".contains(c))));
    let exponent = &exponent[..length.map_or(exponent.len(), |(at, _)| at)];
    let power = exponent.parse::<i32>().unwrap_or(if exponent.starts_with('-') {
        i32::MIN
    } else {
        i32::MAX
    });
    Some(sign * value * 2f64.powi(power))
}
