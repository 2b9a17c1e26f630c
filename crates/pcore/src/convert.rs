//! `new`: creation of values from arguments.
//!
//! Start at [`new_instance`]. Every type with `new` has a function (`signature`) with the signatures that Puppet has, so
//! that mismatches are described in Puppet's words; one file per type.
//!
//! Invariant: a result is an instance of the type, or there is an error.

mod array;
mod binary;
mod boolean;
mod elements;
mod error;
mod float;
mod hash;
mod init;
mod integer;
mod numeric;
mod object;
mod regexp;
mod semver;
mod signature;
mod simple;
mod string;
mod time;
mod tree;

#[cfg(test)]
mod tests;

pub use elements::elements;
pub use error::ConvertError;
pub use object::from_hash as object_from_hash;

use signature::NewFunction;

use crate::time::Timestamp;
use crate::types::{Names, TupleType, mismatch};
use crate::{Type, Value};

/// The maximum nesting of types through `Init`.
const MAX_DEPTH: usize = 100;

/// The environment of conversions.
#[derive(Clone, Copy)]
pub struct Convert<'a> {
    /// Types by name, for `Type.new`.
    pub names: &'a dyn Names,
    /// The present, for times.
    pub present: &'a dyn Fn() -> Present,
    depth: usize,
}

/// The current time and zone.
#[derive(Clone, Copy, Debug)]
pub struct Present {
    /// The current time.
    pub now: Timestamp,
    /// The offset of the machine's zone from UTC in seconds, for the zone `current`.
    pub utc_offset: i32,
}

impl std::fmt::Debug for Convert<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Convert").field("depth", &self.depth).finish_non_exhaustive()
    }
}

impl<'a> Convert<'a> {
    /// Creates conversions in this environment.
    pub const fn new(names: &'a dyn Names, present: &'a dyn Fn() -> Present) -> Self {
        Self { names, present, depth: 0 }
    }

    /// Enters a `new` inside of another.
    fn deeper(self) -> Result<Self, ConvertError> {
        match self.depth < MAX_DEPTH {
            true => Ok(Self { depth: self.depth + 1, ..self }),
            false => Err(ConvertError::new("stack level too deep")),
        }
    }
}

/// Creates a value: `type.new(arguments)`.
///
/// ```puppet
/// Integer.new('0x1f')          # 31
/// Timestamp.new('2017-01-01')  # a point in time
/// ```
pub fn new_instance(
    convert: &Convert<'_>,
    type_: &Type,
    arguments: &[Value],
) -> Result<Value, ConvertError> {
    if let [value] = arguments
        && !matches!(type_, Type::Init(_))
        && type_.is_instance(value)
    {
        return Ok(value.clone());
    }
    let value = make(convert, type_, arguments)?;
    // The function of a type without parameters returns nothing else.
    if type_.is_instance(&value) {
        return Ok(value);
    }
    let subject = format!("Converted value from {}.new()", type_.text());
    mismatch::assert_instance(&subject, type_, &value)
        .map_err(|error| ConvertError(error.into()))?;
    Ok(value)
}

/// Returns the parameters of `new` of a type, one tuple per signature; `None` if there is no `new`.
pub fn parameter_tuples(type_: &Type) -> Option<Vec<TupleType>> {
    match function(type_, 0)? {
        NewImplementation::BuiltIn(function) => Some(function.tuples()),
        NewImplementation::Object(object) => Some(object::tuples(&object)),
        NewImplementation::Init(init) => Some(init::tuples(&init)),
    }
}

fn make(convert: &Convert<'_>, type_: &Type, arguments: &[Value]) -> Result<Value, ConvertError> {
    match function(type_, 0) {
        Some(NewImplementation::BuiltIn(function)) => function.call(convert, arguments),
        Some(NewImplementation::Object(object)) => object::new(&object, arguments),
        Some(NewImplementation::Init(init)) => init::new(convert, &init, arguments),
        None => {
            let name = unaliased(type_).text();
            Err(ConvertError(format!("Creation of new instance of type '{name}' is not supported")))
        }
    }
}

/// Resolves aliases.
fn unaliased(mut type_: &Type) -> &Type {
    for _ in 0..MAX_DEPTH {
        match type_ {
            Type::Alias(alias) => match alias.resolved() {
                Some(resolved) => type_ = resolved,
                None => break,
            },
            Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => type_ = inner,
            _ => break,
        }
    }
    type_
}

/// The implementation of `new`.
enum NewImplementation {
    BuiltIn(&'static NewFunction),
    Object(std::sync::Arc<crate::types::ObjectType>),
    Init(std::sync::Arc<crate::types::InitType>),
}

/// Returns the function of a type; `depth` limits chains of aliases.
fn function(type_: &Type, depth: usize) -> Option<NewImplementation> {
    if depth > MAX_DEPTH {
        return None;
    }
    let function: &NewFunction = match type_ {
        Type::Integer(_) => &integer::FUNCTION,
        Type::Float(_) => &float::FUNCTION,
        Type::Numeric => &numeric::FUNCTION,
        Type::String(_) | Type::StringValue(_) => &string::FUNCTION,
        Type::Boolean(_) => &boolean::FUNCTION,
        Type::Array(_) | Type::Tuple(_) => &array::FUNCTION,
        Type::Hash(_) | Type::Struct(_) => &hash::FUNCTION,
        Type::Regexp(_) => &regexp::FUNCTION,
        Type::Binary => &binary::FUNCTION,
        Type::Timestamp(_) => &time::TIMESTAMP_FUNCTION,
        Type::Timespan(_) => &time::TIMESPAN_FUNCTION,
        Type::SemVer(_) => &semver::VERSION_FUNCTION,
        Type::SemVerRange => &semver::RANGE_FUNCTION,
        Type::Uri(_) => &simple::URI_FUNCTION,
        Type::Sensitive(_) => &simple::SENSITIVE_FUNCTION,
        Type::Type(_) => &simple::TYPE_FUNCTION,
        Type::Unit | Type::NotUndef(None) => &simple::UNIT_FUNCTION,
        Type::NotUndef(Some(inner)) | Type::Optional(Some(inner)) => {
            return self::function(inner, depth + 1);
        }
        Type::Alias(alias) => return self::function(alias.resolved()?, depth + 1),
        Type::Object(object) => return Some(NewImplementation::Object(object.clone())),
        Type::ObjectExtension(extension) => {
            return Some(NewImplementation::Object(extension.base.clone()));
        }
        Type::Init(Some(init)) => return Some(NewImplementation::Init(init.clone())),
        Type::Any
        | Type::Undef
        | Type::Default
        | Type::Scalar
        | Type::ScalarData
        | Type::Enum(_)
        | Type::Pattern(_)
        | Type::Optional(None)
        | Type::Variant(_)
        | Type::Collection(_)
        | Type::Iterable(_)
        | Type::Iterator(_)
        | Type::Callable(_)
        | Type::Runtime(_)
        | Type::Init(None)
        | Type::TypeSet(_)
        | Type::Reference(_)
        | Type::CatalogEntry
        | Type::Resource(_)
        | Type::Class(_) => return None,
    };
    Some(NewImplementation::BuiltIn(function))
}
