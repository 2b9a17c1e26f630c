//! Constructors of types, as Puppet has them.

use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexSet;

use super::{ArrayType, EnumType, HashType, IntegerRange, ResourceType, TupleType, Type};
use crate::regex::Regex;

impl Type {
    /// Creates `Variant[types]`, or the only type of them; nested variants are flattened.
    pub fn variant(types: impl IntoIterator<Item = Self>) -> Self {
        let mut all: IndexSet<Self, foldhash::fast::RandomState> = IndexSet::default();
        for type_ in types {
            match type_ {
                Self::Variant(inner) => all.extend(inner.iter().cloned()),
                type_ => all.extend([type_]),
            }
        }
        match <[Self; 1]>::try_from(all.into_iter().collect::<Vec<_>>()) {
            Ok([type_]) => type_,
            Err(types) => Self::Variant(types.into()),
        }
    }

    /// Creates `Array[element, size]`.
    pub fn array(element: Self, size: Option<IntegerRange>) -> Self {
        let element = if size == Some(IntegerRange::ZERO) { Self::Unit } else { element };
        let size = size.map(IntegerRange::to_size);
        Self::Array(Arc::new(ArrayType { element, size }))
    }

    /// Creates `Array`.
    pub fn any_array() -> Self {
        Self::array(Self::Any, None)
    }

    /// Creates `Hash[key, value, size]`.
    pub fn hash(key: Self, value: Self, size: Option<IntegerRange>) -> Self {
        let (key, value) =
            if size == Some(IntegerRange::ZERO) { (Self::Unit, Self::Unit) } else { (key, value) };
        let size = size.map(IntegerRange::to_size);
        Self::Hash(Arc::new(HashType { key, value, size }))
    }

    /// Creates `Hash`.
    pub fn any_hash() -> Self {
        Self::hash(Self::Any, Self::Any, None)
    }

    /// Creates `Tuple[types, size]`.
    pub fn tuple(types: Vec<Self>, size: Option<IntegerRange>) -> Self {
        Self::Tuple(Arc::new(TupleType::new(types, size)))
    }

    /// Creates `Enum[values]`.
    pub fn enumeration(values: Vec<EcoString>, case_insensitive: bool) -> Self {
        Self::Enum(Arc::new(EnumType::new(values, case_insensitive)))
    }

    /// Creates `Pattern[regexps]`.
    pub fn pattern(regexps: Vec<Regex>) -> Self {
        let mut all = Vec::new();
        for regexp in regexps {
            if !all.contains(&regexp) {
                all.push(regexp);
            }
        }
        Self::Pattern(all.into())
    }

    /// Creates `Optional[type]`.
    pub fn optional(type_: Self) -> Self {
        Self::Optional(Some(Arc::new(type_)))
    }

    /// Creates `NotUndef[type]`.
    pub fn not_undef(type_: Self) -> Self {
        match type_ {
            Self::Any => Self::NotUndef(None),
            type_ => Self::NotUndef(Some(Arc::new(type_))),
        }
    }

    /// Creates `Iterable[type]`.
    pub fn iterable(type_: Self) -> Self {
        Self::Iterable(Some(Arc::new(type_)))
    }

    /// Creates `Type[type]`.
    pub fn meta(type_: Self) -> Self {
        Self::Type(Some(Arc::new(type_)))
    }

    /// Creates `Sensitive[type]`, generalized.
    pub fn sensitive(type_: &Self) -> Self {
        match type_.generalize() {
            Self::Any => Self::Sensitive(None),
            type_ => Self::Sensitive(Some(Arc::new(type_))),
        }
    }

    /// Creates `Resource[name, title]`.
    pub fn resource(name: Option<EcoString>, title: Option<EcoString>) -> Self {
        Self::Resource(Arc::new(ResourceType { name, title, is_parameter_value: false }))
    }

    /// Returns the text of the type as a value: for a resource passed as a parameter, its name and title.
    pub fn value_text(&self) -> String {
        match self {
            Self::Resource(resource) if resource.is_parameter_value => {
                let part = |part: &Option<EcoString>| part.clone().unwrap_or_default();
                format!("{}[{}]", part(&resource.name), part(&resource.title))
            }
            other => other.text(),
        }
    }

    /// Creates `Integer[min, max]`.
    pub const fn integer(min: i64, max: i64) -> Self {
        Self::Integer(IntegerRange::between(min, max))
    }

    /// Creates `String[min, max]`.
    pub fn string(size: IntegerRange) -> Self {
        Self::String(Some(size.to_size()))
    }
}

impl EnumType {
    /// Creates an enum of sorted, unique values.
    pub fn new(mut values: Vec<EcoString>, case_insensitive: bool) -> Self {
        values.sort_unstable();
        values.dedup();
        Self { values, case_insensitive }
    }
}

impl TupleType {
    /// Creates a tuple; sizes below zero are zero.
    pub fn new(types: Vec<Type>, size: Option<IntegerRange>) -> Self {
        Self { types, size: size.map(IntegerRange::to_size) }
    }

    /// Returns the range of the number of elements.
    pub fn size_range(&self) -> IntegerRange {
        match self.size {
            Some(size) => size,
            None if self.types.is_empty() => IntegerRange::SIZES,
            None => IntegerRange::exactly(self.types.len()),
        }
    }

    /// Returns the type at an index; the last one holds for all that follow.
    pub fn at(&self, index: usize) -> Option<&Type> {
        self.types.get(index).or_else(|| self.types.last())
    }
}

/// Returns the size, or that of any number.
pub(super) const fn size_or_any(size: Option<IntegerRange>) -> IntegerRange {
    match size {
        Some(size) => size,
        None => IntegerRange::SIZES,
    }
}

/// Returns the length of a text in characters.
pub(super) fn length(text: &str) -> i64 {
    let length = if text.is_ascii() { text.len() } else { text.chars().count() };
    i64::try_from(length).unwrap_or(i64::MAX)
}
