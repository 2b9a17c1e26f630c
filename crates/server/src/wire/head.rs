//! Heads: the first line and the header fields.

use std::ops::Range;

use bytes::Bytes;

use super::Malformed;

/// Names and values that no longer borrow from a head.
pub type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// Limits of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadLimits {
    /// The largest size in bytes.
    pub size: usize,
    /// The largest number of fields.
    pub fields: usize,
}

impl Default for HeadLimits {
    fn default() -> Self {
        Self { size: 64 << 10, fields: 200 }
    }
}

/// A field that must occur once is there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated;

/// A head that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    bytes: Bytes,
    line: Range<u32>,
    fields: Vec<Place>,
    /// Whether a value has a tab at its start or end, which not every server drops.
    pub has_outer_tabs: bool,
}

/// The place of a field in the head.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    name: Range<u32>,
    value: Range<u32>,
}

impl Head {
    /// Parses a whole head, with the empty line at its end.
    pub fn parse(bytes: Bytes, limits: HeadLimits) -> Result<Self, Malformed> {
        if bytes.len() > limits.size {
            return Err(Malformed::HeadTooLarge);
        }
        let line_end = line_end(&bytes, 0)?;
        // Most heads have no more fields; they are found without another allocation.
        let fields = Vec::with_capacity(8);
        let mut head = Self { line: range(0, line_end), fields, ..Self::default() };
        if !are_value_bytes(&bytes[..line_end]) {
            return Err(Malformed::StartLine);
        }
        let mut at = line_end + 2;
        loop {
            let end = self::line_end(&bytes, at)?;
            if end == at {
                break;
            }
            if head.fields.len() >= limits.fields {
                return Err(Malformed::TooManyFields);
            }
            let place = field(&bytes, at, end)?;
            let colon = place.name.end as usize + 1;
            let outer =
                [&bytes[colon..place.value.start as usize], &bytes[place.value.end as usize..end]];
            head.has_outer_tabs |= outer.iter().any(|blanks| blanks.contains(&b'\t'));
            head.fields.push(place);
            at = end + 2;
        }
        match at + 2 == bytes.len() {
            true => Ok(Self { bytes, ..head }),
            false => Err(Malformed::StartLine),
        }
    }

    /// Returns the first line.
    pub fn line(&self) -> &[u8] {
        self.slice(&self.line)
    }

    /// Returns names and values.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        self.fields.iter().map(|place| (self.slice(&place.name), self.slice(&place.value)))
    }

    /// Returns the values of all fields of a name.
    pub fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
        let wanted = self.fields().filter(|(own, _)| own.eq_ignore_ascii_case(name.as_bytes()));
        wanted.map(|(_, value)| value)
    }

    /// Returns the value of the only field of a name; `Err`: there are several.
    pub fn only<'h>(&'h self, name: &'h str) -> Result<Option<&'h [u8]>, Repeated> {
        let mut values = self.all(name);
        let first = values.next();
        if values.next().is_some() { Err(Repeated) } else { Ok(first) }
    }

    /// Whether a field of a name lists an element, without regard to case.
    pub fn lists(&self, name: &str, element: &str) -> bool {
        let mut elements = self.all(name).flat_map(|value| value.split(|byte| *byte == b','));
        elements.any(|own| own.trim_ascii().eq_ignore_ascii_case(element.as_bytes()))
    }

    /// Returns a copy of names and values.
    pub fn to_fields(&self) -> Fields {
        self.fields().map(|(name, value)| (name.to_vec(), value.to_vec())).collect()
    }

    fn slice(&self, range: &Range<u32>) -> &[u8] {
        &self.bytes[range.start as usize..range.end as usize]
    }
}

/// Returns the end of the line that starts at `from`; the bytes are a whole head.
fn line_end(bytes: &[u8], from: usize) -> Result<usize, Malformed> {
    let rest = bytes.get(from..).unwrap_or_default();
    match memchr::memchr2(b'\r', b'\n', rest) {
        Some(at) if rest[at..].starts_with(b"\r\n") => Ok(from + at),
        _ => Err(Malformed::LineEnd),
    }
}

fn field(bytes: &[u8], start: usize, end: usize) -> Result<Place, Malformed> {
    let line = &bytes[start..end];
    if matches!(line.first(), Some(b' ' | b'\t')) {
        return Err(Malformed::Folded);
    }
    let colon = memchr::memchr(b':', line).ok_or(Malformed::FieldName)?;
    if !is_token(&line[..colon]) {
        return Err(Malformed::FieldName);
    }
    let value = &line[colon + 1..];
    if !are_value_bytes(value) {
        return Err(Malformed::FieldValue);
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let n_before = value.iter().take_while(|byte| is_blank(byte)).count();
    let n_behind = value[n_before..].iter().rev().take_while(|byte| is_blank(byte)).count();
    let value = range(start + colon + 1 + n_before, end - n_behind);
    Ok(Place { name: range(start, start + colon), value })
}

/// Creates a range inside of a head, whose size is bounded.
fn range(start: usize, end: usize) -> Range<u32> {
    u32::try_from(start).unwrap_or(u32::MAX)..u32::try_from(end).unwrap_or(u32::MAX)
}

/// Whether all bytes may be in a value. Without an early end the compiler looks at many at once.
fn are_value_bytes(bytes: &[u8]) -> bool {
    let is_value = |byte: u8| (byte == b'\t') | ((byte >= b' ') & (byte != 0x7F));
    bytes.iter().fold(true, |all, byte| all & is_value(*byte))
}

/// The bytes of tokens.
const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let (others, mut at, mut byte) = (b"!#$%&'*+-.^_`|~", 0, 0_u8);
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    while byte < 128 {
        table[byte as usize] |= byte.is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// Whether the text is a token: the form of methods and of names of fields.
pub fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| TOKEN[usize::from(*byte)])
}
