//! Encodings in which proxies write a certificate into a header field.

use data_encoding::BASE64;

const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----\n";
const END: &[u8] = b"-----END CERTIFICATE-----";

/// Resolves URL escapes; `None` if one of them is invalid. A `+` stays: it is a digit of Base64.
pub(super) fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    let is_escape = |at: usize| text.get(at + 1..at + 3).is_some_and(is_hex);
    let mut percents = memchr::memchr_iter(b'%', text);
    percents.all(is_escape).then(|| kukla_plang::uri::decode(text, |_| true))
}

/// Decodes URL-escaped PEM of exactly one certificate.
pub(crate) fn escaped_pem(text: &[u8]) -> Option<Vec<u8>> {
    let pem = unescape(text)?;
    let body = pem.trim_ascii_end().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let digits: Vec<u8> = body.iter().copied().filter(|byte| *byte != b'\n').collect();
    base64(&digits)
}

/// Decodes a certificate in Base64, without line breaks.
pub(super) fn base64(digits: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(digits).ok().filter(|der| !der.is_empty())
}
