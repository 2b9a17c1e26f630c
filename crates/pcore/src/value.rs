//! Values: the results of expressions.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::Arc;

use ecow::{EcoString, EcoVec};
use kukla_base::cancel::{room, walk};

use crate::iterator::Iterator;
use crate::regex::Regex;
use crate::time::{Timespan, Timestamp};
use crate::uri::Uri;
use crate::{Hash, Type};
use kukla_rubytext::semver::{Version, VersionRange};

pub use crate::object::Object;

/// A value: immutable, cheap to clone, at most 24 bytes.
///
/// `==` here is the identity of keys of a hash (Ruby's `eql?`): `1` and `1.0` differ, and so do `'a'` and `'A'`.
/// The language's own `==` is the evaluator's.
#[derive(Debug, Default)]
pub enum Value {
    /// `undef`
    #[default]
    Undef,
    /// `default`
    Default,
    /// `true` and `false`
    Boolean(bool),
    /// 64 bits; arithmetic is checked.
    Integer(i64),
    /// A float.
    Float(f64),
    /// Text.
    String(EcoString),
    /// `[a, b]`
    Array(EcoVec<Value>),
    /// `{ a => b }`, in the order of insertion.
    Hash(Arc<Hash>),
    /// `/source/`
    Regexp(Regex),
    /// A type; references to resources and classes are types too.
    Type(Arc<Type>),
    /// `Sensitive(value)`, which is never printed.
    Sensitive(Arc<Value>),
    /// Bytes.
    Binary(Arc<[u8]>),
    /// A point in time.
    Timestamp(Arc<Timestamp>),
    /// A duration.
    Timespan(Arc<Timespan>),
    /// A rare kind of value.
    Rare(Arc<Rare>),
}

impl Clone for Value {
    /// Inlined for scalars, which are the most frequent: they are copied straight to their destination.
    #[inline]
    fn clone(&self) -> Self {
        match self {
            Self::Undef => Self::Undef,
            Self::Boolean(value) => Self::Boolean(*value),
            Self::Integer(number) => Self::Integer(*number),
            other => other.shared_clone(),
        }
    }
}

/// Rare kinds of values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rare {
    /// An instance of an Object type: `Deferred`, `Error`, or one that the user defined.
    Object(Object),
    /// Lazy elements: the value of `step`, `reverse_each` and `tree_each`.
    Iterator(Arc<Iterator>),
    /// `1.2.3`
    SemVer(Version),
    /// `>=1.2.3 <2.0.0`
    SemVerRange(VersionRange),
    /// `http://example.com/`
    Uri(Uri),
}

impl Value {
    /// Clones a value that shares its text, elements or content.
    #[inline(never)]
    fn shared_clone(&self) -> Self {
        match self {
            Self::Undef => Self::Undef,
            Self::Default => Self::Default,
            Self::Boolean(value) => Self::Boolean(*value),
            Self::Integer(number) => Self::Integer(*number),
            Self::Float(number) => Self::Float(*number),
            Self::String(text) => Self::String(text.clone()),
            Self::Array(values) => Self::Array(values.clone()),
            Self::Hash(hash) => Self::Hash(Arc::clone(hash)),
            Self::Regexp(regex) => Self::Regexp(regex.clone()),
            Self::Type(type_) => Self::Type(Arc::clone(type_)),
            Self::Sensitive(value) => Self::Sensitive(Arc::clone(value)),
            Self::Binary(bytes) => Self::Binary(Arc::clone(bytes)),
            Self::Timestamp(time) => Self::Timestamp(Arc::clone(time)),
            Self::Timespan(span) => Self::Timespan(Arc::clone(span)),
            Self::Rare(rare) => Self::Rare(Arc::clone(rare)),
        }
    }

    /// Creates a string.
    pub fn string(text: impl Into<EcoString>) -> Self {
        Self::String(text.into())
    }

    /// Creates an array.
    pub fn array(values: impl IntoIterator<Item = Self>) -> Self {
        let values = values.into_iter();
        let known = values.size_hint().0;
        // A list of unknown length grows: while it is copied there are two of it.
        let size = if values.size_hint().1 == Some(known) {
            size_of::<Self>()
        } else {
            2 * size_of::<Self>()
        };
        Self::Array(values.take_while(|_| room(size)).collect())
    }

    /// Creates a hash.
    pub fn hash(hash: Hash) -> Self {
        Self::Hash(Arc::new(hash))
    }

    /// Creates a type.
    pub fn type_(type_: Type) -> Self {
        Self::Type(Arc::new(type_))
    }

    /// Creates a value of a rare kind.
    pub fn rare(rare: Rare) -> Self {
        Self::Rare(Arc::new(rare))
    }

    /// Creates an array of an existing list.
    pub fn array_of(values: Vec<Self>) -> Self {
        match room(values.len() * size_of::<Self>()) {
            true => Self::Array(values.into()),
            false => Self::Array(EcoVec::new()),
        }
    }

    /// Writes a value into an empty slot: one that is `undef`.
    ///
    /// Skips the drop of the old value, and lets the new one be built in place.
    #[inline]
    pub fn put(&mut self, value: Self) {
        debug_assert!(self.is_undef(), "the place is empty");
        std::mem::forget(std::mem::replace(self, value));
    }

    /// Creates an array of `n` elements, each built in place.
    ///
    /// `make` gets the index of each element and an empty slot for it.
    pub fn array_made<E>(
        n: usize,
        mut make: impl FnMut(usize, &mut Self) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut values = EcoVec::from_elem(Self::Undef, n);
        for (number, place) in values.make_mut().iter_mut().enumerate() {
            make(number, place)?;
        }
        Ok(Self::Array(values))
    }

    /// Writes a copy that shares no array and no hash into an empty slot; for literals, which are not deep.
    pub fn new_copy_to(&self, place: &mut Self) {
        match self {
            Self::Array(values) => {
                let mut copies = EcoVec::from_elem(Self::Undef, values.len());
                for (value, place) in values.iter().zip(copies.make_mut()) {
                    value.new_copy_to(place);
                }
                place.put(Self::Array(copies));
            }
            Self::Hash(hash) => place.put(Self::Hash(Arc::new(hash.map_values(Self::new_copy_to)))),
            other => other.copy_to(place),
        }
    }

    /// Writes a clone into an empty slot.
    #[inline]
    pub fn copy_to(&self, place: &mut Self) {
        match self {
            Self::Undef => (),
            Self::Integer(number) => place.put(Self::Integer(*number)),
            Self::Boolean(value) => place.put(Self::Boolean(*value)),
            Self::String(text) => place.put(Self::String(text.clone())),
            other => place.put(other.clone()),
        }
    }

    /// Drops the value; most are scalars, where there is nothing to do.
    #[inline]
    pub fn discard(self) {
        match self {
            Self::Undef | Self::Default | Self::Boolean(_) | Self::Integer(_) | Self::Float(_) => {
                std::mem::forget(self)
            }
            other => drop(other),
        }
    }

    /// Returns true for all values but `undef` and `false`.
    pub const fn is_truthy(&self) -> bool {
        !matches!(self, Self::Undef | Self::Boolean(false))
    }

    /// Returns true for `undef`.
    pub const fn is_undef(&self) -> bool {
        matches!(self, Self::Undef)
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undef, Self::Undef) | (Self::Default, Self::Default) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits() || a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => walk(false, || a == b),
            (Self::Hash(a), Self::Hash(b)) => Arc::ptr_eq(a, b) || walk(false, || a == b),
            (Self::Regexp(a), Self::Regexp(b)) => a == b,
            (Self::Type(a), Self::Type(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Sensitive(a), Self::Sensitive(b)) => a == b,
            (Self::Binary(a), Self::Binary(b)) => a == b,
            (Self::Timestamp(a), Self::Timestamp(b)) => a == b,
            (Self::Timespan(a), Self::Timespan(b)) => a == b,
            (Self::Rare(a), Self::Rare(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl StdHash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            // A key is looked up by its text alone, see `Hash::get_str`.
            Self::String(text) => return text.as_str().hash(state),
            _ => std::mem::discriminant(self).hash(state),
        }
        match self {
            Self::Undef | Self::Default | Self::String(_) => (),
            Self::Boolean(value) => value.hash(state),
            Self::Integer(value) => value.hash(state),
            // 0.0 and -0.0 are one key.
            Self::Float(value) => (value + 0.0).to_bits().hash(state),
            Self::Array(values) => walk((), || values.hash(state)),
            Self::Hash(hash) => hash.hash(state),
            Self::Regexp(regex) => regex.hash(state),
            Self::Type(type_) => type_.hash(state),
            Self::Sensitive(value) => value.hash(state),
            Self::Binary(bytes) => bytes.hash(state),
            Self::Timestamp(time) => time.hash(state),
            Self::Timespan(span) => span.hash(state),
            Self::Rare(rare) => rare.hash(state),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(shared(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(shared(&text))
    }
}

/// Creates a string by one copy: `EcoString::from` copies byte by byte.
pub fn shared(text: &str) -> EcoString {
    if !room(text.len()) {
        return EcoString::new();
    }
    let mut shared = EcoString::with_capacity(text.len());
    shared.push_str(text);
    shared
}

impl From<EcoString> for Value {
    fn from(text: EcoString) -> Self {
        Self::String(text)
    }
}

impl From<Hash> for Value {
    fn from(hash: Hash) -> Self {
        Self::Hash(Arc::new(hash))
    }
}

impl From<Type> for Value {
    fn from(type_: Type) -> Self {
        Self::Type(Arc::new(type_))
    }
}

const _: () = assert!(size_of::<Value>() <= 24, "values are copied all the time");
