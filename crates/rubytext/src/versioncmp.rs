//! Puppet's order of package versions.

use super::case;
use std::cmp::Ordering;

/// Compares versions, as `versioncmp($a, $b, $ignore_trailing_zeroes)` does.
pub fn versioncmp(a: &str, b: &str, ignore_trailing_zeroes: bool) -> Ordering {
    if !ignore_trailing_zeroes {
        return compare(a, b);
    }
    compare(&without_trailing_zeroes(a), &without_trailing_zeroes(b))
}

fn compare(a: &str, b: &str) -> Ordering {
    let pairs = Pieces(a).zip(Pieces(b));
    for (left, right) in pairs {
        if left == right {
            continue;
        }
        return match (left, right) {
            ("-", _) => Ordering::Less,
            (_, "-") => Ordering::Greater,
            (".", _) => Ordering::Less,
            (_, ".") => Ordering::Greater,
            _ if is_number(left) && is_number(right) => compare_numbers(left, right),
            _ => case::upcase(left).cmp(&case::upcase(right)),
        };
    }
    // One is a prefix of the other: the whole texts decide.
    a.cmp(b)
}

fn is_number(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_digit())
}

/// Compares numbers; as texts if one has a leading zero.
fn compare_numbers(a: &str, b: &str) -> Ordering {
    if a.starts_with('0') || b.starts_with('0') {
        return a.cmp(b);
    }
    // Without leading zeros, the longer number is the greater.
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// An iterator over the pieces of a version: a single `-` or `.`, a run of digits, or a run of other characters.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let kind = |c: char| match c {
            '-' | '.' => 0,
            '0'..='9' => 1,
            _ => 2,
        };
        let first = kind(self.0.chars().next()?);
        let length = match first {
            0 => 1,
            _ => self.0.find(|c| kind(c) != first).unwrap_or(self.0.len()),
        };
        let (piece, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(piece)
    }
}

/// Drops zeros and dots at the end of the part before the first `-`, and empty parts at the end.
fn without_trailing_zeroes(version: &str) -> String {
    let mut parts: Vec<&str> = version.split('-').collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    if let Some(first) = parts.first_mut() {
        // Puppet's pattern uses `$`, which also matches at the end of a line; only its first match is replaced.
        *first = first.trim_end_matches(['.', '0']);
    }
    parts.join("-")
}
