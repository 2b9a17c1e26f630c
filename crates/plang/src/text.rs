//! Tests on texts.

use regex::bytes::Regex;

use crate::ast::{TextOp, TextTest};

/// Whether the test holds; patterns are none of these.
pub fn test(op: TextOp, left: &[u8], right: &[u8]) -> bool {
    match (op.test, op.ignores_case) {
        (TextTest::Equal, false) => left == right,
        (TextTest::Equal, true) => left.eq_ignore_ascii_case(right),
        (TextTest::Contains, false) => contains(left, right),
        (TextTest::Contains, true) => contains_ignoring_case(left, right),
        (TextTest::BeginsWith, false) => left.starts_with(right),
        (TextTest::BeginsWith, true) => begins_with_ignoring_case(left, right),
        (TextTest::EndsWith, false) => left.ends_with(right),
        (TextTest::EndsWith, true) => ends_with_ignoring_case(left, right),
        (TextTest::Matches, _) => false,
    }
}

/// What a group of a pattern found.
pub fn capture<'t>(regex: &Regex, group: usize, text: &'t [u8]) -> Option<&'t [u8]> {
    Some(regex.captures(text)?.get(group)?.as_bytes())
}

/// Whether a text is somewhere in another.
pub fn contains(text: &[u8], wanted: &[u8]) -> bool {
    memchr::memmem::find(text, wanted).is_some()
}

/// The same without regard to the case of ASCII letters.
pub fn contains_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    // Quadratic at worst, but both are bounded: a text of the message, and mostly a literal.
    wanted.is_empty() || text.windows(wanted.len()).any(|part| part.eq_ignore_ascii_case(wanted))
}

/// Whether a text starts with another, without regard to the case of ASCII letters.
pub fn begins_with_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    text.get(..wanted.len()).is_some_and(|start| start.eq_ignore_ascii_case(wanted))
}

/// Whether a text ends with another, without regard to the case of ASCII letters.
pub fn ends_with_ignoring_case(text: &[u8], wanted: &[u8]) -> bool {
    let start = text.len().checked_sub(wanted.len());
    start.is_some_and(|start| text[start..].eq_ignore_ascii_case(wanted))
}
