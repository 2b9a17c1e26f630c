//! A tree for the content of JSON, YAML and HOCON documents.

use super::BigInt;

/// A value that was read, or is to be written; hashes keep their order.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// `nil`
    Nil,
    /// `true` or `false`
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// An integer of more than 64 bits.
    Big(BigInt),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Str(String),
    /// Bytes that are no text.
    Binary(Vec<u8>),
    /// A Ruby symbol.
    Symbol(String),
    /// A value of another class, such as a `Date`: the name of the class and the result of Ruby's `to_s`.
    Other(&'static str, String),
    /// A list.
    Array(Vec<Data>),
    /// Entries in their order; keys are unique.
    Hash(Vec<(Data, Data)>),
}

impl Data {
    /// Creates a text.
    pub fn str(text: impl Into<String>) -> Self {
        Self::Str(text.into())
    }

    /// Returns the value of a key that is a text, if this is a hash that has it.
    pub fn get(&self, key: &str) -> Option<&Data> {
        let Self::Hash(entries) = self else { return None };
        entries.iter().find(|(k, _)| matches!(k, Data::Str(k) if k == key)).map(|(_, value)| value)
    }
}
