//! Classes of characters, as in Ruby's regular expressions.

const WORD: u8 = 1;
const LOWER: u8 = 2;
const UPPER: u8 = 4;
const DIGIT: u8 = 8;

const CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => WORD | LOWER,
            b'A'..=b'Z' => WORD | UPPER,
            b'0'..=b'9' => WORD | DIGIT,
            b'_' => WORD,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Matches `\w`: ASCII only, as in Ruby.
pub(super) fn is_word(byte: u8) -> bool {
    CLASS[byte as usize] & WORD != 0
}

/// Matches `[a-z]`.
pub(super) fn is_lower(byte: u8) -> bool {
    CLASS[byte as usize] & LOWER != 0
}

/// Matches `[A-Z]`.
pub(super) fn is_upper(byte: u8) -> bool {
    CLASS[byte as usize] & UPPER != 0
}

/// Matches `\d`.
pub(super) fn is_digit(byte: u8) -> bool {
    CLASS[byte as usize] & DIGIT != 0
}

/// Matches `[[:blank:]]`: a tab, or a space of any script.
pub(super) fn is_blank(char: char) -> bool {
    matches!(
        char,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Returns true if `\b` matches between a number and `rest`: there Ruby does look beyond ASCII.
pub(super) fn ends_word(rest: &str) -> bool {
    !rest.chars().next().is_some_and(|char| char.is_alphanumeric() || char == '_')
}

/// Returns the position after all `\w` from `at` on.
pub(super) fn skip_word(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_word(bytes[at]) {
        at += 1;
    }
    at
}

/// Returns the position after all digits from `at` on.
pub(super) fn skip_digits(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_digit(bytes[at]) {
        at += 1;
    }
    at
}
