//! The tokens of a pattern outside character classes.

use super::class::{Class, Property, unescaped};
use super::parser::Parser;
use super::problem::{self, Problem};
use super::scan::is_digit;
use super::tree::{Anchor, Backref, Call, Reference};

#[derive(Clone, Debug)]
pub(super) enum Token<'p> {
    End,
    /// A literal character.
    Text(char),
    /// A character by its number (`\x41`, `\101`).
    Code(char),
    /// `.`
    Any,
    /// One character of a predefined set (`\w`).
    Kind(Class),
    /// `\p{`, up to the name.
    Property {
        is_negated: bool,
    },
    /// `[`
    Class,
    /// `\R`
    LineBreak,
    /// `\X`
    Cluster,
    Backref(Reference),
    Call(Call<'p>),
    Anchor(Anchor),
    Repeat(Quantifier),
    Alternative,
    /// `(`
    Open,
    /// `)`
    Close,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Quantifier {
    pub(super) lower: u64,
    /// `None` means unbounded.
    pub(super) upper: Option<u64>,
    pub(super) is_greedy: bool,
    pub(super) is_possessive: bool,
}

impl<'p> Parser<'p> {
    /// Reads the next token.
    pub(super) fn next_token(&mut self) -> Result<Token<'p>, Problem> {
        loop {
            let Some(next) = self.scanner.next() else { return Ok(Token::End) };
            return Ok(match next {
                '\\' => return self.escape(),
                '.' => Token::Any,
                '*' => self.operator(0, None),
                '+' => self.operator(1, None),
                '?' => self.operator(0, Some(1)),
                '{' => return self.interval(),
                '|' => Token::Alternative,
                '(' if self.scanner.rest().starts_with("?#") => {
                    self.skip_comment()?;
                    continue;
                }
                '(' => Token::Open,
                ')' => Token::Close,
                '^' => Token::Anchor(Anchor::LineStart),
                '$' => Token::Anchor(Anchor::LineEnd),
                '[' => Token::Class,
                '#' if self.flags.is_extended => {
                    self.skip_line();
                    continue;
                }
                ' ' | '\t' | '\n' | '\r' | '\x0C' if self.flags.is_extended => continue,
                other => Token::Text(other),
            });
        }
    }

    /// Skips `(?#…)`, whose parenthesis was read.
    fn skip_comment(&mut self) -> Result<(), Problem> {
        self.scanner.at += 2;
        loop {
            match self.scanner.next().ok_or(problem::END_IN_GROUP)? {
                '\\' => {
                    self.scanner.next();
                }
                ')' => return Ok(()),
                _ => {}
            }
        }
    }

    /// Skips a comment of extended mode.
    fn skip_line(&mut self) {
        let rest = self.scanner.rest().as_bytes();
        self.scanner.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |length| length + 1);
    }

    /// Reads a quantifier of one character, and the `?` or `+` that may follow it.
    fn operator(&mut self, lower: u64, upper: Option<u64>) -> Token<'p> {
        let is_lazy = self.scanner.take('?');
        let is_possessive = !is_lazy && self.scanner.take('+');
        Token::Repeat(Quantifier { lower, upper, is_greedy: !is_lazy, is_possessive })
    }

    /// Reads `{n,m}`, whose brace was read; if it is no quantifier, the brace is text.
    fn interval(&mut self) -> Result<Token<'p>, Problem> {
        let start = self.scanner.at;
        let interval = self.interval_numbers()?;
        let Some((lower, upper, is_exact)) = interval else {
            self.scanner.at = start;
            return Ok(Token::Text('{'));
        };
        if upper.is_some_and(|upper| lower > upper) {
            return Err(problem::REPEAT_ORDER);
        }
        // A question mark behind `{n}` is a quantifier of its own.
        let is_greedy = is_exact || !self.scanner.take('?');
        Ok(Token::Repeat(Quantifier { lower, upper, is_greedy, is_possessive: false }))
    }

    /// Reads the numbers up to and with the closing brace; the flag is set if there is only one.
    fn interval_numbers(&mut self) -> Result<Option<(u64, Option<u64>, bool)>, Problem> {
        let lower = self.interval_number()?;
        let is_exact = !self.scanner.take(',');
        let upper = if is_exact { lower } else { self.interval_number()? };
        let has_number = lower.is_some() || (!is_exact && upper.is_some());
        if !has_number || !self.scanner.take('}') {
            return Ok(None);
        }
        Ok(Some((lower.unwrap_or(0), upper, is_exact)))
    }

    fn interval_number(&mut self) -> Result<Option<u64>, Problem> {
        const MAX_REPEAT: u64 = 100_000;
        let start = self.scanner.at;
        let number = self.scanner.number().and_then(|number| u64::try_from(number).ok());
        match number {
            Some(number) if number <= MAX_REPEAT => Ok((self.scanner.at > start).then_some(number)),
            _ => Err(problem::REPEAT_TOO_BIG),
        }
    }

    /// Reads the escape whose backslash was read.
    fn escape(&mut self) -> Result<Token<'p>, Problem> {
        let escaped = self.scanner.next().expect("a pattern that ends in `\\` was refused before");
        Ok(match escaped {
            'w' | 'W' | 's' | 'S' | 'd' | 'D' | 'h' | 'H' => {
                let kind = self.kind(escaped);
                let is_negated = kind.is_negated;
                let class = match kind.name == "word" && !kind.is_ascii {
                    true => Class::words(),
                    false => Class::of(Property { is_negated: false, ..kind }),
                };
                Token::Kind(Class { is_negated, ..class })
            }
            'b' | 'B' => Token::Anchor(Anchor::WordBoundary {
                is_negated: escaped == 'B',
                is_ascii: self.flags.is_ascii_range && !self.flags.boundaries_go_beyond,
            }),
            'A' => Token::Anchor(Anchor::TextStart),
            'G' => Token::Anchor(Anchor::SearchStart),
            'K' => Token::Anchor(Anchor::Keep),
            'Z' => Token::Anchor(Anchor::LastLineEnd),
            'z' => Token::Anchor(Anchor::TextEnd),
            'R' => Token::LineBreak,
            'X' => Token::Cluster,
            'x' => Token::Code(self.code(0, 2, 16)),
            '1'..='9' => self.numbered_escape(escaped),
            'k' if self.scanner.rest().starts_with(['<', '\'']) => return self.named_backref(),
            'g' if self.scanner.rest().starts_with(['<', '\'']) => return self.call(),
            'p' | 'P' if self.scanner.take('{') => {
                Token::Property { is_negated: self.scanner.take('^') != (escaped == 'P') }
            }
            other => Token::Text(unescaped(other)),
        })
    }

    /// Reads `\1`: a back-reference, an octal number or just a character.
    fn numbered_escape(&mut self, first: char) -> Token<'p> {
        const MAX_BACKREF: i64 = 1000;
        let after_first = self.scanner.at;
        self.scanner.at -= 1;
        let number = self.scanner.number().filter(|&number| number <= MAX_BACKREF);
        if let Some(number) = number.and_then(|number| usize::try_from(number).ok())
            && (number <= self.tree.n_groups() || number <= 9)
        {
            return Token::Backref(self.reference(Backref::Number(number), None));
        }
        self.scanner.at = after_first;
        if matches!(first, '8' | '9') {
            return Token::Text(first);
        }
        Token::Code(self.code(1, 3, 8))
    }

    /// Reads `\k<name>`, whose `k` was read.
    fn named_backref(&mut self) -> Result<Token<'p>, Problem> {
        let end = self.name_delimiter();
        let (to, level) = self.backref(end)?;
        Ok(Token::Backref(self.reference(to, level)))
    }

    fn reference(&self, to: Backref, level: Option<i64>) -> Reference {
        let is_inside = self.is_inside(&to);
        Reference { to, is_inside, level, ignores_case: self.flags.ignores_case }
    }

    /// Reads a back-reference up to and with `end`, and its level.
    pub(super) fn backref(&mut self, end: char) -> Result<(Backref, Option<i64>), Problem> {
        let (reference, level) = self.scanner.reference_with_level(end)?;
        let Some(number) = reference.number else {
            let index = self.tree.name_indices.get(reference.name);
            let &index = index.ok_or_else(|| Problem::undefined_name(reference.name))?;
            let n_groups = self.tree.names[index].groups.len();
            return Ok((Backref::Name { index, n_groups }, level));
        };
        let number = if number < 0 { self.absolute(number) } else { number };
        match usize::try_from(number) {
            Ok(number) if number > 0 => Ok((Backref::Number(number), level)),
            _ => Err(problem::BACKREF),
        }
    }

    /// Reads `\g<name>`, whose `g` was read.
    fn call(&mut self) -> Result<Token<'p>, Problem> {
        let end = self.name_delimiter();
        let is_zero = self.scanner.take('0');
        if is_zero && self.scanner.take(end) {
            return Ok(Token::Call(Call { name: "", number: 0, target: 0, is_recursive: false }));
        }
        let is_relative = !is_zero && self.scanner.take('+');
        let reference = self.scanner.reference(end)?;
        let mut number = reference.number.unwrap_or(0);
        if number < 0 || is_relative {
            number = self.absolute(if number > 0 { number - 1 } else { number });
            if number <= 0 {
                return Err(problem::BACKREF);
            }
        }
        let number = usize::try_from(number).expect("it is not negative");
        Ok(Token::Call(Call { name: reference.name, number, target: 0, is_recursive: false }))
    }

    /// Reads the opening delimiter of a name and returns the closing one.
    fn name_delimiter(&mut self) -> char {
        if self.scanner.next() == Some('<') { '>' } else { '\'' }
    }

    /// Resolves a relative group number, -1 being the last group opened.
    fn absolute(&self, relative: i64) -> i64 {
        let n_groups = i64::try_from(self.tree.n_groups()).expect("groups are few");
        n_groups + 1 + relative
    }

    /// Returns true if a digit is next.
    pub(super) fn is_digit_next(&self) -> bool {
        self.scanner.peek().is_some_and(is_digit)
    }
}
