//! One directive of a format: everything from `%` to the letter.

use super::arguments::{Argument, Arguments, Kind};
use super::{MAX_WIDTH, floats, integers};
use crate::{RubyError, inspect::is_printable};

/// Flags, width, precision and the letter.
#[derive(Default)]
pub(super) struct Directive<'a> {
    pub(super) space: bool,
    pub(super) sharp: bool,
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) zero: bool,
    pub(super) width: Option<i64>,
    pub(super) precision: Option<i64>,
    /// Set if a precision was written, even a negative one, which is ignored.
    has_precision: bool,
    /// The argument, if it was chosen by name or number.
    chosen: Option<&'a dyn Argument>,
    pub(super) letter: char,
}

impl<'a> Directive<'a> {
    /// Parses from behind `%` up to and with the letter.
    pub(super) fn read(rest: &mut &str, args: &mut Arguments<'a>) -> Result<Self, RubyError> {
        let mut directive = Self::default();
        let mut name = None;
        // The end counts as NUL: Ruby walks over a C string.
        while directive.step(rest, args, &mut name)? {}
        Ok(directive)
    }

    /// Parses one item; `false` after the last.
    fn step(
        &mut self,
        rest: &mut &str,
        args: &mut Arguments<'a>,
        name: &mut Option<String>,
    ) -> Result<bool, RubyError> {
        let c = rest.chars().next().unwrap_or('\0');
        match c {
            ' ' | '#' | '+' | '-' | '0' => self.flag(c)?,
            '1'..='9' => return self.number(rest, args).map(|()| true),
            '<' | '{' => return self.name(rest, args, name),
            '*' => {
                *rest = &rest[1..];
                return self.star(rest, args).map(|()| true);
            }
            '.' => {
                *rest = &rest[1..];
                return self.dot(rest, args).map(|()| true);
            }
            // Not consumed: `%` at the end of a line is literal.
            '\n' | '\0' => {
                self.letter = '%';
                return Ok(false);
            }
            _ => {
                self.letter = c;
                *rest = &rest[c.len_utf8()..];
                return Ok(false);
            }
        }
        *rest = &rest[1..];
        Ok(true)
    }

    fn flag(&mut self, c: char) -> Result<(), RubyError> {
        if self.width.is_some() {
            return Err(RubyError::argument("flag after width"));
        }
        if self.has_precision {
            return Err(RubyError::argument("flag after precision"));
        }
        match c {
            ' ' => self.space = true,
            '#' => self.sharp = true,
            '+' => self.plus = true,
            '-' => self.minus = true,
            _ => self.zero = true,
        }
        Ok(())
    }

    /// Parses a width, or with `$` the number of an argument.
    fn number(&mut self, rest: &mut &str, args: &mut Arguments<'a>) -> Result<(), RubyError> {
        let number = read_number(rest, "width")?;
        if let Some(behind) = rest.strip_prefix('$') {
            if self.chosen.is_some() {
                return Err(RubyError::argument(format!("value given twice - {number}$")));
            }
            self.chosen = Some(args.numbered(number)?);
            *rest = behind;
            return Ok(());
        }
        self.check_width()?;
        self.width = Some(number);
        Ok(())
    }

    fn check_width(&self) -> Result<(), RubyError> {
        if self.width.is_some() {
            return Err(RubyError::argument("width given twice"));
        }
        if self.has_precision {
            return Err(RubyError::argument("width after precision"));
        }
        Ok(())
    }

    fn star(&mut self, rest: &mut &str, args: &mut Arguments<'a>) -> Result<(), RubyError> {
        self.check_width()?;
        let width = read_star(rest, args, "width")?;
        self.minus |= width < 0;
        self.width = Some(width.abs());
        Ok(())
    }

    fn dot(&mut self, rest: &mut &str, args: &mut Arguments<'a>) -> Result<(), RubyError> {
        if self.has_precision {
            return Err(RubyError::argument("precision given twice"));
        }
        self.has_precision = true;
        let precision = match rest.strip_prefix('*') {
            Some(behind) => {
                *rest = behind;
                read_star(rest, args, "precision")?
            }
            None => read_number(rest, "precision")?,
        };
        // A negative precision is ignored.
        self.precision = Some(precision).filter(|&p| p >= 0);
        Ok(())
    }

    /// Parses `<name>` or `{name}`; the second ends the directive.
    fn name(
        &mut self,
        rest: &mut &str,
        args: &mut Arguments<'a>,
        name: &mut Option<String>,
    ) -> Result<bool, RubyError> {
        let end = if rest.starts_with('<') { '>' } else { '}' };
        let Some(length) = rest.find(end) else {
            return Err(RubyError::argument("malformed name - unmatched parenthesis"));
        };
        let written = &rest[..=length];
        if let Some(first) = name {
            return Err(RubyError::argument(format!("named{written} after <{first}>")));
        }
        self.chosen = Some(args.named(written)?);
        *name = Some(written[1..length].to_owned());
        *rest = &rest[length + 1..];
        self.letter = 's';
        Ok(end == '>')
    }

    /// Appends the argument, printed.
    pub(super) fn print(
        &self,
        args: &mut Arguments<'a>,
        out: &mut String,
    ) -> Result<(), RubyError> {
        if self.letter == '%' {
            return self.percent(out);
        }
        if !"csdiuoxXbBfgGeEaAp".contains(self.letter) {
            return Err(malformed(self.letter));
        }
        let argument = match self.chosen {
            Some(argument) => argument,
            None => args.next()?,
        };
        bounded(self.width, "width")?;
        bounded(self.precision, "precision")?;
        match self.letter {
            's' => self.text(&argument.to_s(), out),
            'p' => self.text(&argument.inspect(), out),
            'c' => return self.character(argument, out),
            'f' | 'g' | 'G' | 'e' | 'E' | 'a' | 'A' => return floats::print(self, argument, out),
            _ => return integers::print(self, argument, out),
        }
        Ok(())
    }

    fn percent(&self, out: &mut String) -> Result<(), RubyError> {
        let flags = self.space | self.sharp | self.plus | self.minus | self.zero;
        if flags || self.width.is_some() || self.has_precision {
            return Err(RubyError::argument("invalid format character - %"));
        }
        out.push('%');
        Ok(())
    }

    fn text(&self, text: &str, out: &mut String) {
        let cut = match self.precision {
            Some(precision) => {
                text.char_indices().nth(precision as usize).map_or(text, |(end, _)| &text[..end])
            }
            None => text,
        };
        self.pad(cut, out);
    }

    /// Appends text, padded with spaces to the width.
    pub(super) fn pad(&self, text: &str, out: &mut String) {
        let Some(width) = self.width else { return out.push_str(text) };
        let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
        if !self.minus {
            fill(out, ' ', missing);
        }
        out.push_str(text);
        if self.minus {
            fill(out, ' ', missing);
        }
    }

    fn character(&self, argument: &dyn Argument, out: &mut String) -> Result<(), RubyError> {
        let c = match argument.kind() {
            Kind::Str(text) => {
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => c,
                    _ => return Err(RubyError::argument("%c requires a character")),
                }
            }
            _ => {
                let code = u32::try_from(to_int(argument)?).ok();
                // For some of these Ruby makes invalid UTF-8, which a `String` can't hold.
                let invalid = || RubyError::argument("invalid character");
                code.and_then(char::from_u32).ok_or_else(invalid)?
            }
        };
        let mut buffer = [0; 4];
        self.pad(c.encode_utf8(&mut buffer), out);
        Ok(())
    }
}

fn malformed(c: char) -> RubyError {
    // Ruby checks one byte, and no byte of a longer character is printable.
    if c.is_ascii() && is_printable(c) {
        return RubyError::argument(format!("malformed format string - %{c}"));
    }
    RubyError::argument("malformed format string")
}

pub(super) fn fill(out: &mut String, c: char, count: usize) {
    out.extend(std::iter::repeat_n(c, count));
}

fn bounded(number: Option<i64>, what: &str) -> Result<(), RubyError> {
    match number {
        Some(MAX_WIDTH..) => Err(RubyError::argument(format!("{what} too big"))),
        _ => Ok(()),
    }
}

fn read_number(rest: &mut &str, what: &str) -> Result<i64, RubyError> {
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let digits = &rest[..length];
    *rest = &rest[length..];
    let number = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(i64::MAX) };
    if number > i64::from(i32::MAX) {
        return Err(RubyError::argument(format!("{what} too big")));
    }
    if rest.is_empty() {
        return Err(RubyError::argument("malformed format string - %*[0-9]"));
    }
    Ok(number)
}

/// Parses the text after `*`: the number of an argument, or nothing for the next one.
fn read_star(rest: &mut &str, args: &mut Arguments<'_>, what: &str) -> Result<i64, RubyError> {
    let behind_star = *rest;
    let number = read_number(rest, what)?;
    if let Some(behind) = rest.strip_prefix('$') {
        *rest = behind;
        return to_int(args.numbered(number)?);
    }
    *rest = behind_star;
    to_int(args.next()?)
}

/// Converts to a C `int`, as Ruby does.
fn to_int(argument: &dyn Argument) -> Result<i64, RubyError> {
    let number = match argument.kind() {
        Kind::Int(number) => number,
        Kind::Float(number) if number.is_finite() && number.abs() < 9e18 => number as i64,
        Kind::Float(number) => {
            let text = floats::general(number, 10);
            return Err(RubyError::new(
                "RangeError",
                format!("float {text} out of range of integer"),
            ));
        }
        Kind::Big(_) => {
            return Err(RubyError::new("RangeError", "bignum too big to convert into `long'"));
        }
        Kind::Nil => return Err(RubyError::type_("no implicit conversion from nil to integer")),
        Kind::Str(_) => {
            return Err(RubyError::type_("no implicit conversion of String into Integer"));
        }
        Kind::Hash => return Err(RubyError::type_("no implicit conversion of Hash into Integer")),
        Kind::Other(name) => {
            return Err(RubyError::type_(format!("no implicit conversion of {name} into Integer")));
        }
    };
    if i32::try_from(number).is_ok() {
        return Ok(number);
    }
    let size = if number < 0 { "small" } else { "big" };
    Err(RubyError::new("RangeError", format!("integer {number} too {size} to convert to `int'")))
}
