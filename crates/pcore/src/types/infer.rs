//! Inference of the type of a value.

use kukla_base::cancel::walk;
use std::sync::Arc;

use ecow::EcoString;

use super::common::common_type;
use super::{FloatRange, IntegerRange, ObjectExtension, StructElement, TimeRange, Type};
use crate::value::{Object, Rare};
use crate::{Hash, Value};
use kukla_rubytext::semver::{Version, VersionRange};

/// Infers the type of a value, with the types of all its elements: `Tuple[Integer[1, 1], String]`.
pub fn infer_set(value: &Value) -> Type {
    walk(Type::Any, || match value {
        Value::Array(values) if !values.is_empty() => {
            Type::tuple(values.iter().map(infer_set).collect(), None)
        }
        Value::Hash(hash) if !hash.is_empty() => infer_set_hash(hash),
        Value::Rare(rare) => match &**rare {
            Rare::SemVer(version) => Type::SemVer(exactly(version)),
            _ => infer(value),
        },
        _ => infer(value),
    })
}

/// Infers the type of a value, with a common type of its elements: `Array[ScalarData, 2, 2]`.
pub fn infer(value: &Value) -> Type {
    match value {
        Value::Undef => Type::Undef,
        Value::Default => Type::Default,
        Value::Boolean(value) => Type::Boolean(Some(*value)),
        Value::Integer(value) => Type::integer(*value, *value),
        Value::Float(value) => Type::Float(FloatRange { min: *value, max: *value }),
        Value::String(text) => Type::StringValue(text.clone()),
        Value::Array(values) => walk(Type::Any, || {
            Type::array(reduce(values.iter()), Some(IntegerRange::exactly(values.len())))
        }),
        Value::Hash(hash) => walk(Type::Any, || {
            let size = IntegerRange::exactly(hash.len());
            Type::hash(reduce(hash.keys()), reduce(hash.values()), Some(size))
        }),
        Value::Regexp(regexp) => Type::Regexp(Some(regexp.clone())),
        Value::Type(type_) => Type::Type(Some(Arc::clone(type_))),
        Value::Sensitive(value) => Type::sensitive(&infer(value)),
        Value::Binary(_) => Type::Binary,
        Value::Timestamp(time) => Type::Timestamp(Some(moment(time.0))),
        Value::Timespan(span) => Type::Timespan(Some(moment(span.0))),
        Value::Rare(rare) => match &**rare {
            Rare::Object(object) => object_type(object),
            Rare::Iterator(iterator) => iterator.type_(),
            Rare::SemVer(_) => Type::SemVer(Arc::default()),
            Rare::SemVerRange(_) => Type::SemVerRange,
            Rare::Uri(uri) => Type::Uri(uri.parameters().map(Arc::new)),
        },
    }
}

/// Infers the type of a value without ranges and values: `Array[ScalarData]`.
pub fn infer_generic(value: &Value) -> Type {
    infer(value).generalize()
}

/// Returns the range of one version.
fn exactly(version: &Version) -> Arc<[VersionRange]> {
    VersionRange::between(version, version, false).into_iter().collect()
}

fn moment(time: i128) -> Arc<TimeRange> {
    Arc::new(TimeRange { min: Some(time), max: Some(time) })
}

/// Returns the common type of values; `Unit` if there are none.
fn reduce<'a>(values: impl std::iter::Iterator<Item = &'a Value>) -> Type {
    let values: Vec<&Value> = values.collect();
    if let Some(texts) = all_texts(&values) {
        return texts;
    }
    let mut common = None;
    for value in values {
        let type_ = infer(value);
        common = Some(match common {
            None => type_,
            Some(common) => common_type(&common, &type_),
        });
    }
    common.unwrap_or(Type::Unit)
}

/// Fast path: returns the common type of strings, of which there may be many.
fn all_texts(values: &[&Value]) -> Option<Type> {
    let texts = values.iter().map(|value| match value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    let mut texts = texts.collect::<Option<Vec<EcoString>>>()?;
    texts.sort_unstable();
    texts.dedup();
    match &texts[..] {
        [] => None,
        [only] => Some(Type::StringValue(only.clone())),
        _ => Some(Type::enumeration(texts, false)),
    }
}

fn infer_set_hash(hash: &Hash) -> Type {
    let names = hash.iter().map(|(key, value)| match key {
        Value::String(name) if !name.is_empty() => Some((name, value)),
        _ => None,
    });
    match names.collect::<Option<Vec<_>>>() {
        Some(entries) => Type::Struct(
            entries
                .into_iter()
                .map(|(name, value)| StructElement {
                    name: name.clone(),
                    optional_key: false,
                    value: infer_set(value),
                })
                .collect(),
        ),
        None => Type::hash(
            Type::variant(hash.keys().map(infer_set)),
            Type::variant(hash.values().map(infer_set)),
            Some(IntegerRange::exactly(hash.len())),
        ),
    }
}

/// Returns an object's type, with the type parameters that are attributes of the object.
fn object_type(object: &Object) -> Type {
    let parameters = object.type_.type_parameters();
    if parameters.is_empty() {
        return Type::Object(Arc::clone(&object.type_));
    }
    let value = |name: &str| object.get(name).cloned().unwrap_or_default();
    let parameters = parameters
        .iter()
        .map(|parameter| (parameter.name.clone(), value(&parameter.name)))
        .filter(|(_, value)| *value != Value::Default)
        .collect();
    Type::ObjectExtension(Arc::new(ObjectExtension { base: Arc::clone(&object.type_), parameters }))
}
