//! The header lines before the payload, which describe it.
//!
//! ```text
//! application/vnd.puppet.pcore+flat; document-type=xpp; version=1; crc32=0a1b2c3d
//!
//! ```
//! `crc32` is the checksum of all bytes behind the blank line.
//! Parameters may stand on lines of their own, and a line may end with CRLF.

use super::XppError;
use super::crc32::crc32;

/// The encoding of the payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// A list of numbers and a list of strings; the fastest to read.
    #[default]
    Flat,
    /// Pcore's stream in JSON, which Puppet reads without a plugin.
    Json,
    /// Pcore's stream in msgpack.
    Msgpack,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Self; 3] = [Self::Flat, Self::Json, Self::Msgpack];

    /// Returns its name in the envelope.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Json => "json",
            Self::Msgpack => "msgpack",
        }
    }
}

/// The header of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Envelope {
    /// The encoding of the payload.
    pub encoding: Encoding,
    /// The CRC-32 of the payload, as zlib computes it. No payload is read without it.
    pub crc32: Option<u32>,
    /// Unknown parameters, in their order.
    pub parameters: Vec<(String, String)>,
}

/// The prefix of the media type before the encoding.
const PCORE: &str = "application/vnd.puppet.pcore";

/// The parameter with the checksum of the payload.
const CRC32: &str = "crc32";

/// The maximum length of an envelope in bytes.
const MAX_LEN: usize = 64 * 1024;

impl Envelope {
    /// The only supported document type.
    pub const DOCUMENT_TYPE: &'static str = "xpp";
    /// The only supported version.
    pub const VERSION: &'static str = "1";

    /// Creates the default envelope of a payload.
    pub fn of(encoding: Encoding, payload: &[u8]) -> Self {
        Self { encoding, crc32: Some(crc32(payload)), parameters: Vec::new() }
    }

    /// Returns the media type without parameters.
    pub fn media_type(&self) -> String {
        format!("{PCORE}+{}", self.encoding.as_str())
    }

    /// Returns the text at the start of a file, with the blank line.
    pub fn to_text(&self) -> String {
        let (document_type, version) = (Self::DOCUMENT_TYPE, Self::VERSION);
        let mut text =
            format!("{};document-type={document_type};version={version}", self.media_type());
        if let Some(crc32) = self.crc32 {
            text.extend([";", CRC32, "=", &format!("{crc32:08x}")]);
        }
        for (name, value) in &self.parameters {
            text.extend([";", name, "=", value]);
        }
        text.push_str("\n\n");
        text
    }

    /// Splits a file into envelope and payload.
    pub fn split(bytes: &[u8]) -> Result<(Self, &[u8]), XppError> {
        if let Some((crc32, payload)) = usual(bytes) {
            let crc32 = Some(crc32);
            return Ok((Self { encoding: Encoding::Flat, crc32, parameters: Vec::new() }, payload));
        }
        let (head, payload) = head(bytes).ok_or(XppError::NoEnvelope)?;
        Ok((Self::parse(head)?, payload))
    }

    /// Compares the payload with its checksum.
    ///
    /// A file without one is refused: otherwise a change of the envelope could hide a change of the payload.
    pub fn check(&self, payload: &[u8]) -> Result<(), XppError> {
        match self.crc32 {
            Some(expected) if expected == crc32(payload) => Ok(()),
            Some(_) => Err(XppError::WrongChecksum),
            None => Err(XppError::BadEnvelope(format!("there is no `{CRC32}`"))),
        }
    }

    fn parse(head: &str) -> Result<Self, XppError> {
        let mut parts = head.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let encoding = media_type
            .strip_prefix(PCORE)
            .and_then(|rest| rest.strip_prefix('+'))
            .ok_or(XppError::NoEnvelope)?;
        let encoding = Encoding::ALL
            .into_iter()
            .find(|known| known.as_str() == encoding)
            .ok_or_else(|| XppError::UnknownEncoding(encoding.to_owned()))?;
        let mut parameters = parts.map(parameter).collect::<Result<Vec<_>, _>>()?;
        let document_type = take(&mut parameters, "document-type")?;
        if document_type != Self::DOCUMENT_TYPE {
            return Err(XppError::UnknownDocumentType(document_type));
        }
        let version = take(&mut parameters, "version")?;
        if version != Self::VERSION {
            return Err(XppError::UnknownVersion(version));
        }
        let crc32 = match parameters.iter().any(|(name, _)| name == CRC32) {
            true => Some(checksum(&take(&mut parameters, CRC32)?)?),
            false => None,
        };
        Ok(Self { encoding, crc32, parameters })
    }
}

/// Fast path for our own files: returns the checksum and the payload of an envelope exactly as we write it.
fn usual(bytes: &[u8]) -> Option<(u32, &[u8])> {
    const START: &[u8] = b"application/vnd.puppet.pcore+flat;document-type=xpp;version=1;crc32=";
    let (digits, rest) = bytes.strip_prefix(START)?.split_first_chunk::<8>()?;
    let payload = rest.strip_prefix(b"\n\n")?;
    // Digits can't be predicted, so this avoids branches on them.
    let (number, seen) = digits.iter().fold((0, 0), |(number, seen), &digit| {
        let value = HEX[usize::from(digit)];
        (number << 4 | u32::from(value), seen | value)
    });
    (seen < 16).then_some((number, payload))
}

/// The values of the hexadecimal digits that we write; more than 15 for all other bytes.
static HEX: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value as usize] as usize] = value;
        value += 1;
    }
    values
};

fn checksum(digits: &str) -> Result<u32, XppError> {
    let is_checksum = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_checksum);
    number.ok_or_else(|| XppError::BadEnvelope(format!("`{digits}` is not a checksum")))
}

/// Returns the text before the blank line, and the bytes after it.
fn head(bytes: &[u8]) -> Option<(&str, &[u8])> {
    if !bytes.starts_with(PCORE.as_bytes()) {
        return None;
    }
    let breaks = memchr::memchr_iter(b'\n', &bytes[..bytes.len().min(MAX_LEN)]);
    for at in breaks {
        let rest = &bytes[at + 1..];
        let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        if let Some(payload) = rest.strip_prefix(b"\n") {
            return Some((str::from_utf8(&bytes[..at]).ok()?, payload));
        }
    }
    None
}

fn parameter(text: &str) -> Result<(String, String), XppError> {
    let is_word = |word: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !word.is_empty() && word.bytes().all(fits)
    };
    match text.split_once('=') {
        Some((name, value)) if is_word(name) && is_word(value) => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(XppError::BadEnvelope(format!("`{text}` is not a parameter"))),
    }
}

/// Removes and returns the only parameter of that name.
fn take(parameters: &mut Vec<(String, String)>, wanted: &str) -> Result<String, XppError> {
    let mut found = parameters.extract_if(.., |(name, _)| name == wanted);
    let first = found.next();
    match (first, found.next()) {
        (Some((_, value)), None) => Ok(value),
        (None, _) => Err(XppError::BadEnvelope(format!("there is no `{wanted}`"))),
        (Some(_), Some(_)) => Err(XppError::BadEnvelope(format!("`{wanted}` is given twice"))),
    }
}
