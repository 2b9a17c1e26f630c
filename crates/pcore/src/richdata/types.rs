//! Types as data: the name of the class in Pcore, and its parameters by name.

use std::sync::Arc;

use ecow::EcoString;

use super::issue::DataError;
use super::to::{Converter, Identity};
use super::{TYPE_KEY, objects};
use crate::regex::Regex;
use crate::regexps;
use crate::types::{
    CallableType, IntegerRange, ObjectExtension, ObjectType, StructElement, TimeRange, TupleType,
    TypeAlias, named,
};
use crate::value::Rare;
use crate::{Hash, Type, Value};
use kukla_rubytext::semver::VersionRange;

/// A parameter of a type: its name and its value; `None` is the default.
type TypeParameter = (&'static str, Option<Value>);

impl Converter<'_> {
    /// Converts a type to data.
    pub(super) fn type_(&mut self, value: &Value, type_: &Arc<Type>) -> Result<Value, DataError> {
        let id = match &**type_ {
            Type::Object(object) => Identity::Address(Arc::as_ptr(object).addr()),
            Type::Alias(alias) => Identity::Address(Arc::as_ptr(alias).addr()),
            other if is_default(other) => Identity::Type(std::mem::discriminant(other)),
            _ => Identity::Address(Arc::as_ptr(type_).addr()),
        };
        self.once(Some(id), value, |converter| match &**type_ {
            Type::Object(object) => {
                converter.guarded(id, |converter| converter.object_type(object))
            }
            Type::Alias(alias) => converter.guarded(id, |converter| converter.alias(alias)),
            Type::Struct(elements) => converter.struct_(elements),
            // Puppet has no data for it.
            Type::TypeSet(_) => Err(DataError::Refused(
                "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match any of the the attributes of type Pcore::TypeSetType"
                    .to_owned(),
            )),
            Type::ObjectExtension(extension) => {
                converter.parts("Pcore::ObjectTypeExtenType", &extension_parts(extension))
            }
            other => converter.parts(&format!("Pcore::{}Type", other.simple_name()), &parts(other)),
        })
    }

    /// Converts parameters by name; those at the end that have their defaults are left out.
    fn parts(&mut self, name: &str, parts: &[TypeParameter]) -> Result<Value, DataError> {
        let n_shown =
            parts.iter().rposition(|(_, value)| value.is_some()).map_or(0, |last| last + 1);
        let mut data = Hash::new();
        data.insert(TYPE_KEY.into(), name.into());
        for (name, value) in &parts[..n_shown] {
            let value = value.clone().unwrap_or_default();
            data.insert((*name).into(), self.below((*name).into(), &value)?);
        }
        Ok(data.into())
    }

    fn struct_(&mut self, elements: &[StructElement]) -> Result<Value, DataError> {
        let mut data = Hash::new();
        data.insert(TYPE_KEY.into(), "Pcore::StructType".into());
        let elements = self.step("elements".into(), |converter| {
            let mut list = ecow::EcoVec::new();
            for (index, element) in (0..).zip(elements) {
                list.push(converter.step(Value::Integer(index), |converter| {
                    converter.parts("Pcore::StructElement", &element_parts(element))
                })?);
            }
            Ok(Value::Array(list))
        })?;
        data.insert("elements".into(), elements);
        Ok(data.into())
    }

    fn alias(&mut self, alias: &TypeAlias) -> Result<Value, DataError> {
        let parts = [
            ("name", Some(alias.name.clone().into())),
            ("type_expr", None),
            ("resolved_type", alias.resolved().cloned().map(Value::type_)),
        ];
        self.parts("Pcore::TypeAliasType", &parts)
    }

    fn object_type(&mut self, object: &ObjectType) -> Result<Value, DataError> {
        let init = objects::init_hash(object);
        self.parts("Pcore::ObjectType", &[("_pcore_init_hash", Some(init.into()))])
    }
}

/// Returns parameters by position, or by name if there can be more than two.
fn extension_parts(extension: &ObjectExtension) -> [TypeParameter; 2] {
    let parameters: Value = match extension.by_place() {
        Some(values) => Value::array(values),
        None => {
            let named = extension.parameters.iter().cloned();
            named.map(|(name, value)| (name.into(), value)).collect::<Hash>().into()
        }
    };
    let base = Type::Object(Arc::clone(&extension.base));
    [("base_type", Some(base.into())), ("init_parameters", Some(parameters))]
}

fn element_parts(element: &StructElement) -> [TypeParameter; 2] {
    let name = Type::StringValue(element.name.clone());
    let key = if element.optional_key { Type::Optional(Some(Arc::new(name))) } else { name };
    [("key_type", Some(key.into())), ("value_type", Some(element.value.clone().into()))]
}

/// Returns true for a type without parameters, which exists only once in Puppet.
fn is_default(type_: &Type) -> bool {
    *type_ == Type::Unit || named(type_.simple_name()).as_ref() == Some(type_)
}

/// Returns the parameters of a type, in Pcore's order.
fn parts(type_: &Type) -> Vec<TypeParameter> {
    match type_ {
        Type::Integer(range) => range_parts(*range),
        Type::Float(range) => vec![
            ("from", (range.min != f64::NEG_INFINITY).then(|| range.min.into())),
            ("to", (range.max != f64::INFINITY).then(|| range.max.into())),
        ],
        Type::String(size) => vec![("size_type_or_value", size_type(*size))],
        Type::StringValue(text) => vec![("size_type_or_value", Some(text.clone().into()))],
        Type::Enum(words) => vec![
            ("values", Some(strings(&words.values))),
            ("case_insensitive", words.case_insensitive.then(|| true.into())),
        ],
        Type::Pattern(patterns) => {
            let types = patterns.iter().map(|regex| Type::Regexp(Some(regex.clone())).into());
            vec![("patterns", Some(Value::array(types)))]
        }
        Type::Regexp(pattern) => {
            let text = |regex: &Regex| regexps::plain(regex).into_owned().into();
            vec![("pattern", pattern.as_ref().map(text))]
        }
        Type::Optional(inner)
        | Type::NotUndef(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::Type(inner) => vec![("type", inner.clone().map(Value::Type))],
        Type::Variant(types) => vec![("types", Some(type_list(types)))],
        Type::Array(array) => vec![
            (
                "element_type",
                // Present if it is not the default, or if a later one is present.
                Some(&array.element)
                    .filter(|&element| *element != Type::Any || array.size.is_some())
                    .map(|element| element.clone().into()),
            ),
            ("size_type", size_type(array.size)),
        ],
        Type::Hash(hash) => {
            let size = ("size_type", size_type(hash.size));
            // Present if it is not the default, or if a later one is present.
            let has_value = hash.value != Type::Any || hash.size.is_some();
            let has_key = hash.key != Type::Any || has_value;
            let part = |type_: &Type, is_shown: bool| is_shown.then(|| type_.clone().into());
            let value = ("value_type", part(&hash.value, has_value));
            vec![("key_type", part(&hash.key, has_key)), value, size]
        }
        Type::Collection(size) => vec![("size_type", size_type(*size))],
        Type::Tuple(tuple) => tuple_parts(tuple),
        Type::Callable(callable) => callable_parts(callable),
        Type::Runtime(runtime) => vec![
            ("runtime", runtime.runtime.clone().map(Value::from)),
            ("name_or_pattern", runtime_name(runtime)),
        ],
        Type::Init(init) => init.as_ref().map_or_else(Vec::new, |init| {
            let arguments = Some(Value::array(init.arguments.iter().cloned()));
            let arguments = arguments.filter(|_| !init.arguments.is_empty());
            vec![("type", Some(init.type_.clone().into())), ("init_args", arguments)]
        }),
        Type::Timestamp(range) => time_parts(range.as_deref(), |ns| {
            Value::Timestamp(Arc::new(crate::time::Timestamp(ns)))
        }),
        Type::Timespan(range) => {
            time_parts(range.as_deref(), |ns| Value::Timespan(Arc::new(crate::time::Timespan(ns))))
        }
        Type::SemVer(ranges) => {
            let range =
                |range: &VersionRange| Value::Rare(Arc::new(Rare::SemVerRange(range.clone())));
            let list = Some(Value::array(ranges.iter().map(range)));
            vec![("ranges", list.filter(|_| !ranges.is_empty()))]
        }
        Type::Uri(parameters) => vec![("parameters", parameters.clone().map(Value::Hash))],
        Type::Reference(name) => vec![("type_string", Some(name.clone().into()))],
        Type::Resource(resource) => vec![
            ("type_name", resource.name.clone().map(Value::from)),
            ("title", resource.title.clone().map(Value::from)),
        ],
        Type::Class(name) => vec![("class_name", name.clone().map(Value::from))],
        // Their parameters are not part of the data, or they have none.
        _ => Vec::new(),
    }
}

fn runtime_name(runtime: &crate::types::RuntimeType) -> Option<Value> {
    match &runtime.pattern {
        Some((regex, replacement)) => {
            Some(Value::array([Value::Regexp(regex.clone()), replacement.clone().into()]))
        }
        None => runtime.name.clone().map(Value::from),
    }
}

fn range_parts(range: IntegerRange) -> Vec<TypeParameter> {
    vec![("from", range.least().map(Value::from)), ("to", range.greatest().map(Value::from))]
}

fn size_type(size: Option<IntegerRange>) -> Option<Value> {
    size.map(|range| Type::Integer(range).into())
}

fn type_list(types: &[Type]) -> Value {
    Value::array(types.iter().cloned().map(Value::from))
}

fn strings(texts: &[EcoString]) -> Value {
    Value::array(texts.iter().cloned().map(Value::String))
}

fn tuple_parts(tuple: &TupleType) -> Vec<TypeParameter> {
    vec![("types", Some(type_list(&tuple.types))), ("size_type", size_type(tuple.size))]
}

/// Returns all parameters, since none has a default.
fn callable_parts(callable: &CallableType) -> Vec<TypeParameter> {
    let parameters = callable.parameters.clone().map(|tuple| Type::Tuple(Arc::new(tuple)).into());
    let part = |type_: &Option<Type>| Some(type_.clone().map_or(Value::Undef, Value::from));
    vec![
        ("param_types", Some(parameters.unwrap_or_default())),
        ("block_type", part(&callable.block)),
        ("return_type", part(&callable.returns)),
    ]
}

fn time_parts(range: Option<&TimeRange>, value: fn(i128) -> Value) -> Vec<TypeParameter> {
    let border = |border: fn(&TimeRange) -> Option<i128>| range.and_then(border).map(value);
    vec![("from", border(|range| range.min)), ("to", border(|range| range.max))]
}
