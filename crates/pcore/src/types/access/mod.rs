//! `Type[parameters]` in code.
//!
//! Start at [`access`]. Parameters of most types are flattened first. Errors are Puppet's messages, with the key that caused
//! them, which the evaluator turns into a place.

mod collections;
mod labels;
mod plain;
mod references;

pub use labels::{a_an, article, label, ruby_class, ruby_class_of_type};

use std::sync::Arc;

use super::Type;
use super::parse::Names;
use crate::Value;
use crate::elements::flattened;

/// An error in `Type[parameters]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessError {
    /// Puppet's message.
    pub message: String,
    /// The expression that caused it.
    pub blame: AccessBlame,
    /// Set for an error that Ruby code raised, unset for one of Puppet's issues.
    ///
    /// Puppet prefixes the former: `Error while evaluating a '[]' expression, …`.
    pub raised: bool,
}

/// The part of `Type[parameters]` that caused an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessBlame {
    /// All of it.
    Whole,
    /// The expression before the brackets.
    Left,
    /// A key, by index; it may exceed the number of keys if one was an array: then Puppet names no place.
    Key(usize),
}

impl AccessError {
    fn issue(message: String, blame: AccessBlame) -> Self {
        Self { message, blame, raised: false }
    }

    fn raised(message: impl Into<String>) -> Self {
        Self { message: message.into(), blame: AccessBlame::Whole, raised: true }
    }
}

/// The most parameters of a type.
const MAX_KEYS: usize = 1 << 20;

/// The most types that a type may be made of.
const MAX_PARTS: usize = 1 << 16;

/// The result of an access.
pub type Access<T> = Result<T, AccessError>;

/// The result of an access; attributes of resources in the catalog are left to the evaluator.
#[derive(Clone, PartialEq, Debug)]
pub enum Accessed {
    /// The type, or an array of types.
    Value(Value),
    /// A request for attributes of a resource or class.
    Attributes {
        /// Their names.
        keys: Vec<Value>,
        /// Set if the result is an array.
        as_array: bool,
    },
}

/// Evaluates `type_[keys]`.
pub fn access(type_: &Type, keys: &[Value], names: &dyn Names) -> Access<Accessed> {
    check_size(keys)?;
    match type_ {
        Type::Resource(resource) => references::resource(type_, resource, keys),
        Type::Class(name) => references::class(type_, name.as_deref(), keys),
        _ => parameterized(type_, keys, names)
            .map(|type_| Accessed::Value(Value::Type(Arc::new(type_)))),
    }
}

/// Fails if the types of parameters have too many parts: types are compared and shown without a limit.
fn check_size(keys: &[Value]) -> Access<()> {
    let mut n_parts = 0;
    let mut is_too_large = |_: &Type| {
        n_parts += 1;
        n_parts > MAX_PARTS
    };
    let has_more = |key: &Value| match key {
        Value::Type(type_) => super::visit::any(type_, &mut is_too_large),
        Value::Hash(hash) => hash.iter().any(|(key, value)| {
            [key, value].iter().any(|it| match it {
                Value::Type(type_) => super::visit::any(type_, &mut is_too_large),
                _ => false,
            })
        }),
        _ => false,
    };
    let flat = flatten(keys);
    match flat.len() > MAX_KEYS || flat.iter().any(has_more) {
        true if flat.len() > MAX_KEYS => Err(AccessError::raised(format!(
            "the type is too large: it has more than {MAX_KEYS} parts"
        ))),
        true => Err(AccessError::raised(format!(
            "the type is too large: it has more than {MAX_PARTS} parts"
        ))),
        false => Ok(()),
    }
}

fn parameterized(type_: &Type, keys: &[Value], names: &dyn Names) -> Access<Type> {
    let flat = flatten(keys);
    match type_ {
        Type::Integer(_) => plain::integer(&flat),
        Type::Float(_) => plain::float(&flat),
        Type::String(_) | Type::StringValue(_) => plain::string(&flat),
        Type::Boolean(_) => plain::boolean(type_, &flat),
        Type::Regexp(_) => plain::regexp(type_, &flat),
        Type::Enum(_) => plain::enumeration(type_, &flat),
        Type::Pattern(_) => plain::pattern(type_, &flat),
        Type::Variant(_) => plain::variant(type_, &flat),
        Type::SemVer(_) => plain::versions(type_, &flat),
        Type::Timestamp(_) => plain::timestamp(type_, &flat),
        Type::Timespan(_) => plain::timespan(type_, &flat),
        Type::Uri(_) => plain::uri(&flat),
        Type::Runtime(_) => plain::runtime(type_, &flat),
        Type::Optional(_) => collections::optional(&flat),
        Type::NotUndef(_) => collections::not_undef(&flat),
        Type::Sensitive(_) => collections::inner("Sensitive", &flat).map(|t| Type::sensitive(&t)),
        Type::Type(_) => collections::inner("Type", &flat).map(Type::meta),
        Type::Iterable(_) => collections::inner("Iterable", &flat).map(Type::iterable),
        Type::Iterator(_) => {
            collections::inner("Iterator", &flat).map(|t| Type::Iterator(Some(Arc::new(t))))
        }
        Type::Init(_) => collections::init(keys),
        Type::Collection(_) => collections::collection(&flat),
        Type::Array(_) => collections::array(&flat),
        Type::Hash(_) => collections::hash(&flat),
        Type::Tuple(_) => collections::tuple(type_, &flat),
        Type::Struct(_) => collections::structure(type_, keys),
        Type::Callable(_) => collections::callable(type_, keys),
        Type::Object(object) => references::object(object, &flat, names),
        Type::TypeSet(_) => references::type_set(&flat),
        Type::Reference(name) => {
            Err(AccessError::issue(format!("Resource type not found: {name}"), AccessBlame::Whole))
        }
        _ => Err(AccessError::issue(
            format!("Operator '[]' is not applicable to {}.", a_an(&label_of_type(type_))),
            AccessBlame::Left,
        )),
    }
}

/// Flattens arrays in keys.
fn flatten(keys: &[Value]) -> Vec<Value> {
    flattened(keys)
}

/// Returns the name of a type in messages.
fn label_of_type(type_: &Type) -> String {
    label(&Value::Type(Arc::new(type_.clone())))
}

/// The number of keys of a type.
#[derive(Clone, Copy)]
struct KeyCount {
    min: usize,
    max: Option<usize>,
}

impl KeyCount {
    const ONE: Self = Self { min: 1, max: Some(1) };
    const SOME: Self = Self { min: 1, max: None };
}

/// Creates the error `X[] accepts 1 to 3 arguments. Got 4`.
fn arity(label: &str, count: KeyCount, actual: usize) -> AccessError {
    let KeyCount { min, max } = count;
    let accepts = match max {
        None => format!("{min} or more arguments"),
        Some(max) if max != min => format!("{min} to {max} arguments"),
        Some(_) if min == 1 => format!("{min} argument"),
        Some(_) => format!("{min} arguments"),
    };
    AccessError::issue(format!("{label}[] accepts {accepts}. Got {actual}"), AccessBlame::Whole)
}

/// Checks the number of keys, and the kind of each.
fn assert_keys(
    type_: &Type,
    keys: &[Value],
    count: KeyCount,
    expected: &str,
    fits: impl Fn(&Value) -> bool,
) -> Access<()> {
    let KeyCount { min, max } = count;
    if keys.len() < min || max.is_some_and(|max| keys.len() > max) {
        let label = labels::capital(&a_an(&label_of_type(type_)));
        return Err(arity(&label, KeyCount { min: 1, max }, keys.len()));
    }
    match keys.iter().position(|key| !fits(key)) {
        None => Ok(()),
        Some(place) => Err(bad_key(type_, place, &keys[place], expected)),
    }
}

fn bad_key(type_: &Type, place: usize, key: &Value, expected: &str) -> AccessError {
    let message = format!(
        "Error creating type specialization of {}, Cannot use {} where {expected} is expected",
        a_an(&label_of_type(type_)),
        labels::type_name(key)
    );
    AccessError::issue(message, AccessBlame::Key(place))
}

/// Creates the error for a key that must be a type.
fn not_a_type(name: &str, place: usize, key: &Value) -> AccessError {
    let message = format!("{name}-Type[] arguments must be types. Got {}", ruby_class(key));
    AccessError::issue(message, AccessBlame::Key(place))
}

fn as_type(name: &str, place: usize, key: &Value) -> Access<Type> {
    match key {
        Value::Type(type_) => Ok((**type_).clone()),
        key => Err(not_a_type(name, place, key)),
    }
}
