//! Types of P; every expression's type is known at compile time.

use std::fmt;

use crate::module::{Module, Object};

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A value.
    Plain(Plain),
    /// A block, with the type of its value.
    Code(Plain),
    /// A method that is not called.
    Function,
    /// The type of an expression with an error; it fits everywhere, so that there is only one diagnostic.
    Unknown,
}

/// The type of a value other than code.
#[derive(Clone, Copy, Debug)]
pub enum Plain {
    /// The result of an action.
    Nothing,
    /// The result of a statement that ends the program.
    Never,
    /// `true` or `false`.
    Boolean,
    /// A whole number of 64 bits.
    Number,
    /// A string of bytes.
    Text,
    /// An imported module.
    Module(&'static Module),
    /// An imported file, by its index.
    File(u16),
    /// An object of a module.
    Object(&'static Object),
}

impl Type {
    /// Truth values.
    pub const BOOLEAN: Self = Self::Plain(Plain::Boolean);
    /// Numbers.
    pub const NUMBER: Self = Self::Plain(Plain::Number);
    /// Strings.
    pub const TEXT: Self = Self::Plain(Plain::Text);
    /// No value.
    pub const NOTHING: Self = Self::Plain(Plain::Nothing);

    /// Returns the type of the value, with code unwrapped.
    pub fn plain(self) -> Option<Plain> {
        match self {
            Self::Plain(plain) => Some(plain),
            Self::Code(_) | Self::Function | Self::Unknown => None,
        }
    }
}

impl PartialEq for Plain {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Module(one), Self::Module(other)) => std::ptr::eq(*one, *other),
            (Self::Object(one), Self::Object(other)) => std::ptr::eq(*one, *other),
            (Self::File(one), Self::File(other)) => one == other,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }
}

impl Eq for Plain {}

impl fmt::Display for Plain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing | Self::Never => write!(out, "nothing"),
            Self::Boolean => write!(out, "boolean"),
            Self::Number => write!(out, "number"),
            Self::Text => write!(out, "string"),
            Self::Module(module) => write!(out, "module {}", module.name),
            Self::File(_) => write!(out, "imported file"),
            Self::Object(object) => write!(out, "{}", object.name),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(plain) => plain.fmt(out),
            Self::Code(_) => write!(out, "code"),
            Self::Function => write!(out, "function"),
            Self::Unknown => write!(out, "unknown"),
        }
    }
}
