//! Base64 as Ruby packs it.

#[cfg(test)]
mod tests;

use data_encoding::{BASE64, BASE64_MIME_PERMISSIVE, BASE64URL};

use super::RubyError;

/// `["…"].pack('m')`: lines of 60 letters.
pub fn encode(bytes: &[u8]) -> String {
    bytes.chunks(45).map(|line| strict_encode(line) + "\n").collect()
}

/// `["…"].pack('m0')`: one line.
pub fn strict_encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// `Base64.urlsafe_encode64`
pub fn urlsafe_encode(bytes: &[u8]) -> String {
    BASE64URL.encode(bytes)
}

/// `"…".unpack('m')`: other characters are skipped, and padding may be missing.
pub fn decode(text: &str) -> Vec<u8> {
    let mut letters = Vec::with_capacity(text.len() + 3);
    for byte in text.bytes() {
        // Ruby stops at padding, but only where it can stand.
        if byte == b'=' && letters.len() % 4 >= 2 {
            break;
        }
        if matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/') {
            letters.push(byte);
        }
    }
    if letters.len() % 4 == 1 {
        letters.pop();
    }
    letters.resize(letters.len().next_multiple_of(4), b'=');
    // Ruby ignores bits that fall off the end, as this encoding does.
    BASE64_MIME_PERMISSIVE.decode(&letters).unwrap_or_default()
}

/// `"…".unpack('m0')`: letters and padding, nothing else.
pub fn strict_decode(text: &str) -> Result<Vec<u8>, RubyError> {
    let invalid = || RubyError::argument("invalid base64");
    // `data-encoding` takes several padded texts one after the other; Ruby does not.
    if text.trim_end_matches('=').contains('=') {
        return Err(invalid());
    }
    BASE64.decode(text.as_bytes()).map_err(|_| invalid())
}

/// `Base64.urlsafe_decode64`: padding may be missing.
pub fn urlsafe_decode(text: &str) -> Result<Vec<u8>, RubyError> {
    let mut text = text.replace('-', "+").replace('_', "/");
    if !text.ends_with('=') {
        while !text.len().is_multiple_of(4) {
            text.push('=');
        }
    }
    strict_decode(&text)
}

/// An error in the text of a heredoc `@(END:base64)`, in Puppet's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeredocError {
    /// Its end is not padded to a whole number of bytes.
    #[error("Base64 syntax checker: Cannot parse invalid Base64 string - padding is not correct")]
    Padding,
    /// It has characters that Base64 has not.
    #[error(
        "Base64 syntax checker: Cannot parse invalid Base64 string - \
         contains letters outside strict base 64 range (or whitespace)"
    )]
    Letters,
}

/// Checks the text of a heredoc `@(END:base64)`.
///
/// Puppet removes blanks and line ends first, and question marks too: its pattern has one inside its brackets.
///
/// ```
/// # use kukla_rubytext::base64::{HeredocError, check};
/// assert_eq!(check("aGVs\n  bG8="), Ok(()));
/// assert_eq!(check("aGVsbG8"), Err(HeredocError::Padding));
/// ```
pub fn check(text: &str) -> Result<(), HeredocError> {
    let letters: String = text.chars().filter(|&letter| !is_removed(letter)).collect();
    if strict_decode(&letters).is_ok() {
        return Ok(());
    }
    Err(match (letters.len() * 8).is_multiple_of(6) {
        false => HeredocError::Padding,
        true => HeredocError::Letters,
    })
}

/// Whether a character is a line end, a question mark, or of `[[:blank:]]`: a tab or a space separator of Unicode.
fn is_removed(letter: char) -> bool {
    matches!(
        letter,
        '\r' | '?' | '\n' | '\t' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}
