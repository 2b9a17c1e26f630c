//! Base64 as Ruby packs it.

#[cfg(test)]
mod tests;

use super::RubyError;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `["…"].pack('m')`: lines of 60 letters.
pub fn encode(bytes: &[u8]) -> String {
    bytes.chunks(45).map(|line| strict_encode(line) + "\n").collect()
}

/// `["…"].pack('m0')`: one line.
pub fn strict_encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |all, &byte| (all << 8) | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * place)) as usize & 63];
            out.push(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// `Base64.urlsafe_encode64`
pub fn urlsafe_encode(bytes: &[u8]) -> String {
    strict_encode(bytes).replace('+', "-").replace('/', "_")
}

fn value(letter: u8) -> Option<u32> {
    Some(match letter {
        b'A'..=b'Z' => u32::from(letter - b'A'),
        b'a'..=b'z' => u32::from(letter - b'a') + 26,
        b'0'..=b'9' => u32::from(letter - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// `"…".unpack('m')`: what is no letter is skipped, and the end may be missing.
pub fn decode(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = Vec::with_capacity(4);
    for byte in text.bytes() {
        // Padding counts only where it can stand.
        if byte == b'=' && group.len() >= 2 {
            break;
        }
        if let Some(value) = value(byte) {
            group.push(value);
        }
        if group.len() == 4 {
            push_group(&mut out, &group);
            group.clear();
        }
    }
    if group.len() > 1 {
        push_group(&mut out, &group);
    }
    out
}

/// Two letters make a byte, three make two, four make three.
fn push_group(out: &mut Vec<u8>, group: &[u32]) {
    let word = (0..4).fold(0, |all, place| (all << 6) | group.get(place).copied().unwrap_or(0));
    out.extend_from_slice(&word.to_be_bytes()[1..group.len()]);
}

/// `"…".unpack('m0')`: letters and padding, nothing else.
pub fn strict_decode(text: &str) -> Result<Vec<u8>, RubyError> {
    let invalid = || RubyError::argument("invalid base64");
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return Err(invalid());
    }
    let padding = bytes.iter().rev().take_while(|&&byte| byte == b'=').count();
    if padding > 2 {
        return Err(invalid());
    }
    let letters = &bytes[..bytes.len() - padding];
    let values = letters.iter().map(|&letter| value(letter)).collect::<Option<Vec<u32>>>();
    let values = values.ok_or_else(invalid)?;
    let mut out = Vec::with_capacity(values.len());
    for group in values.chunks(4) {
        // Bits that fall off the end must be zero.
        let loose = match group.len() {
            2 => group[1] & 15,
            3 => group[2] & 3,
            _ => 0,
        };
        if loose != 0 {
            return Err(invalid());
        }
        push_group(&mut out, group);
    }
    Ok(out)
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
