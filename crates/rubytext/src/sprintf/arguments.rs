//! Arguments of a format, and the choice of the next one.

use crate::{BigInt, RubyError, RubyInteger as _, float, inspect::inspect};
use std::borrow::Cow;

/// A value that can be formatted.
pub trait Argument {
    /// Returns the value for number conversions.
    fn kind(&self) -> Kind<'_>;
    /// Formats the value as Ruby's `to_s`, for `%s`.
    fn to_s(&self) -> Cow<'_, str>;
    /// Formats the value as Ruby's `inspect`, for `%p`.
    fn inspect(&self) -> Cow<'_, str>;
    /// Returns the value of a key, if this is a hash that has it; for `%<name>s` and `%{name}`.
    fn entry(&self, _name: &str) -> Option<&dyn Argument> {
        None
    }
}

/// An argument of a number conversion.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind<'a> {
    /// `nil`
    Nil,
    /// An integer of 64 bits.
    Int(i64),
    /// An integer of more than 64 bits.
    Big(&'a BigInt),
    /// A floating-point number.
    Float(f64),
    /// A text, which Ruby converts to a number.
    Str(&'a str),
    /// A hash, valid only as the single argument of a format with names.
    Hash,
    /// No number; the subject of `can't convert … into Integer`: a class, `true` or `false`.
    Other(&'a str),
}

impl Argument for i64 {
    fn kind(&self) -> Kind<'_> {
        Kind::Int(*self)
    }
    fn to_s(&self) -> Cow<'_, str> {
        self.to_string().into()
    }
    fn inspect(&self) -> Cow<'_, str> {
        self.to_string().into()
    }
}

impl Argument for BigInt {
    fn kind(&self) -> Kind<'_> {
        self.to_i64().map_or(Kind::Big(self), Kind::Int)
    }
    fn to_s(&self) -> Cow<'_, str> {
        self.to_string().into()
    }
    fn inspect(&self) -> Cow<'_, str> {
        self.to_string().into()
    }
}

impl Argument for f64 {
    fn kind(&self) -> Kind<'_> {
        Kind::Float(*self)
    }
    fn to_s(&self) -> Cow<'_, str> {
        float::to_s(*self).into()
    }
    fn inspect(&self) -> Cow<'_, str> {
        float::to_s(*self).into()
    }
}

impl Argument for str {
    fn kind(&self) -> Kind<'_> {
        Kind::Str(self)
    }
    fn to_s(&self) -> Cow<'_, str> {
        self.into()
    }
    fn inspect(&self) -> Cow<'_, str> {
        inspect(self).into()
    }
}

impl Argument for String {
    fn kind(&self) -> Kind<'_> {
        Kind::Str(self)
    }
    fn to_s(&self) -> Cow<'_, str> {
        self.as_str().into()
    }
    fn inspect(&self) -> Cow<'_, str> {
        inspect(self).into()
    }
}

/// The arguments, and the way in which the format has chosen them so far: Ruby allows no mixture.
pub(super) struct Arguments<'a> {
    list: &'a [&'a dyn Argument],
    way: Way,
}

/// The ways to choose an argument.
#[derive(Clone, Copy)]
enum Way {
    /// `%s`; the number of arguments taken so far.
    InTurn(usize),
    /// `%1$s`
    Numbered,
    /// `%<name>s`
    Named,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(list: &'a [&'a dyn Argument]) -> Self {
        Self { list, way: Way::InTurn(0) }
    }

    /// Returns the next argument of a format without numbers.
    pub(super) fn next(&mut self) -> Result<&'a dyn Argument, RubyError> {
        match self.way {
            // Ruby reports the number of arguments taken in turn, which is none so far.
            Way::Numbered => Err(RubyError::argument("unnumbered(1) mixed with numbered")),
            Way::Named => Err(RubyError::argument("unnumbered(1) mixed with named")),
            Way::InTurn(taken) => {
                self.way = Way::InTurn(taken + 1);
                self.nth(taken + 1)
            }
        }
    }

    /// Returns the argument of `%1$s`.
    pub(super) fn numbered(&mut self, number: i64) -> Result<&'a dyn Argument, RubyError> {
        match self.way {
            Way::InTurn(taken) if taken > 0 => {
                Err(RubyError::argument(format!("numbered({number}) after unnumbered({taken})")))
            }
            Way::Named => Err(RubyError::argument(format!("numbered({number}) after named"))),
            Way::InTurn(_) | Way::Numbered if number < 1 => {
                Err(RubyError::argument(format!("invalid index - {number}$")))
            }
            Way::InTurn(_) | Way::Numbered => {
                self.way = Way::Numbered;
                self.nth(usize::try_from(number).unwrap_or(usize::MAX))
            }
        }
    }

    /// Returns the argument of `%<name>s` or `%{name}`; `written` includes the brackets.
    pub(super) fn named(&mut self, written: &str) -> Result<&'a dyn Argument, RubyError> {
        match self.way {
            Way::InTurn(taken) if taken > 0 => {
                let message = format!("named{written} after unnumbered({taken})");
                return Err(RubyError::argument(message));
            }
            Way::Numbered => {
                return Err(RubyError::argument(format!("named{written} after numbered")));
            }
            Way::InTurn(_) | Way::Named => self.way = Way::Named,
        }
        let [hash] = self.list else { return Err(RubyError::argument("one hash required")) };
        if hash.kind() != Kind::Hash {
            return Err(RubyError::argument("one hash required"));
        }
        hash.entry(&written[1..written.len() - 1])
            .ok_or_else(|| RubyError::new("KeyError", format!("key{written} not found")))
    }

    fn nth(&self, number: usize) -> Result<&'a dyn Argument, RubyError> {
        let argument = self.list.get(number.wrapping_sub(1));
        argument.copied().ok_or_else(|| RubyError::argument("too few arguments"))
    }
}
