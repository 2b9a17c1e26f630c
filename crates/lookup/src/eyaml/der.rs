//! DER, as far as keys and encrypted data need it.

use kukla_rubytext::base64;

pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTETS: u8 = 0x04;
pub(super) const OBJECT: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// Elements one after the other.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    /// The next element: its tag and content.
    pub(super) fn any(&mut self) -> Option<(u8, &'a [u8])> {
        let [tag, first, rest @ ..] = self.0 else { return None };
        let (length, rest) = match first {
            0..=0x7f => (usize::from(*first), rest),
            // An element without a length ends with two zeros.
            0x80 => return self.indefinite(*tag, rest),
            0x81..=0x84 => {
                let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (digits.iter().fold(0, |all, digit| all << 8 | usize::from(*digit)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((*tag, content))
    }

    fn indefinite(&mut self, tag: u8, content: &'a [u8]) -> Option<(u8, &'a [u8])> {
        let mut inner = Reader(content);
        while !inner.0.starts_with(&[0, 0]) {
            inner.any()?;
        }
        let length = content.len() - inner.0.len();
        self.0 = &inner.0[2..];
        Some((tag, &content[..length]))
    }

    /// The content of the next element, which has this tag.
    pub(super) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.any().filter(|(found, _)| *found == tag).map(|(_, content)| content)
    }

    /// The elements in the next one.
    pub(super) fn inside(&mut self, tag: u8) -> Option<Reader<'a>> {
        self.expect(tag).map(Reader)
    }
}

/// The bytes between `-----BEGIN NAME-----` and its end.
pub(super) fn pem(text: &str, name: &str) -> Option<Vec<u8>> {
    let (_, rest) = text.split_once(&format!("-----BEGIN {name}-----"))?;
    let (inner, _) = rest.split_once(&format!("-----END {name}-----"))?;
    Some(base64::decode(inner))
}
