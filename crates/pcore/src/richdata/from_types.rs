//! Conversion from the data of a type to the type.

use std::sync::Arc;

use ecow::EcoString;

use super::issue::DataError;
use crate::convert::Convert;
use crate::regex::Regex;
use crate::types::define;
use crate::types::{
    ArrayType, CallableType, EnumType, FloatRange, HashType, InitType, IntegerRange, RuntimeType,
    StructElement, TimeRange, TupleType, TypeAlias, named,
};
use crate::value::Rare;
use crate::{Hash, Type, Value};
use kukla_rubytext::semver::VersionRange;

/// Creates the type of a Pcore class with parameters; `None` if there is no such class.
pub(super) fn type_(
    kind: &str,
    parts: &Hash,
    convert: &Convert<'_>,
) -> Result<Option<Value>, DataError> {
    // An element of a Struct is no type; it stays a hash until the Struct is created.
    if kind == "StructElement" {
        return Ok(Some(parts.clone().into()));
    }
    let Some(name) = kind.strip_suffix("Type") else { return Ok(None) };
    let parts = TypeParts(parts);
    let type_ = match name {
        "TypeAlias" => parts.alias()?,
        "ObjectTypeExten" => parts.extension()?,
        "Unit" => Type::Unit,
        "Object" => match parts.hash("_pcore_init_hash") {
            Some(init) => object(init, convert)?,
            None => return Ok(named("Object").map(Value::from)),
        },
        _ => match parts.simple(name)? {
            Some(type_) => type_,
            None => return Ok(named(name).map(Value::from)),
        },
    };
    Ok(Some(type_.into()))
}

fn object(init: &Hash, convert: &Convert<'_>) -> Result<Type, DataError> {
    let name = init.get_str("name").and_then(Value::as_str).map(Into::into);
    define::object(name, &init.clone().into(), convert.names)
        .map_err(|error| DataError::Refused(error.to_string()))
}

/// The parameters of a type.
struct TypeParts<'a>(&'a Hash);

impl TypeParts<'_> {
    /// Creates a type whose parameters are all in the data.
    fn simple(&self, name: &str) -> Result<Option<Type>, DataError> {
        Ok(Some(match name {
            "Integer" => Type::Integer(self.range()),
            "Float" => Type::Float(self.float_range()),
            "String" => match self.0.get_str("size_type_or_value") {
                Some(Value::String(text)) => Type::StringValue(text.clone()),
                _ => Type::String(self.size("size_type_or_value")),
            },
            "Enum" => Type::Enum(Arc::new(EnumType {
                values: self.texts("values"),
                case_insensitive: self.0.get_str("case_insensitive").is_some_and(Value::is_truthy),
            })),
            "Pattern" => Type::Pattern(self.patterns()),
            "Regexp" => Type::Regexp(self.regex()?),
            "Optional" => Type::Optional(self.type_("type").map(Arc::new)),
            "NotUndef" => Type::NotUndef(self.type_("type").map(Arc::new)),
            "Iterable" => Type::Iterable(self.type_("type").map(Arc::new)),
            "Iterator" => Type::Iterator(self.type_("type").map(Arc::new)),
            "Type" => Type::Type(self.type_("type").map(Arc::new)),
            "Variant" => Type::Variant(self.types("types").into()),
            "Collection" => Type::Collection(self.size("size_type")),
            "Tuple" => Type::Tuple(Arc::new(self.tuple())),
            "Struct" => Type::Struct(self.elements()),
            "Array" => Type::Array(Arc::new(self.array())),
            "Hash" => Type::Hash(Arc::new(self.hash_type())),
            "Callable" => Type::Callable(Arc::new(self.callable())),
            "Runtime" => Type::Runtime(Arc::new(self.runtime())),
            "Init" => Type::Init(self.init().map(Arc::new)),
            "Timestamp" => Type::Timestamp(self.time_range().map(Arc::new)),
            "Timespan" => Type::Timespan(self.time_range().map(Arc::new)),
            "SemVer" => Type::SemVer(self.list("ranges").iter().filter_map(range).collect()),
            "URI" => Type::Uri(self.hash("parameters").cloned().map(Arc::new)),
            "TypeReference" => Type::Reference(self.text("type_string").unwrap_or_default()),
            "Resource" => Type::resource(self.text("type_name"), self.text("title")),
            "Class" => Type::Class(self.text("class_name")),
            _ => return Ok(None),
        }))
    }

    fn text(&self, key: &str) -> Option<EcoString> {
        self.0.get_str(key).and_then(Value::as_str).map(Into::into)
    }

    fn hash(&self, key: &str) -> Option<&Hash> {
        match self.0.get_str(key) {
            Some(Value::Hash(hash)) => Some(hash),
            _ => None,
        }
    }

    fn type_(&self, key: &str) -> Option<Type> {
        as_type(self.0.get_str(key)?)
    }

    fn list(&self, key: &str) -> Vec<Value> {
        match self.0.get_str(key) {
            Some(Value::Array(values)) => values.to_vec(),
            _ => Vec::new(),
        }
    }

    fn types(&self, key: &str) -> Vec<Type> {
        self.list(key).iter().filter_map(as_type).collect()
    }

    fn texts(&self, key: &str) -> Vec<EcoString> {
        self.list(key).iter().filter_map(Value::as_str).map(Into::into).collect()
    }

    fn integer(&self, key: &str) -> Option<i64> {
        match self.0.get_str(key) {
            Some(Value::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    fn range(&self) -> IntegerRange {
        IntegerRange::new(self.integer("from"), self.integer("to"))
    }

    fn float_range(&self) -> FloatRange {
        let border = |key| match self.0.get_str(key) {
            Some(Value::Float(value)) => Some(*value),
            _ => None,
        };
        let min = border("from").unwrap_or(f64::NEG_INFINITY);
        FloatRange { min, max: border("to").unwrap_or(f64::INFINITY) }
    }

    fn size(&self, key: &str) -> Option<IntegerRange> {
        match self.type_(key) {
            Some(Type::Integer(range)) => Some(range),
            _ => None,
        }
    }

    fn patterns(&self) -> Arc<[Regex]> {
        let regex = |type_| match type_ {
            Type::Regexp(regex) => regex,
            _ => None,
        };
        self.types("patterns").into_iter().filter_map(regex).collect()
    }

    fn regex(&self) -> Result<Option<Regex>, DataError> {
        let Some(source) = self.text("pattern") else { return Ok(None) };
        Regex::new(&source).map(Some).map_err(|error| DataError::Refused(error.to_string()))
    }

    fn tuple(&self) -> TupleType {
        TupleType { types: self.types("types"), size: self.size("size_type") }
    }

    fn array(&self) -> ArrayType {
        let element = self.type_("element_type").unwrap_or(Type::Any);
        ArrayType { element, size: self.size("size_type") }
    }

    fn hash_type(&self) -> HashType {
        let key = self.type_("key_type").unwrap_or(Type::Any);
        let value = self.type_("value_type").unwrap_or(Type::Any);
        HashType { key, value, size: self.size("size_type") }
    }

    fn callable(&self) -> CallableType {
        let parameters = match self.type_("param_types") {
            Some(Type::Tuple(tuple)) => Some((*tuple).clone()),
            _ => None,
        };
        CallableType {
            parameters,
            block: self.type_("block_type"),
            returns: self.type_("return_type"),
        }
    }

    fn runtime(&self) -> RuntimeType {
        let pattern = match self.list("name_or_pattern").as_slice() {
            [Value::Regexp(regex), Value::String(text)] => Some((regex.clone(), text.clone())),
            _ => None,
        };
        RuntimeType { runtime: self.text("runtime"), name: self.text("name_or_pattern"), pattern }
    }

    fn init(&self) -> Option<InitType> {
        Some(InitType::new(self.type_("type")?, self.list("init_args")))
    }

    fn time_range(&self) -> Option<TimeRange> {
        let border = |key| match self.0.get_str(key)? {
            Value::Timestamp(time) => Some(time.0),
            Value::Timespan(span) => Some(span.0),
            _ => None,
        };
        let (min, max) = (border("from"), border("to"));
        (min.is_some() || max.is_some()).then_some(TimeRange { min, max })
    }

    fn elements(&self) -> Arc<[StructElement]> {
        self.list("elements").iter().filter_map(element).collect()
    }

    fn extension(&self) -> Result<Type, DataError> {
        let Some(Type::Object(base)) = self.type_("base_type") else {
            return Err(DataError::Refused("an Object type with parameters needs a base".into()));
        };
        let parameters = match self.0.get_str("init_parameters") {
            Some(Value::Array(values)) => values.to_vec(),
            other => other.cloned().into_iter().collect(),
        };
        define::extension(&base, &parameters).map_err(|error| DataError::Refused(error.to_string()))
    }

    fn alias(&self) -> Result<Type, DataError> {
        let alias = TypeAlias::new(self.text("name").unwrap_or_default());
        if let Some(resolved) = self.type_("resolved_type") {
            alias.resolve(&resolved).map_err(|error| DataError::Refused(error.to_string()))?;
        }
        Ok(Type::Alias(Arc::new(alias)))
    }
}

fn as_type(value: &Value) -> Option<Type> {
    match value {
        Value::Type(type_) => Some((**type_).clone()),
        _ => None,
    }
}

fn range(value: &Value) -> Option<VersionRange> {
    match value {
        Value::Rare(rare) => match &**rare {
            Rare::SemVerRange(range) => Some(range.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn element(value: &Value) -> Option<StructElement> {
    let Value::Hash(hash) = value else { return None };
    let parts = TypeParts(hash);
    let (name, optional_key) = match parts.type_("key_type")? {
        Type::StringValue(name) => (name, false),
        Type::Optional(Some(inner)) => match &*inner {
            Type::StringValue(name) => (name.clone(), true),
            _ => return None,
        },
        _ => return None,
    };
    Some(StructElement { name, optional_key, value: parts.type_("value_type")? })
}
