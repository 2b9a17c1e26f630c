//! Texts that Ruby has as bytes without an encoding (`ASCII-8BIT`), such as decoded Base64: catalogs have them as Binary.
//!
//! In Ruby the encoding belongs to the string object: it survives assignment, not every concatenation, and an equal text
//! may be without it. Here copies of a text share its allocation, so a [`ByteTexts`] knows such a text by its address.
//! It keeps each of them, so that no other text comes to the same address.

use std::collections::BTreeMap;

use ecow::EcoString;

use crate::Value;

/// Longer than any text that is stored without an allocation.
const ALLOCATED: usize = 16;

/// The texts of a compilation that hold bytes.
#[derive(Debug, Default)]
pub struct ByteTexts {
    by_address: BTreeMap<usize, EcoString>,
}

impl ByteTexts {
    /// Whether there are none, as in nearly all compilations.
    pub fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    /// Copies a text into one that holds bytes.
    pub fn add(&mut self, text: &str) -> EcoString {
        let mut bytes = EcoString::with_capacity(text.len().max(ALLOCATED));
        bytes.push_str(text);
        self.by_address.insert(bytes.as_ptr().addr(), bytes.clone());
        bytes
    }

    /// Whether a text is one of those, or a copy of one.
    pub fn contains(&self, text: &EcoString) -> bool {
        !self.is_empty() && self.by_address.contains_key(&text.as_ptr().addr())
    }

    /// Whether a value is a text that holds bytes.
    pub fn is_bytes(&self, value: &Value) -> bool {
        matches!(value, Value::String(text) if self.contains(text))
    }

    /// Marks what Ruby makes of a text and leaves in its encoding: a text, or a list of its parts.
    ///
    /// Of a list of texts it makes a list with an element for each, or one text, which has the encoding of the first.
    pub fn keep(&mut self, source: &Value, result: Value) -> Value {
        match (source, result) {
            (Value::Array(sources), Value::Array(results)) if sources.len() == results.len() => {
                let pairs = sources.iter().zip(results);
                Value::array(pairs.map(|(source, result)| self.keep(source, result)))
            }
            (Value::Array(sources), result @ Value::String(_)) => match sources.first() {
                Some(first) => self.keep(first, result),
                None => result,
            },
            (source, result) if self.is_bytes(source) => self.mark(result),
            (_, result) => result,
        }
    }

    /// Marks a text, or all texts of a list.
    pub fn mark(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) if !self.contains(&text) => Value::String(self.add(&text)),
            Value::Array(values) => Value::array(values.into_iter().map(|value| self.mark(value))),
            other => other,
        }
    }
}

/// The encoding of a text that Ruby puts together of several.
///
/// The first part decides, unless all before a part are of ASCII and the part is not.
#[derive(Debug, Default, Clone, Copy)]
pub struct JoinedEncoding {
    has_parts: bool,
    is_bytes: bool,
    has_others: bool,
}

impl JoinedEncoding {
    /// Adds a part.
    pub fn add(&mut self, part: &str, is_bytes: bool) {
        if !self.has_parts || (!self.has_others && !part.is_ascii()) {
            self.is_bytes = is_bytes;
        }
        self.has_parts = true;
        self.has_others |= !part.is_ascii();
    }

    /// Whether the whole holds bytes.
    pub fn is_bytes(self) -> bool {
        self.is_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{ByteTexts, JoinedEncoding};
    use crate::Value;

    #[test]
    fn copies_are_known_and_equal_texts_are_not() {
        let mut texts = ByteTexts::default();
        for text in ["", "abc", "This is a text of some length"] {
            let bytes = texts.add(text);
            assert_eq!(bytes, text);
            assert!(texts.contains(&bytes.clone()));
            assert!(!texts.contains(&text.into()));
            let mut changed = bytes.clone();
            changed.push('x');
            assert!(!texts.contains(&changed));
            assert!(texts.contains(&bytes));
        }
    }

    #[test]
    fn results_have_the_encoding_of_their_source() {
        let mut texts = ByteTexts::default();
        let bytes = Value::String(texts.add("abc"));
        let result = texts.keep(&bytes, Value::array([Value::string("a"), Value::string("c")]));
        let Value::Array(parts) = &result else { panic!("a list") };
        assert!(parts.iter().all(|part| texts.is_bytes(part)));
        let list = Value::array([Value::string("x"), bytes]);
        let joined = texts.keep(&list, Value::string("x,abc"));
        assert!(!texts.is_bytes(&joined));
    }

    #[test]
    fn the_first_part_decides() {
        let joined = |parts: &[(&str, bool)]| {
            let mut encoding = JoinedEncoding::default();
            parts.iter().for_each(|(part, is_bytes)| encoding.add(part, *is_bytes));
            encoding.is_bytes()
        };
        assert!(joined(&[("a", true), ("b", false)]));
        assert!(!joined(&[("a", false), ("b", true)]));
        assert!(joined(&[("a", false), ("é", true)]));
        assert!(!joined(&[("a", true), ("é", false)]));
    }
}
