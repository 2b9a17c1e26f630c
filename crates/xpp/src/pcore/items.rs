//! Items of the stream: values with references resolved.

use super::{LOCATOR, NAMESPACE, PROGRAM, Read, Token, extension};
use crate::XppError;
use crate::model::{self, Class};
use kukla_syntax::ast::Text;

/// A value with all references to the inner table resolved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Item {
    Undef,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// The number of a string, from 1 on.
    Text(u32),
    /// The number of the string that is the source of a regular expression.
    Regexp(u32),
    /// The start of an array, and how many elements follow.
    Array(u32),
    /// The start of an object, and how many attributes follow.
    Object(Type, usize),
    /// A reference to the outer table.
    Outer(u32),
}

/// The type of an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type {
    Program,
    Locator,
    Node(&'static Class),
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::Program => PROGRAM,
            Self::Locator => LOCATOR,
            Self::Node(class) => class.name,
        }
    }
}

/// Reads values, and maintains the inner table.
pub(super) struct Items<R> {
    pub(super) reader: R,
    inner: Vec<Item>,
    /// All strings one after the other.
    pub(super) blob: String,
    /// The spans of the strings in it.
    pub(super) texts: Vec<Text>,
}

pub(super) const UNEXPECTED: XppError = XppError::Corrupt("there is a value of the wrong kind");
const NO_ENTRY: XppError = XppError::Corrupt("there is a reference to nothing");
const TOO_LARGE: XppError = XppError::Corrupt("a number is too large");

impl<R: Read> Items<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, inner: Vec::new(), blob: String::new(), texts: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Result<Item, XppError> {
        Ok(match self.reader.next()? {
            Token::Undef => Item::Undef,
            Token::Boolean(value) => Item::Boolean(value),
            Token::Integer(number) => Item::Integer(number),
            Token::Float(number) => Item::Float(number),
            Token::Text(text) => self.new_entry(|items| items.add_text(&text).map(Item::Text))?,
            Token::Extension(code) => {
                let item = self.extension(code)?;
                self.reader.end_extension()?;
                item
            }
        })
    }

    fn extension(&mut self, code: u8) -> Result<Item, XppError> {
        match code {
            extension::INNER => {
                let index = self.payload_number()? as usize;
                self.inner.get(index).copied().ok_or(NO_ENTRY)
            }
            extension::OUTER => self.payload_number().map(Item::Outer),
            extension::ARRAY => self.payload_number().map(Item::Array),
            extension::REGEXP => self.new_entry(|items| match items.reader.next()? {
                Token::Text(source) => items.add_text(&source).map(Item::Regexp),
                _ => Err(UNEXPECTED),
            }),
            extension::OBJECT => self.new_entry(Self::object),
            _ => Err(XppError::Corrupt("there is an unknown extension")),
        }
    }

    /// Adds the result of `make` to the inner table.
    fn new_entry(
        &mut self,
        make: impl FnOnce(&mut Self) -> Result<Item, XppError>,
    ) -> Result<Item, XppError> {
        let item = make(self)?;
        self.inner.push(item);
        Ok(item)
    }

    fn object(&mut self) -> Result<Item, XppError> {
        const UNKNOWN: XppError = XppError::Corrupt("there is an object of an unknown type");
        if self.payload_number()? != 3 {
            return Err(UNKNOWN);
        }
        let segments = [self.segment()?, self.segment()?, self.segment()?];
        let [first, second, name] = segments.map(|number| self.letters(number));
        if [first, second] != NAMESPACE {
            return Err(UNKNOWN);
        }
        let type_ = match name {
            PROGRAM => Type::Program,
            LOCATOR => Type::Locator,
            _ => Type::Node(model::by_name(name).ok_or(UNKNOWN)?),
        };
        let n_attributes = self.payload_number()?;
        Ok(Item::Object(type_, n_attributes as usize))
    }

    /// Reads a part of the name of a type.
    fn segment(&mut self) -> Result<u32, XppError> {
        let item = match self.reader.next()? {
            Token::Text(text) => self.new_entry(|items| items.add_text(&text).map(Item::Text))?,
            Token::Integer(index) => {
                let index = usize::try_from(index).map_err(|_| NO_ENTRY)?;
                self.inner.get(index).copied().ok_or(NO_ENTRY)?
            }
            _ => return Err(UNEXPECTED),
        };
        match item {
            Item::Text(number) => Ok(number),
            _ => Err(UNEXPECTED),
        }
    }

    fn payload_number(&mut self) -> Result<u32, XppError> {
        match self.reader.next()? {
            Token::Integer(number) => to_number(number),
            _ => Err(UNEXPECTED),
        }
    }

    /// Adds a string that is in no table, and returns its number.
    pub(super) fn add_text(&mut self, text: &str) -> Result<u32, XppError> {
        let to_u32 = |number: usize| u32::try_from(number).map_err(|_| TOO_LARGE);
        self.texts.push(Text { start: to_u32(self.blob.len())?, len: to_u32(text.len())? });
        self.blob.push_str(text);
        to_u32(self.texts.len())
    }

    /// Returns the text of a string.
    pub(super) fn letters(&self, number: u32) -> &str {
        let Text { start, len } = self.texts[number as usize - 1];
        &self.blob[start as usize..][..len as usize]
    }
}

/// Expectations.
impl<R: Read> Items<R> {
    pub(super) fn number(&mut self) -> Result<u32, XppError> {
        match self.next()? {
            Item::Integer(number) => to_number(number),
            _ => Err(UNEXPECTED),
        }
    }

    pub(super) fn text(&mut self) -> Result<u32, XppError> {
        match self.next()? {
            Item::Text(number) => Ok(number),
            _ => Err(UNEXPECTED),
        }
    }

    pub(super) fn array(&mut self) -> Result<u32, XppError> {
        match self.next()? {
            Item::Array(len) => Ok(len),
            _ => Err(UNEXPECTED),
        }
    }
}

pub(super) fn to_number(number: i64) -> Result<u32, XppError> {
    u32::try_from(number).map_err(|_| TOO_LARGE)
}
