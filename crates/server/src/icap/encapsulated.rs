//! The field `Encapsulated`: which parts of HTTP messages follow, and where.

use crate::wire::Malformed;

/// The largest head inside of a message.
const HEAD: usize = 64 << 10;

/// Parts of HTTP messages inside of a message of ICAP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encapsulated {
    /// The length of the head of a request.
    pub request: Option<usize>,
    /// The length of the head of a response.
    pub response: Option<usize>,
    /// The body.
    pub body: EncapsulatedBody,
}

/// The kind of body inside of a message of ICAP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EncapsulatedBody {
    /// `null-body`
    #[default]
    None,
    /// `req-body`
    Request,
    /// `res-body`
    Response,
    /// `opt-body`
    Options,
}

impl Encapsulated {
    /// Parses the value: heads in their order from offset 0 without a gap, and one body at the end.
    pub fn parse(value: &[u8]) -> Result<Self, Malformed> {
        let bad = Malformed::Encapsulated;
        let mut parts = Vec::new();
        for element in value.split(|byte| *byte == b',') {
            let element = element.trim_ascii();
            let equals = memchr::memchr(b'=', element).ok_or(bad)?;
            let digits = std::str::from_utf8(&element[equals + 1..]).map_err(|_| bad)?;
            let is_number =
                (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
            let offset: usize = digits.parse().ok().filter(|_| is_number).ok_or(bad)?;
            parts.push((&element[..equals], offset));
            if parts.len() > 3 {
                return Err(bad);
            }
        }
        let (&(body, end), heads) = parts.split_last().ok_or(bad)?;
        let mut this = Self { body: kind(body).ok_or(bad)?, ..Self::default() };
        if heads.first().map_or(end, |(_, offset)| *offset) != 0 {
            return Err(bad);
        }
        for (index, (name, offset)) in heads.iter().enumerate() {
            let next = heads.get(index + 1).map_or(end, |(_, next)| *next);
            let length = next.checked_sub(*offset).filter(|length| (1..=HEAD).contains(length));
            let place = match *name {
                b"req-hdr" if index == 0 => &mut this.request,
                b"res-hdr" if this.response.is_none() => &mut this.response,
                _ => return Err(bad),
            };
            *place = Some(length.ok_or(bad)?);
        }
        this.is_consistent().then_some(this).ok_or(bad)
    }

    fn is_consistent(&self) -> bool {
        match self.body {
            EncapsulatedBody::None => true,
            EncapsulatedBody::Request => self.response.is_none(),
            EncapsulatedBody::Response => true,
            EncapsulatedBody::Options => self.request.is_none() && self.response.is_none(),
        }
    }

    /// Returns the value.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        let mut offset = 0;
        for (name, length) in [("req-hdr", self.request), ("res-hdr", self.response)] {
            if let Some(length) = length {
                parts.push(format!("{name}={offset}"));
                offset += length;
            }
        }
        let name = match self.body {
            EncapsulatedBody::None => "null-body",
            EncapsulatedBody::Request => "req-body",
            EncapsulatedBody::Response => "res-body",
            EncapsulatedBody::Options => "opt-body",
        };
        parts.push(format!("{name}={offset}"));
        parts.join(", ")
    }

    /// Whether a body follows.
    pub fn has_body(&self) -> bool {
        self.body != EncapsulatedBody::None
    }
}

fn kind(name: &[u8]) -> Option<EncapsulatedBody> {
    match name {
        b"null-body" => Some(EncapsulatedBody::None),
        b"req-body" => Some(EncapsulatedBody::Request),
        b"res-body" => Some(EncapsulatedBody::Response),
        b"opt-body" => Some(EncapsulatedBody::Options),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for request in [None, Some(1), Some(700)] {
            for response in [None, Some(9)] {
                for body in [EncapsulatedBody::None, EncapsulatedBody::Response] {
                    let one = Encapsulated { request, response, body };
                    assert_eq!(Encapsulated::parse(one.text().as_bytes()), Ok(one));
                }
            }
        }
    }

    #[test]
    fn wrong_offsets_are_refused() {
        let bad = [
            "",
            "null-body",
            "null-body=",
            "null-body=x",
            "null-body=-1",
            "null-body=+1",
            "null-body=1",
            "req-hdr=0",
            "req-hdr=1, null-body=9",
            "req-hdr=0, req-hdr=5, null-body=9",
            "req-hdr=5, res-hdr=0, null-body=9",
            "res-hdr=0, req-hdr=5, null-body=9",
            "req-hdr=0, null-body=0",
            "req-hdr=9, res-hdr=5, null-body=12",
            "null-body=0, req-hdr=0",
            "req-hdr=0, res-hdr=5, req-body=9",
            "req-hdr=0, null-body=99999",
            "req-hdr=0, opt-body=9",
            "req-hdr=0, null-body=9999999999999999999",
            "req-hdr=0, res-hdr=1, res-body=2, null-body=3",
        ];
        for value in bad {
            assert_eq!(
                Encapsulated::parse(value.as_bytes()),
                Err(Malformed::Encapsulated),
                "{value}"
            );
        }
    }
}
