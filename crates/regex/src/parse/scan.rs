//! Characters, numbers and names of a prepared pattern.

use super::problem::{self, Problem};

/// A cursor in a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'p> {
    pub(super) text: &'p str,
    /// Always a character border.
    pub(super) at: usize,
}

/// A reference to a group: its text, and its number if it has one (negative if relative).
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupReference<'p> {
    pub(super) name: &'p str,
    pub(super) number: Option<i64>,
}

impl<'p> Scanner<'p> {
    pub(super) fn rest(&self) -> &'p str {
        &self.text[self.at..]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Steps over `expected` if it is next.
    pub(super) fn take(&mut self, expected: char) -> bool {
        let is_next = self.rest().starts_with(expected);
        if is_next {
            self.at += expected.len_utf8();
        }
        is_next
    }

    /// Parses the decimal number that is next, 0 if there is none; `None` if it does not fit.
    ///
    /// Ruby accepts digits of all scripts, but computes with them as if they followed ASCII's.
    pub(super) fn number(&mut self) -> Option<i64> {
        let mut number = 0i64;
        while let Some(digit) = self.peek().filter(|&next| is_digit(next)) {
            let value = i64::from(u32::from(digit) - u32::from('0'));
            if (i64::from(i32::MAX) - value) / 10 < number {
                return None;
            }
            number = number * 10 + value;
            self.next();
        }
        Some(number)
    }

    /// Parses the name of a new group, up to and with `end`.
    pub(super) fn new_name(&mut self, end: char) -> Result<&'p str, Problem> {
        let start = self.at;
        let first = self.next().filter(|&first| first != end).ok_or(problem::EMPTY_GROUP_NAME)?;
        if is_digit(first) || first == '-' {
            return Err(Problem::group_name(self.spoilt_name(start, end)));
        }
        self.word(start, end)
    }

    /// Parses the name or number of a group to refer to, up to and with `end`.
    pub(super) fn reference(&mut self, end: char) -> Result<GroupReference<'p>, Problem> {
        let start = self.at;
        let first = self.next().filter(|&first| first != end).ok_or(problem::EMPTY_GROUP_NAME)?;
        if !is_digit(first) && first != '-' {
            return Ok(GroupReference { name: self.word(start, end)?, number: None });
        }
        self.numeric_reference(start, first, end)
    }

    fn numeric_reference(
        &mut self,
        start: usize,
        first: char,
        end: char,
    ) -> Result<GroupReference<'p>, Problem> {
        let mut last = first;
        let mut name_end = self.text.len();
        let mut n_digits = usize::from(first != '-');
        while let Some(next) = self.peek() {
            name_end = self.at;
            self.next();
            last = next;
            if next == end || next == ')' {
                if n_digits == 0 {
                    return Err(Problem::group_name(self.spoilt_name(start, end)));
                }
                break;
            }
            if !is_digit(next) {
                let name = self.spoilt_name(start, end);
                let is_word = next.is_alphanumeric() || next == '_';
                return Err(if is_word {
                    Problem::group_name(name)
                } else {
                    Problem::group_name_character(name)
                });
            }
            n_digits += 1;
        }
        if last != end {
            return Err(Problem::group_name(&self.text[start..]));
        }
        let name = &self.text[start..name_end];
        match signed_number(name)? {
            0 => Err(Problem::group_name(name)),
            number => Ok(GroupReference { name, number: Some(number) }),
        }
    }

    /// Parses a name that is not a number, from `start` up to `end`.
    fn word(&mut self, start: usize, end: char) -> Result<&'p str, Problem> {
        let name_end = self.name_end(end);
        if self.text[name_end..].starts_with(end) {
            Ok(&self.text[start..name_end])
        } else {
            Err(Problem::group_name(&self.text[start..]))
        }
    }

    /// Steps behind `end` or a parenthesis, and returns its offset, or the end of the text.
    fn name_end(&mut self, end: char) -> usize {
        while let Some(next) = self.peek() {
            let at = self.at;
            self.next();
            if next == end || next == ')' {
                return at;
            }
        }
        self.at
    }

    /// Returns the part of an invalid name that Ruby quotes.
    fn spoilt_name(&mut self, start: usize, end: char) -> &'p str {
        let quoted_end = self.name_end(end);
        let quoted_end = if self.is_at_end() { self.text.len() } else { quoted_end };
        &self.text[start..quoted_end]
    }

    /// Parses a reference that may carry a level, as in `\k<name+1>`, up to and with `end`.
    pub(super) fn reference_with_level(
        &mut self,
        end: char,
    ) -> Result<(GroupReference<'p>, Option<i64>), Problem> {
        let start = self.at;
        let first = self.next().filter(|&first| first != end).ok_or(problem::EMPTY_GROUP_NAME)?;
        let mut is_number = is_digit(first);
        let mut is_lone_sign = first == '-';
        let mut is_wrong = false;
        let (mut name_end, mut last) = (self.text.len(), first);
        while let Some(next) = self.peek() {
            name_end = self.at;
            self.next();
            last = next;
            if next == end || matches!(next, ')' | '+' | '-') {
                is_wrong |= is_lone_sign;
                break;
            }
            if is_number || is_lone_sign {
                is_number = is_digit(next);
                is_lone_sign = false;
                is_wrong |= !is_number;
            }
        }
        if is_wrong {
            return Err(Problem::group_name(&self.text[start..name_end]));
        }
        let level = match last == end {
            true => None,
            false => Some(self.level(start, name_end, last, end)?),
        };
        let name = &self.text[start..name_end];
        if !is_number && !is_lone_sign {
            return Ok((GroupReference { name, number: None }, level));
        }
        match signed_number(name)? {
            0 => Err(Problem::group_name(&self.text[start..])),
            number => Ok((GroupReference { name, number: Some(number) }, level)),
        }
    }

    /// Parses the level behind the sign that was just read, up to and with `end`.
    fn level(
        &mut self,
        start: usize,
        name_end: usize,
        sign: char,
        end: char,
    ) -> Result<i64, Problem> {
        let wrong = Problem::group_name(&self.text[start..]);
        if !matches!(sign, '+' | '-') {
            return Err(wrong);
        }
        let next = self
            .peek()
            .ok_or_else(|| Problem::group_name_character(&self.text[start..name_end]))?;
        if !is_digit(next) {
            return Err(wrong);
        }
        let number = self.number().ok_or(problem::TOO_BIG_NUMBER)?;
        let level = if sign == '-' { -number } else { number };
        if self.take(end) { Ok(level) } else { Err(wrong) }
    }
}

/// Parses the number of a reference, perhaps with a minus sign.
fn signed_number(name: &str) -> Result<i64, Problem> {
    let digits = name.strip_prefix('-');
    let mut scanner = Scanner { text: digits.unwrap_or(name), at: 0 };
    let number = scanner.number().ok_or(problem::TOO_BIG_NUMBER)?;
    Ok(if digits.is_some() { -number } else { number })
}

/// Returns true for a digit of any script of Unicode 13.
pub(super) fn is_digit(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_digit();
    }
    let code = u32::from(character);
    let index = ZEROS.partition_point(|&zero| zero <= code);
    index > 0 && code - ZEROS[index - 1] < 10
}

/// The digit zero of every script but Latin.
const ZEROS: [u32; 64] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16B50, 0x1D7CE,
    0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];
