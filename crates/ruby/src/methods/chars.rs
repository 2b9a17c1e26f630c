//! Characters of a text by number, and sets of characters as `tr` and `delete` have them.

use std::fmt;

/// Counts the characters of a text.
pub(crate) fn len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// Returns the byte at which a character begins; the end of the text for the index after the last.
pub(crate) fn byte_at(text: &str, index: usize) -> Option<usize> {
    if text.is_ascii() {
        return (index <= text.len()).then_some(index);
    }
    let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.nth(index)
}

/// Returns the index of the character that begins at a byte.
pub(crate) fn index_of(text: &str, byte: usize) -> usize {
    let before = &text[..byte];
    len(before)
}

/// Returns a part of a text by indices of characters.
pub(crate) fn part(text: &str, start: usize, count: usize) -> Option<&str> {
    let from = byte_at(text, start)?;
    let rest = &text[from..];
    let end = byte_at(rest, count).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// `a-z`, `^0-9`, `\\-`
pub(crate) struct Set {
    pub(crate) negated: bool,
    pub(crate) chars: Vec<char>,
}

/// A range of characters whose end comes before its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BackwardRange {
    from: char,
    to: char,
}

impl fmt::Display for BackwardRange {
    /// Writes Ruby's message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        write!(f, "invalid range \"{from}-{to}\" in string transliteration")
    }
}

impl Set {
    /// Parses a set as `tr` takes it: `a-z`, `^a-z`.
    pub(crate) fn parse(text: &str) -> Result<Self, BackwardRange> {
        let all: Vec<char> = text.chars().collect();
        let negated = all.len() > 1 && all[0] == '^';
        let mut rest = if negated { &all[1..] } else { &all[..] };
        let mut chars = Vec::new();
        while let Some((&first, tail)) = rest.split_first() {
            let (from, tail) = match (first, tail) {
                ('\\', [escaped, tail @ ..]) => (*escaped, tail),
                _ => (first, tail),
            };
            rest = tail;
            if let ['-', to, tail @ ..] = rest {
                let (to, tail) = match (*to, tail) {
                    ('\\', [escaped, tail @ ..]) => (*escaped, tail),
                    (to, tail) => (to, tail),
                };
                if from > to {
                    return Err(BackwardRange { from, to });
                }
                chars.extend(from..=to);
                rest = tail;
            } else {
                chars.push(from);
            }
        }
        Ok(Self { negated, chars })
    }

    pub(crate) fn has(&self, c: char) -> bool {
        self.chars.contains(&c) != self.negated
    }
}

/// `String#succ`
pub(crate) fn succ(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if chars.is_empty() {
        return String::new();
    }
    let Some(last) = chars.iter().rposition(char::is_ascii_alphanumeric) else {
        return succ_of_others(&mut chars);
    };
    let mut at = last;
    loop {
        let (next, carries) = match chars[at] {
            'z' => ('a', true),
            'Z' => ('A', true),
            '9' => ('0', true),
            c => (char::from_u32(u32::from(c) + 1).unwrap_or(c), false),
        };
        chars[at] = next;
        if !carries {
            break;
        }
        // Only letters and digits take part; others between them are skipped only next to more of them.
        let before = chars[..at].iter().rposition(char::is_ascii_alphanumeric);
        match before {
            Some(before) if at - before == 1 || is_bridged(&chars, before, at) => at = before,
            _ => {
                let more = match next {
                    '0' => '1',
                    other => other,
                };
                chars.insert(at, more);
                break;
            }
        }
    }
    chars.into_iter().collect()
}

fn is_bridged(chars: &[char], before: usize, at: usize) -> bool {
    chars[before].is_ascii_digit() == chars[at].is_ascii_digit()
}

fn succ_of_others(chars: &mut [char]) -> String {
    if let Some(last) = chars.last_mut() {
        *last = char::from_u32(u32::from(*last) + 1).unwrap_or(*last);
    }
    chars.iter().collect()
}
