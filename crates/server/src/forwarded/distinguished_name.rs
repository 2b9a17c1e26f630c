//! Distinguished names as text, in the form of RFC 4514.
//!
//! nginx (`$ssl_client_s_dn`) and Envoy (`Subject`) write subjects in this form. Older forms, with slashes, quotes or
//! semicolons, are refused: in them a separator can't be distinguished from a character of a value.

use x509_parser::asn1_rs::Any;
use x509_parser::prelude::FromDer as _;

use super::subject::{CommonNames, SubjectError, string};

type Parsed<T> = Result<T, SubjectError>;

/// Returns the only common name of a subject.
pub(crate) fn common_name(text: &[u8]) -> Parsed<String> {
    let mut names = CommonNames::default();
    let mut parser = Parser { rest: text };
    while !parser.rest.is_empty() {
        let is_name = is_common_name(parser.attribute_type()?);
        let value = parser.value()?;
        names.add(is_name.then(|| value.text()).transpose()?);
        parser.separator()?;
    }
    names.only()
}

/// Whether an attribute type is the common name, in the spellings of RFC 4514 and its predecessor.
fn is_common_name(attribute_type: &[u8]) -> bool {
    let spellings: [&[u8]; 4] = [b"CN", b"commonName", b"2.5.4.3", b"OID.2.5.4.3"];
    spellings.iter().any(|spelling| attribute_type.eq_ignore_ascii_case(spelling))
}

/// Value of an attribute.
enum AttributeValue {
    /// A text without its escapes.
    Text(Vec<u8>),
    /// The encoding of a value, from `#hex`.
    Encoded(Vec<u8>),
}

impl AttributeValue {
    fn text(&self) -> Parsed<String> {
        let text = match self {
            Self::Text(bytes) => String::from_utf8(bytes.clone()).ok(),
            Self::Encoded(bytes) => match Any::from_der(bytes) {
                Ok((b"", any)) => string(&any),
                _ => None,
            },
        };
        text.ok_or(SubjectError::StringType)
    }
}

struct Parser<'t> {
    rest: &'t [u8],
}

impl<'t> Parser<'t> {
    /// Takes `CN=` or `2.5.4.3=`.
    fn attribute_type(&mut self) -> Parsed<&'t [u8]> {
        if self.rest.first() == Some(&b'/') {
            return Err(SubjectError::Malformed(
                "it has slashes, as old versions of OpenSSL write",
            ));
        }
        let end = memchr::memchr(b'=', self.rest);
        let end = end.ok_or(SubjectError::Malformed("an attribute has no `=`"))?;
        let (attribute_type, rest) = (&self.rest[..end], &self.rest[end + 1..]);
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        if attribute_type.is_empty() || !attribute_type.iter().all(is_word) {
            return Err(SubjectError::Malformed("the type of an attribute is no word and no OID"));
        }
        self.rest = rest;
        Ok(attribute_type)
    }

    fn value(&mut self) -> Parsed<AttributeValue> {
        match self.rest.split_first() {
            Some((b'#', digits)) => {
                let end = digits.iter().position(|byte| matches!(byte, b',' | b'+'));
                let (digits, rest) = digits.split_at(end.unwrap_or(digits.len()));
                self.rest = rest;
                let bytes = hexadecimal(digits);
                bytes
                    .map(AttributeValue::Encoded)
                    .ok_or(SubjectError::Malformed("a value after `#` is not hexadecimal"))
            }
            Some((b' ', _)) => Err(SubjectError::Malformed("a value starts with a blank")),
            _ => self.string().map(AttributeValue::Text),
        }
    }

    /// Takes a text up to a separator.
    fn string(&mut self) -> Parsed<Vec<u8>> {
        let mut text = Vec::new();
        let mut ends_in_blank = false;
        while let Some((&byte, rest)) = self.rest.split_first() {
            match byte {
                b',' | b'+' => break,
                b'\\' => {
                    text.push(self.escape()?);
                    ends_in_blank = false;
                }
                b'"' | b';' | b'<' | b'>' | 0..=0x1F | 0x7F => {
                    return Err(SubjectError::Malformed("a value needs an escape that is missing"));
                }
                byte => {
                    text.push(byte);
                    self.rest = rest;
                    ends_in_blank = byte == b' ';
                }
            }
        }
        if ends_in_blank {
            return Err(SubjectError::Malformed("a value ends with a blank"));
        }
        Ok(text)
    }

    /// Takes `\,` or `\2C`.
    fn escape(&mut self) -> Parsed<u8> {
        let special = b" \"#+,;<=>\\";
        let (byte, length) = match *self.rest {
            [_, byte, ..] if special.contains(&byte) => (Some(byte), 2),
            [_, high, low, ..] => (pair(high, low), 3),
            _ => (None, 0),
        };
        let byte = byte.ok_or(SubjectError::Malformed("an escape is invalid"))?;
        self.rest = &self.rest[length..];
        Ok(byte)
    }

    /// Takes the separator in front of another attribute, if there is one.
    fn separator(&mut self) -> Parsed<()> {
        match self.rest {
            [] => Ok(()),
            // Only a comma or a plus sign ends a value.
            [_] => Err(SubjectError::Malformed("it ends with a separator")),
            [_, rest @ ..] => {
                self.rest = rest;
                Ok(())
            }
        }
    }
}

fn hexadecimal(digits: &[u8]) -> Option<Vec<u8>> {
    let pairs = digits.chunks(2).map(|digits| match *digits {
        [high, low] => pair(high, low),
        _ => None,
    });
    pairs.collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
}

fn pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
