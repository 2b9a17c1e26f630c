//! Iteration over values that are `Iterable`.

use std::slice;
use std::str::Chars;

use kukla_base::cancel;

use crate::iterator::Iterator;
use crate::value::Rare;
use crate::{Hash, Type, Value};

/// The maximum number of elements of an array that an evaluation creates, to limit memory.
pub const MAX_ELEMENTS: usize = 1 << 24;

/// The maximum number of bytes of a text that an evaluation creates.
pub const MAX_TEXT: usize = cancel::MAX_TEXT;

/// Returns the elements of arrays within arrays; fewer if there are too many, and then the compilation fails.
pub fn flattened(values: &[Value]) -> Vec<Value> {
    let mut flat = Vec::new();
    // A stack of iterators, the innermost last: arrays may be nested deeply.
    let mut lists = vec![values.iter()];
    while let Some(list) = lists.last_mut() {
        match list.next() {
            Some(Value::Array(_)) if cancel::visit() => break,
            Some(Value::Array(inner)) => lists.push(inner.iter()),
            Some(_) if !cancel::room_in(&flat) => break,
            Some(other) => flat.push(other.clone()),
            None => drop(lists.pop()),
        }
    }
    flat
}

/// An iterator over the elements of a value that is `Iterable`.
#[derive(Debug)]
pub struct Elements<'a>(ElementsKind<'a>);

enum ElementsKind<'a> {
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
    /// Returns the elements of a value. Those of an iterator are consumed; earlier consumers have taken theirs.
    pub fn of(value: &'a Value) -> Option<Self> {
        Some(Self(match value {
            Value::Array(values) => ElementsKind::Values(values.iter()),
            Value::Hash(hash) => ElementsKind::Entries { hash, next: 0 },
            Value::String(text) => ElementsKind::Characters(text.chars()),
            Value::Integer(0) => ElementsKind::Nothing,
            Value::Integer(count @ 1..) => ElementsKind::Range { next: 0, last: count - 1 },
            Value::Type(type_) => match resolved(type_)? {
                Type::Integer(range) if range.is_finite() => {
                    ElementsKind::Range { next: range.min, last: range.max }
                }
                Type::Enum(enumeration) => ElementsKind::Words(enumeration.values.iter()),
                _ => return None,
            },
            Value::Rare(rare) => match &**rare {
                Rare::Iterator(iterator) => ElementsKind::Rest(iterator),
                _ => return None,
            },
            _ => return None,
        }))
    }

    /// Returns the elements of a value. An iterator that can restart does, and nothing is consumed.
    pub fn all_of(value: &'a Value) -> Option<Self> {
        if let Value::Rare(rare) = value
            && let Rare::Iterator(iterator) = &**rare
            && let Some(all) = iterator.restarted()
        {
            return Some(Self(ElementsKind::All(Box::new(all))));
        }
        Self::of(value)
    }

    /// Returns true if `break()` ends this iteration: Ruby's loops handle it, its enumerators don't.
    pub fn ends_on_break(&self) -> bool {
        matches!(self.0, ElementsKind::Range { .. } | ElementsKind::Rest(_))
    }

    /// Returns the name of Ruby's class for the nodes of a tree, which has few methods.
    pub fn tree_class(&self) -> Option<&'static str> {
        match self.0 {
            ElementsKind::Rest(iterator) if iterator.is_tree() => Some(iterator.class_name()),
            _ => None,
        }
    }
}

impl Default for Elements<'_> {
    fn default() -> Self {
        Self(ElementsKind::Nothing)
    }
}

/// Returns true if a block with two parameters gets keys and values, not indexes and elements.
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

    /// Returns a lower bound; the number of characters or of an iterator's elements is known only at the end.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let least = match &self.0 {
            ElementsKind::Values(values) => values.len(),
            ElementsKind::Words(words) => words.len(),
            ElementsKind::Entries { hash, next } => hash.len().saturating_sub(*next),
            ElementsKind::Range { next, last } => {
                usize::try_from(last.saturating_sub(*next)).map_or(0, |n| n.saturating_add(1))
            }
            ElementsKind::Characters(_)
            | ElementsKind::Nothing
            | ElementsKind::Rest(_)
            | ElementsKind::All(_) => 0,
        };
        // Limits the memory that a caller reserves by this hint.
        (least.min(1 << 16), None)
    }

    fn next(&mut self) -> Option<Value> {
        match &mut self.0 {
            ElementsKind::Values(values) => values.next().cloned(),
            ElementsKind::Words(words) => words.next().cloned().map(Value::String),
            ElementsKind::Entries { hash, next } => {
                let element = hash.entry(*next).map(entry);
                *next += 1;
                element
            }
            ElementsKind::Characters(characters) => characters.next().map(character),
            ElementsKind::Range { next, last } => {
                let value = *next;
                if value > *last {
                    return None;
                }
                match value.checked_add(1) {
                    Some(following) => *next = following,
                    None => self.0 = ElementsKind::Nothing,
                }
                Some(Value::Integer(value))
            }
            ElementsKind::Nothing => None,
            ElementsKind::Rest(iterator) => iterator.take(),
            ElementsKind::All(all) => all.next(),
        }
    }
}

/// Returns `[key, value]`.
pub fn entry((key, value): (&Value, &Value)) -> Value {
    Value::array([key.clone(), value.clone()])
}

/// Returns a string of one character.
pub fn character(character: char) -> Value {
    Value::string(&*character.encode_utf8(&mut [0; 4]))
}

/// Resolves aliases.
pub(crate) fn resolved(mut type_: &Type) -> Option<&Type> {
    // Recursive aliases are refused earlier; the limit is a safeguard.
    for _ in 0..100 {
        match type_ {
            Type::Alias(alias) => type_ = alias.resolved()?,
            other => return Some(other),
        }
    }
    None
}

impl std::fmt::Debug for ElementsKind<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("elements")
    }
}
