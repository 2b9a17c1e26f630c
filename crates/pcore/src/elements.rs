//! What an `Iterable` gives when it is iterated.

use std::slice;
use std::str::Chars;

use crate::iterator::Iterator;
use crate::value::Rare;
use crate::{Hash, Type, Value};

/// So many elements an array may have that an evaluation makes: more would fill the memory.
pub const MAX_ELEMENTS: usize = 1 << 24;

/// So many bytes a text may have that an evaluation makes.
pub const MAX_TEXT: usize = 1 << 29;

/// The elements of a value that is `Iterable`, one after the other.
#[derive(Debug)]
pub struct Elements<'a>(Kind<'a>);

enum Kind<'a> {
    Values(slice::Iter<'a, Value>),
    Words(slice::Iter<'a, ecow::EcoString>),
    Entries { hash: &'a Hash, next: usize },
    Characters(Chars<'a>),
    Range { next: i64, last: i64 },
    Nothing,
    Rest(&'a Iterator),
    All(Box<dyn std::iter::Iterator<Item = Value> + 'a>),
}

impl<'a> Elements<'a> {
    /// The elements of a value. Of an iterator, those that nobody took yet: they are taken now.
    pub fn of(value: &'a Value) -> Option<Self> {
        Some(Self(match value {
            Value::Array(values) => Kind::Values(values.iter()),
            Value::Hash(hash) => Kind::Entries { hash, next: 0 },
            Value::String(text) => Kind::Characters(text.chars()),
            Value::Integer(0) => Kind::Nothing,
            Value::Integer(count @ 1..) => Kind::Range { next: 0, last: count - 1 },
            Value::Type(type_) => match resolved(type_)? {
                Type::Integer(range) if range.is_finite() => {
                    Kind::Range { next: range.min, last: range.max }
                }
                Type::Enum(enumeration) => Kind::Words(enumeration.values.iter()),
                _ => return None,
            },
            Value::Rare(rare) => match &**rare {
                Rare::Iterator(iterator) => Kind::Rest(iterator),
                _ => return None,
            },
            _ => return None,
        }))
    }

    /// The elements of a value. An iterator that can begin anew does, and gives all of them without losing any.
    pub fn all_of(value: &'a Value) -> Option<Self> {
        if let Value::Rare(rare) = value
            && let Rare::Iterator(iterator) = &**rare
            && let Some(all) = iterator.restarted()
        {
            return Some(Self(Kind::All(Box::new(all))));
        }
        Self::of(value)
    }

    /// Whether `break()` ends this way of iterating: Ruby's loops take it, its enumerators don't.
    pub fn ends_on_break(&self) -> bool {
        matches!(self.0, Kind::Range { .. } | Kind::Rest(_))
    }

    /// The name of Ruby's class if they are the nodes of a tree, which knows few methods.
    pub fn tree_class(&self) -> Option<&'static str> {
        match self.0 {
            Kind::Rest(iterator) if iterator.is_tree() => Some(iterator.class_name()),
            _ => None,
        }
    }
}

impl Default for Elements<'_> {
    fn default() -> Self {
        Self(Kind::Nothing)
    }
}

/// Whether a block with two parameters gets keys and values, not indexes and elements.
pub fn is_hash_style(value: &Value) -> bool {
    match value {
        Value::Hash(_) => true,
        Value::Rare(rare) => match &**rare {
            Rare::Iterator(iterator) => iterator.is_hash_style(),
            _ => false,
        },
        _ => false,
    }
}

impl std::iter::Iterator for Elements<'_> {
    type Item = Value;

    /// At least so many; how many characters or elements of an iterator follow shows in the end only.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let least = match &self.0 {
            Kind::Values(values) => values.len(),
            Kind::Words(words) => words.len(),
            Kind::Entries { hash, next } => hash.len().saturating_sub(*next),
            Kind::Range { next, last } => {
                usize::try_from(last.saturating_sub(*next)).map_or(0, |n| n.saturating_add(1))
            }
            Kind::Characters(_) | Kind::Nothing | Kind::Rest(_) | Kind::All(_) => 0,
        };
        // Whoever makes room for so many must not need all memory for it.
        (least.min(1 << 16), None)
    }

    fn next(&mut self) -> Option<Value> {
        match &mut self.0 {
            Kind::Values(values) => values.next().cloned(),
            Kind::Words(words) => words.next().cloned().map(Value::String),
            Kind::Entries { hash, next } => {
                let found = hash.entry(*next).map(entry);
                *next += 1;
                found
            }
            Kind::Characters(characters) => characters.next().map(character),
            Kind::Range { next, last } => {
                let value = *next;
                if value > *last {
                    return None;
                }
                match value.checked_add(1) {
                    Some(following) => *next = following,
                    None => self.0 = Kind::Nothing,
                }
                Some(Value::Integer(value))
            }
            Kind::Nothing => None,
            Kind::Rest(iterator) => iterator.take(),
            Kind::All(all) => all.next(),
        }
    }
}

/// `[key, value]`
pub fn entry((key, value): (&Value, &Value)) -> Value {
    Value::array([key.clone(), value.clone()])
}

/// A string of one character.
pub fn character(character: char) -> Value {
    Value::string(&*character.encode_utf8(&mut [0; 4]))
}

/// What a name for a type stands for in the end.
pub(crate) fn resolved(mut type_: &Type) -> Option<&Type> {
    // An alias of itself would have been refused; the limit is for the one that nobody thought of.
    for _ in 0..100 {
        match type_ {
            Type::Alias(alias) => type_ = alias.resolved()?,
            other => return Some(other),
        }
    }
    None
}

impl std::fmt::Debug for Kind<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("elements")
    }
}
