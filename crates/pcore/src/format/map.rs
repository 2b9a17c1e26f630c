//! Formats by type, the narrower types first.

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

use super::directive::Directive;
use super::error::FormatError;
use crate::types::{FloatRange, IntegerRange, infer_set, named};
use crate::value::Rare;
use crate::{Type, Value};

/// Formats by type; the first type that a value is an instance of counts.
#[derive(Clone, Debug, Default)]
pub struct FormatMap(Vec<(Type, Directive)>);

/// The default formats of values outside of containers.
static TOP: LazyLock<Arc<FormatMap>> = LazyLock::new(|| Arc::new(FormatMap::top()));

/// The default formats of elements: strings are quoted, since they may contain commas.
static ELEMENTS: LazyLock<Arc<FormatMap>> =
    LazyLock::new(|| Arc::new(FormatMap(vec![(Type::Any, built_in("%p"))])));

/// The format of a value without an entry.
static OTHERWISE: LazyLock<Directive> = LazyLock::new(|| built_in("%s"));

impl FormatMap {
    /// Returns the default formats.
    pub fn default_formats() -> &'static Arc<Self> {
        &TOP
    }

    /// Returns the default formats of elements.
    pub fn element_formats() -> &'static Arc<Self> {
        &ELEMENTS
    }

    /// Creates a map of entries in their order.
    pub fn new(entries: Vec<(Type, Directive)>) -> Self {
        Self(entries)
    }

    /// Returns the format of a value.
    pub fn find(&self, value: &Value) -> &Directive {
        // Fast path: elements that are no containers mostly meet a map of `Any` alone.
        if let [(Type::Any, only)] = self.0.as_slice() {
            return only;
        }
        let mut inferred = None;
        let mut fits = |key: &Type| {
            at_a_glance(key, value).unwrap_or_else(|| {
                key.is_assignable(inferred.get_or_insert_with(|| infer_set(value)))
            })
        };
        let entry = self.0.iter().find(|(key, _)| fits(key));
        entry.map_or(&*OTHERWISE, |(_, directive)| directive)
    }

    /// Merges a map with higher precedence over this one.
    ///
    /// Entries for a type that is assignable to one of the higher map are dropped: the lower never overrides the higher.
    pub fn merge(&self, higher: &Self) -> Result<Self, FormatError> {
        let hidden =
            |low: &Type| higher.0.iter().any(|(key, _)| key != low && key.is_assignable(low));
        let mut merged: Vec<_> = self.0.iter().filter(|(key, _)| !hidden(key)).cloned().collect();
        for (key, directive) in &higher.0 {
            match merged.iter_mut().find(|(existing, _)| existing == key) {
                Some((_, low)) => *low = low.merge(directive)?,
                None => merged.push((key.clone(), directive.clone())),
            }
        }
        Ok(Self(sort(merged)))
    }

    fn top() -> Self {
        Self(vec![
            (named("Object").expect("it is built in"), built_in("%p")),
            (Type::FLOAT, built_in("%f")),
            (Type::Numeric, built_in("%d")),
            (Type::any_array(), container("%a", ", ")),
            (Type::any_hash(), container("%h", " => ")),
            (Type::Binary, built_in("%B")),
            (Type::Any, built_in("%s")),
        ])
    }
}

/// Returns true if a value is an instance of a type; `None` if that depends on the content of containers.
fn at_a_glance(key: &Type, value: &Value) -> Option<bool> {
    Some(match key {
        Type::Any => true,
        Type::Numeric => matches!(value, Value::Integer(_) | Value::Float(_)),
        Type::Integer(IntegerRange::ALL) => matches!(value, Value::Integer(_)),
        Type::String(None) => matches!(value, Value::String(_)),
        Type::Binary => matches!(value, Value::Binary(_)),
        Type::Float(range) if *range == FloatRange::ALL => matches!(value, Value::Float(_)),
        Type::Object(object) if object.is_default() => {
            matches!(value, Value::Rare(rare) if matches!(**rare, Rare::Object(_)))
        }
        Type::Array(array) if array.size.is_none() && array.element == Type::Any => {
            matches!(value, Value::Array(_))
        }
        Type::Hash(hash)
            if hash.size.is_none() && hash.key == Type::Any && hash.value == Type::Any =>
        {
            matches!(value, Value::Hash(_))
        }
        _ => return None,
    })
}

fn built_in(text: &str) -> Directive {
    Directive::parse(text).expect("a format of ours is one")
}

fn container(text: &str, separator2: &str) -> Directive {
    let elements = Some(Arc::clone(&ELEMENTS));
    let separator2 = Some(separator2.into());
    Directive { separator: Some(", ".into()), separator2, elements, ..built_in(text) }
}

/// Sorts as glibc's merge sort does: the comparison is not a strict order, so the algorithm matters.
fn sort(mut entries: Vec<(Type, Directive)>) -> Vec<(Type, Directive)> {
    if entries.len() < 2 {
        return entries;
    }
    let right = sort(entries.split_off(entries.len() / 2));
    let mut left = sort(entries).into_iter().peekable();
    let mut right = right.into_iter().peekable();
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if compare(&a.0, &b.0).is_le() { left.next() } else { right.next() };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    merged
}

/// Compares types, the narrower first; unrelated types are ordered by rank or name.
fn compare(a: &Type, b: &Type) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match (b.is_assignable(a), a.is_assignable(b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => match (rank(a), rank(b)) {
            (0, _) | (_, 0) => a.text().cmp(&b.text()),
            (a, b) => a.cmp(&b),
        },
    }
}

/// Returns how specific a type is among related ones; 0 if there is no such order.
const fn rank(type_: &Type) -> u8 {
    match type_ {
        Type::Struct(_) => 1,
        Type::Hash(_) => 2,
        Type::Tuple(_) => 3,
        Type::Array(_) => 4,
        Type::Pattern(_) => 10,
        Type::Enum(_) => 11,
        Type::String(_) | Type::StringValue(_) => 12,
        _ => 0,
    }
}
