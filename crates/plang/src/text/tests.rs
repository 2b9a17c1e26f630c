//! Comparison with the standard library, on texts of all short lengths that differ in one byte.

use super::{begins_with, ends_with, same, same_ignoring_case};

/// Returns a text with all texts that differ in one byte: letters in both cases, and bytes that look like letters.
fn pairs() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut pairs = Vec::new();
    for length in (0..40).chain(60..70) {
        let text: Vec<u8> = (0..length).map(|at| b"aZ-@[`{\x00\xC1\xE1m7"[at % 12]).collect();
        pairs.push((text.clone(), text.clone()));
        for at in 0..length {
            for byte in [text[at] ^ 0x20, text[at] ^ 0x80, text[at].wrapping_add(1)] {
                let mut other = text.clone();
                other[at] = byte;
                pairs.push((text.clone(), other));
            }
        }
    }
    pairs
}

#[test]
fn texts_are_the_same_as_slices_are() {
    for (one, other) in pairs() {
        assert_eq!(same(&one, &other), one == other, "{one:?} {other:?}");
        assert_eq!(
            same_ignoring_case(&one, &other),
            one.eq_ignore_ascii_case(&other),
            "{one:?} {other:?}"
        );
    }
    assert!(!same(b"a", b"ab") && !same(b"12345678", b"123456789"), "lengths differ");
}

#[test]
fn texts_begin_and_end_as_slices_do() {
    for (one, other) in pairs() {
        for cut in 0..=other.len() {
            let (start, end) = other.split_at(cut);
            assert_eq!(begins_with(&one, start), one.starts_with(start), "{one:?} {start:?}");
            assert_eq!(ends_with(&one, end), one.ends_with(end), "{one:?} {end:?}");
        }
        let longer = [other.as_slice(), b"x"].concat();
        assert!(!begins_with(&other, &longer) && !ends_with(&other, &longer), "{other:?}");
    }
}
