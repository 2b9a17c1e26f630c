//! Annotations: objects that are kept beside a value, one for each type of annotation.

use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::value::Rare;
use kukla_pcore::{Type, Value, types};
use rustc_hash::FxHashMap;

/// The annotations of values.
#[derive(Debug, Default)]
pub(crate) struct Annotations(FxHashMap<(Identity, EcoString), Annotated>);

/// The identity of a value, by which it differs from equal ones.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Identity {
    Address(usize),
    /// A type of which there is but one.
    Type(Arc<Type>),
}

#[derive(Debug)]
struct Annotated {
    /// It is kept, so that no other value gets its address.
    _value: Value,
    annotation: Value,
}

impl Annotations {
    /// The annotation that a value has.
    pub(crate) fn get(&self, value: &Value, type_: &str) -> Option<&Value> {
        let key = (Identity::of(value)?, type_.into());
        self.0.get(&key).map(|annotated| &annotated.annotation)
    }

    /// Annotates a value; `false` if that can't be, since there is no telling it from equal ones.
    pub(crate) fn set(&mut self, value: &Value, type_: &str, annotation: Value) -> bool {
        let Some(identity) = Identity::of(value) else { return false };
        let annotated = Annotated { _value: value.clone(), annotation };
        self.0.insert((identity, type_.into()), annotated);
        true
    }

    /// Takes the annotation off a value.
    pub(crate) fn remove(&mut self, value: &Value, type_: &str) -> Option<Value> {
        let key = (Identity::of(value)?, type_.into());
        self.0.remove(&key).map(|annotated| annotated.annotation)
    }
}

impl Identity {
    fn of(value: &Value) -> Option<Self> {
        Some(Self::Address(match value {
            Value::Array(values) => values.as_ptr().addr(),
            Value::Hash(hash) => Arc::as_ptr(hash).addr(),
            Value::Sensitive(inner) => Arc::as_ptr(inner).addr(),
            Value::Binary(bytes) => bytes.as_ptr().addr(),
            Value::Timestamp(time) => Arc::as_ptr(time).addr(),
            Value::Timespan(span) => Arc::as_ptr(span).addr(),
            Value::Regexp(regex) => {
                return Some(Self::Type(Arc::new(Type::Regexp(Some(regex.clone())))));
            }
            Value::Type(type_) => return Some(Self::of_type(type_)),
            Value::Rare(rare) => match &**rare {
                Rare::SemVer(_) | Rare::SemVerRange(_) => return None,
                Rare::Object(_) | Rare::Iterator(_) | Rare::Uri(_) => Arc::as_ptr(rare).addr(),
            },
            Value::Undef
            | Value::Default
            | Value::Boolean(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::String(_) => return None,
        }))
    }

    /// Types without parameters, and those that have a name, are one each.
    fn of_type(type_: &Arc<Type>) -> Self {
        let is_unique = match &**type_ {
            Type::Object(object) => object.name.is_some(),
            Type::Alias(_) | Type::TypeSet(_) => true,
            Type::Resource(resource) => resource.title.is_none(),
            other => types::named(other.simple_name()).as_ref() == Some(other),
        };
        if is_unique {
            Self::Type(Arc::clone(type_))
        } else {
            Self::Address(Arc::as_ptr(type_).addr())
        }
    }
}
