//! Percent-encoding.

use std::fmt::Write;

/// Escapes bytes that no URI may have as `%XX`, as `URI::DEFAULT_PARSER.escape` does.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'();/?:@&=+$,[]".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a `String` can't fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
