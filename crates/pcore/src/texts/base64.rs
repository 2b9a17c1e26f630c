//! Base64 as Ruby's library has it.

use super::RubyError;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `Base64.encode64`: lines of 60 characters.
pub fn encode(bytes: &[u8]) -> String {
    let lines = bytes.chunks(45).map(|line| strict_encode(line) + "\n");
    lines.collect()
}

/// `Base64.strict_encode64`: one line.
pub fn strict_encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at > group.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// `Base64.urlsafe_encode64`: `-` and `_` instead of `+` and `/`.
pub fn urlsafe_encode(bytes: &[u8]) -> String {
    strict_encode(bytes).replace('+', "-").replace('/', "_")
}

/// `Base64.decode64`: what is no letter is skipped, and whatever follows the first `=` too.
pub fn decode(text: &str) -> Vec<u8> {
    let letters = text.bytes().take_while(|byte| *byte != b'=').filter_map(value);
    let letters: Vec<u32> = letters.collect();
    let mut out = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for group in letters.chunks(4) {
        push(&mut out, group);
    }
    out
}

/// `Base64.strict_decode64`: nothing but letters, and `=` where it has to be.
pub fn strict_decode(text: &str) -> Result<Vec<u8>, RubyError> {
    let invalid = || RubyError::argument("invalid base64");
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (groups, []) = text.as_bytes().as_chunks::<4>() else { return Err(invalid()) };
    for (index, group) in groups.iter().enumerate() {
        let is_last = index + 1 == groups.len();
        let letters = match group {
            [_, _, b'=', b'='] if is_last => &group[..2],
            [_, _, _, b'='] if is_last => &group[..3],
            _ => &group[..],
        };
        let values: Option<Vec<u32>> = letters.iter().map(|byte| value(*byte)).collect();
        let values = values.ok_or_else(invalid)?;
        // Bits that belong to no byte have to be zero.
        if values.len() == 2 && values[1] & 15 != 0 || values.len() == 3 && values[2] & 3 != 0 {
            return Err(invalid());
        }
        push(&mut out, &values);
    }
    Ok(out)
}

/// `Base64.urlsafe_decode64`: strict, but `=` may be left out.
pub fn urlsafe_decode(text: &str) -> Result<Vec<u8>, RubyError> {
    let mut text = text.replace('-', "+").replace('_', "/");
    if !text.ends_with('=') {
        while !text.chars().count().is_multiple_of(4) {
            text.push('=');
        }
    }
    strict_decode(&text)
}

/// The bytes of up to four letters.
fn push(out: &mut Vec<u8>, group: &[u32]) {
    let bits = group.iter().enumerate().fold(0, |bits, (at, value)| bits | value << (18 - 6 * at));
    let [_, bytes @ ..] = u32::to_be_bytes(bits);
    out.extend_from_slice(&bytes[..group.len().saturating_sub(1)]);
}

fn value(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}
