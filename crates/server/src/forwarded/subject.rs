//! The common name of a subject: exactly one, or none at all.

use std::fmt;

use x509_parser::asn1_rs::{Any, Class, Tag};

/// The reason why a subject names no client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubjectError {
    /// The subject has no attributes.
    Empty,
    /// No attribute is a common name.
    NoCommonName,
    /// Several attributes are common names.
    SeveralCommonNames,
    /// The common name has no characters.
    EmptyCommonName,
    /// The common name has control characters.
    ControlCharacter,
    /// The common name has a string type other than UTF-8 or ASCII.
    StringType,
    /// The text is not in the form of RFC 4514.
    Malformed(&'static str),
}

impl fmt::Display for SubjectError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Empty => "the subject is empty",
            Self::NoCommonName => "the subject has no common name",
            Self::SeveralCommonNames => "the subject has several common names",
            Self::EmptyCommonName => "the common name is empty",
            Self::ControlCharacter => "the common name has a control character",
            Self::StringType => {
                "the common name is no UTF8String, PrintableString or IA5String with valid text"
            }
            Self::Malformed(problem) => {
                return write!(out, "the subject is not in the form of RFC 4514: {problem}");
            }
        })
    }
}

/// Common names found in a subject.
#[derive(Debug, Default)]
pub(super) struct CommonNames {
    first: Option<String>,
    n_attributes: usize,
    n_names: usize,
}

impl CommonNames {
    /// Counts an attribute; `name` is its value if it is a common name.
    pub(super) fn add(&mut self, name: Option<String>) {
        self.n_attributes += 1;
        self.n_names += usize::from(name.is_some());
        self.first = self.first.take().or(name);
    }

    /// Returns the only common name.
    pub(super) fn only(self) -> Result<String, SubjectError> {
        match (self.n_attributes, self.n_names, self.first) {
            (0, ..) => Err(SubjectError::Empty),
            (_, 1, Some(name)) if name.is_empty() => Err(SubjectError::EmptyCommonName),
            (_, 1, Some(name)) if name.contains(char::is_control) => {
                Err(SubjectError::ControlCharacter)
            }
            (_, 1, Some(name)) => Ok(name),
            (_, 0, _) | (.., None) => Err(SubjectError::NoCommonName),
            _ => Err(SubjectError::SeveralCommonNames),
        }
    }
}

/// Returns the text of an ASN.1 string. Types without a fixed character set (T61String) and wide ones are refused.
pub(super) fn string(value: &Any<'_>) -> Option<String> {
    let header = &value.header;
    if header.class() != Class::Universal || header.is_constructed() {
        return None;
    }
    let text = std::str::from_utf8(value.data).ok()?;
    let is_text = match header.tag() {
        Tag::Utf8String => true,
        Tag::PrintableString | Tag::Ia5String => text.is_ascii(),
        _ => false,
    };
    is_text.then(|| text.to_owned())
}
