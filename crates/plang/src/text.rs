//! Tests on texts.

#[cfg(test)]
mod tests;

use regex::bytes::Regex;

use crate::ast::{TextOp, TextTest};

/// Evaluates a test on two texts, except `matches`.
pub fn test(op: TextOp, left: &[u8], right: &[u8]) -> bool {
    match (op.test, op.ignores_case) {
        (TextTest::Equal, false) => same(left, right),
        (TextTest::Equal, true) => same_ignoring_case(left, right),
        (TextTest::Contains, false) => contains(left, right),
        (TextTest::Contains, true) => contains_ignoring_case(left, right),
        (TextTest::BeginsWith, false) => begins_with(left, right),
        (TextTest::BeginsWith, true) => begins_with_ignoring_case(left, right),
        (TextTest::EndsWith, false) => ends_with(left, right),
        (TextTest::EndsWith, true) => ends_with_ignoring_case(left, right),
        (TextTest::Matches, _) => false,
    }
}

/// Length above which the standard library is used.
const LONG: usize = 64;

/// Whether two texts are equal. Most are short, and comparing them inline is cheaper than a call to `memcmp`.
#[inline]
pub fn same(one: &[u8], other: &[u8]) -> bool {
    match one.len() > LONG {
        true => one == other,
        false => one.len() == other.len() && words_are_same(one, other, |word| word),
    }
}

/// Whether two texts are equal, ignoring the case of ASCII letters.
#[inline]
pub fn same_ignoring_case(one: &[u8], other: &[u8]) -> bool {
    match one.len() > LONG {
        true => one.eq_ignore_ascii_case(other),
        false => one.len() == other.len() && words_are_same(one, other, lower),
    }
}

/// Whether a text starts with another.
#[inline]
pub fn begins_with(text: &[u8], wanted: &[u8]) -> bool {
    text.get(..wanted.len()).is_some_and(|start| same(start, wanted))
}

/// Whether a text ends with another.
#[inline]
pub fn ends_with(text: &[u8], wanted: &[u8]) -> bool {
    let start = text.len().checked_sub(wanted.len());
    start.is_some_and(|start| same(&text[start..], wanted))
}

/// Compares texts of equal length in words of eight bytes; the last may overlap the one before it.
#[inline]
fn words_are_same(one: &[u8], other: &[u8], form: impl Fn(u64) -> u64) -> bool {
    // Equal words are the common case, and need no conversion of case.
    let is_same = |one: &[u8; 8], other: &[u8; 8]| {
        one == other || form(u64::from_le_bytes(*one)) == form(u64::from_le_bytes(*other))
    };
    let (Some(end), Some(other_end)) = (one.last_chunk(), other.last_chunk()) else {
        return form(short_word(one)) == form(short_word(other));
    };
    let (mut rest, mut others) = (one, other);
    while let (Some((word, behind)), Some((other, others_behind))) =
        (rest.split_first_chunk(), others.split_first_chunk())
    {
        if !is_same(word, other) {
            return false;
        }
        (rest, others) = (behind, others_behind);
    }
    is_same(end, other_end)
}

/// Packs fewer than eight bytes into a word that is unique among texts of that length.
#[inline]
fn short_word(text: &[u8]) -> u64 {
    match (text.first_chunk(), text.last_chunk()) {
        (Some(start), Some(end)) => {
            u64::from(u32::from_le_bytes(*start)) << 32 | u64::from(u32::from_le_bytes(*end))
        }
        _ => match *text {
            [one, two, three, ..] => u64::from_le_bytes([one, two, three, 0, 0, 0, 0, 0]),
            [one, two] => u64::from_le_bytes([one, two, 0, 0, 0, 0, 0, 0]),
            [one] => u64::from(one),
            [] => 0,
        },
    }
}

/// Packs the first eight bytes, or all if there are fewer, into a word. Texts of equal length with different words
/// are different.
#[inline]
pub fn first_word(text: &[u8]) -> u64 {
    text.first_chunk().map_or_else(|| short_word(text), |word| u64::from_le_bytes(*word))
}

/// Converts ASCII letters in eight bytes to lower case.
#[inline]
fn lower(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    // The high bit of a byte is set in `is_from_a` if it is at least `A`, in `is_behind_z` if it is above `Z`.
    let low = word & !HIGH;
    let is_from_a = low + (0x80 - u64::from(b'A')) * ONES;
    let is_behind_z = low + (0x7F - u64::from(b'Z')) * ONES;
    let is_upper = (is_from_a ^ is_behind_z) & !word & HIGH;
    word | is_upper >> 2
}

/// Returns the text of a pattern's group.
pub fn capture<'t>(regex: &Regex, group: usize, text: &'t [u8]) -> Option<&'t [u8]> {
    Some(regex.captures(text)?.get(group)?.as_bytes())
}

/// Whether a text contains another.
pub fn contains(text: &[u8], wanted: &[u8]) -> bool {
    match text.len() > wanted.len() {
        true => memchr::memmem::find(text, wanted).is_some(),
        // Saves the set-up cost of a search where only equality is possible.
        false => text == wanted,
    }
}

/// Whether a text contains another, ignoring the case of ASCII letters.
pub fn contains_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    // Quadratic at worst, but both are bounded: a text of the message, and mostly a literal.
    wanted.is_empty() || text.windows(wanted.len()).any(|part| part.eq_ignore_ascii_case(wanted))
}

/// Whether a text starts with another, ignoring the case of ASCII letters.
pub fn begins_with_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    text.get(..wanted.len()).is_some_and(|start| start.eq_ignore_ascii_case(wanted))
}

/// Whether a text ends with another, ignoring the case of ASCII letters.
pub fn ends_with_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    let start = text.len().checked_sub(wanted.len());
    start.is_some_and(|start| text[start..].eq_ignore_ascii_case(wanted))
}
