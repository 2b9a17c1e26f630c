//! Base64, for questions to Puppet and its answers.

use anyhow::{Context, Result, ensure};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes in Base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() { digit as char } else { '=' });
        }
    }
    out
}

/// Decodes Base64.
pub(crate) fn from_base64(text: &str) -> Result<Vec<u8>> {
    ensure!(text.len().is_multiple_of(4), "the length is wrong for Base64");
    let digits = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in digits.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for digit in chunk {
            let value =
                DIGITS.iter().position(|known| known == digit).context("no Base64 digit")?;
            bits = bits << 6 | value as u32;
        }
        let bits = bits << (6 * (4 - chunk.len()) + 8);
        out.extend(&bits.to_be_bytes()[..chunk.len() - 1]);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{base64, from_base64};

    #[test]
    fn bytes_come_back() {
        for text in ["", "f", "fo", "foo", "foob", "\0\u{ff}é"] {
            let back = from_base64(&base64(text.as_bytes()));
            assert_eq!(back.expect("it was just written"), text.as_bytes());
        }
        assert_eq!(base64(b"foob"), "Zm9vYg==");
    }

    #[test]
    fn noise_is_refused() {
        assert!(from_base64("abc").is_err());
        assert!(from_base64("ab!=").is_err());
    }
}
