//! Trees that can be written as JSON, YAML or TOML.

use super::{BigInt, Data};

/// A value that may contain values. [`Data`] is one; a type that implements it is written without a copy.
pub trait Tree {
    /// Returns the kind of the value, with its content.
    fn view(&self) -> View<'_>;

    /// Returns an identifier of an array or hash, unique per object: YAML writes the second appearance as an alias.
    fn identity(&self) -> Option<usize> {
        None
    }

    /// Returns whether this or something in it may have an identifier.
    fn has_identities(&self) -> bool {
        true
    }
}

/// The kind and content of a [`Tree`].
pub enum View<'a> {
    /// `nil`
    Nil,
    /// `true` or `false`
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// An integer of more than 64 bits.
    Big(&'a BigInt),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Str(&'a str),
    /// Bytes that are no text.
    Binary(&'a [u8]),
    /// A Ruby symbol.
    Symbol(&'a str),
    /// A value of another class, as Ruby's `to_s` prints it.
    Other(&'a str),
    /// A list.
    Array(Vec<&'a dyn Tree>),
    /// Keys and values.
    Hash(Vec<(&'a dyn Tree, &'a dyn Tree)>),
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&inspect(self))
    }
}

impl Tree for Data {
    fn has_identities(&self) -> bool {
        false
    }

    fn view(&self) -> View<'_> {
        match self {
            Data::Nil => View::Nil,
            Data::Bool(value) => View::Bool(*value),
            Data::Int(number) => View::Int(*number),
            Data::Big(number) => View::Big(number),
            Data::Float(number) => View::Float(*number),
            Data::Str(text) => View::Str(text),
            Data::Binary(bytes) => View::Binary(bytes),
            Data::Symbol(text) => View::Symbol(text),
            Data::Other(_, text) => View::Other(text),
            Data::Array(items) => View::Array(items.iter().map(|item| item as &dyn Tree).collect()),
            Data::Hash(entries) => {
                View::Hash(entries.iter().map(|(k, v)| (k as &dyn Tree, v as &dyn Tree)).collect())
            }
        }
    }
}

/// Formats a value as Ruby's `to_s` does.
pub fn to_s(view: &View<'_>) -> String {
    match view {
        View::Nil => String::new(),
        View::Str(text) | View::Symbol(text) | View::Other(text) => (*text).to_owned(),
        other => inspect(other),
    }
}

/// Formats a value as Ruby's `inspect` does.
pub fn inspect(view: &View<'_>) -> String {
    match view {
        View::Nil => "nil".to_owned(),
        View::Bool(value) => value.to_string(),
        View::Int(number) => number.to_string(),
        View::Big(number) => number.to_string(),
        View::Float(number) => super::float::to_s(*number),
        View::Str(text) => super::inspect::inspect(text),
        View::Binary(bytes) => super::inspect::inspect_bytes(bytes),
        View::Symbol(text) => super::inspect::inspect_symbol(text),
        View::Other(text) => (*text).to_owned(),
        View::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| inspect(&item.view())).collect();
            format!("[{}]", items.join(", "))
        }
        View::Hash(entries) => {
            let entry = |(key, value): &(&dyn Tree, &dyn Tree)| {
                format!("{}=>{}", inspect(&key.view()), inspect(&value.view()))
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}
