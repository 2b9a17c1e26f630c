//! Types: sets of values.
//!
//! A [`Type`] is a value as well: it is written in code, compared, matched with `=~`, and formatted. Equal types are
//! structurally equal; types that Puppet distinguishes despite an equal name (an absent parameter and its default) are
//! distinct here too.

pub mod access;
mod alias;
mod assignable;
mod callable;
mod common;
pub mod define;
mod display;
mod error;
mod factory;
mod generalize;
mod guard;
mod infer;
pub(crate) mod init;
mod instance;
mod iterable;
mod make;
pub mod mismatch;
pub mod named;
mod normalize;
mod object;
pub mod parse;
mod pcore;
mod range;
mod set;
mod times;
mod versions;
mod visit;

pub use access::{AccessError, Accessed, access};
pub use alias::{TypeAlias, UnrealAlias};
pub use common::common_type;
pub use display::capitalize_segments;
pub use error::TypeError;
pub use infer::{infer, infer_generic, infer_set};
pub use named::{lookup_context, named};
pub use object::{Member, MemberKind, ObjectBody, ObjectExtension, ObjectType};
pub use parse::{Names, NoNames, ParseError, parse};
pub use range::IntegerRange;
pub use set::{TypeSet, TypeSetBody, TypeSetReference};

use std::hash::{Hash as StdHash, Hasher};
use std::sync::Arc;

use ecow::EcoString;

use crate::regex::Regex;
use crate::{Hash, Value};
use kukla_rubytext::semver::VersionRange;

/// A type of the Puppet language.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Every value.
    Any,
    /// The parameter type of a signature without parameters; can't be written in code.
    Unit,
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// Numbers, strings, booleans, regular expressions, times, versions.
    Scalar,
    /// Numbers, strings, booleans.
    ScalarData,
    /// `Integer` and `Float`
    Numeric,
    /// `Integer[min, max]`
    Integer(IntegerRange),
    /// `Float[min, max]`
    Float(FloatRange),
    /// `String[min, max]`; `None` without a size.
    String(Option<IntegerRange>),
    /// The type of one string; only inference makes it.
    StringValue(EcoString),
    /// `Enum[a, b]`; with `true` at the end, case is ignored.
    Enum(Arc<EnumType>),
    /// `Pattern[/a/]`
    Pattern(Arc<[Regex]>),
    /// `Regexp[/a/]`
    Regexp(Option<Regex>),
    /// `Boolean[true]`
    Boolean(Option<bool>),
    /// `Optional[type]`
    Optional(Option<Arc<Type>>),
    /// `NotUndef[type]`
    NotUndef(Option<Arc<Type>>),
    /// `Variant[a, b]`
    Variant(Arc<[Type]>),
    /// `Array[element, min, max]`
    Array(Arc<ArrayType>),
    /// `Hash[key, value, min, max]`
    Hash(Arc<HashType>),
    /// `Collection[min, max]`
    Collection(Option<IntegerRange>),
    /// `Tuple[a, b, min, max]`
    Tuple(Arc<TupleType>),
    /// `Struct[{ key => type }]`
    Struct(Arc<[StructElement]>),
    /// `Iterable[type]`
    Iterable(Option<Arc<Type>>),
    /// `Iterator[type]`
    Iterator(Option<Arc<Type>>),
    /// `Callable[[a, b, min, max, block], result]`
    Callable(Arc<CallableType>),
    /// `Type[type]`
    Type(Option<Arc<Type>>),
    /// `Runtime[runtime, name]`
    Runtime(Arc<RuntimeType>),
    /// `Sensitive[type]`
    Sensitive(Option<Arc<Type>>),
    /// `Init[type, arguments]`
    Init(Option<Arc<InitType>>),
    /// Bytes.
    Binary,
    /// `Timestamp[from, to]`, in nanoseconds.
    Timestamp(Option<Arc<TimeRange>>),
    /// `Timespan[from, to]`, in nanoseconds.
    Timespan(Option<Arc<TimeRange>>),
    /// `SemVer[range, …]`
    SemVer(Arc<[VersionRange]>),
    /// A range of versions.
    SemVerRange,
    /// `URI[{ part => … }]`
    Uri(Option<Arc<Hash>>),
    /// `Object[{…}]`, with or without a name.
    Object(Arc<ObjectType>),
    /// `Name[parameters]` of an Object type that has type parameters.
    ObjectExtension(Arc<ObjectExtension>),
    /// `TypeSet[{…}]`
    TypeSet(Arc<TypeSet>),
    /// An unknown name: `TypeReference['Name']`
    Reference(EcoString),
    /// `type Name = type`; also `Data` and `RichData`.
    Alias(Arc<TypeAlias>),
    /// An entry of a catalog.
    CatalogEntry,
    /// `Resource[type, title]`, `File`, `File['/tmp']`
    Resource(Arc<ResourceType>),
    /// `Class[name]`
    Class(Option<EcoString>),
}

/// The range of floats; infinities mean no limit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FloatRange {
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
}

impl FloatRange {
    /// All floats.
    pub const ALL: Self = Self { min: f64::NEG_INFINITY, max: f64::INFINITY };
}

/// A limit is never NaN.
impl Eq for FloatRange {}

impl StdHash for FloatRange {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.min + 0.0).to_bits().hash(state);
        (self.max + 0.0).to_bits().hash(state);
    }
}

/// `Enum[a, b]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EnumType {
    /// The strings, sorted as Puppet sorts them.
    pub values: Vec<EcoString>,
    /// Set if case is ignored.
    pub case_insensitive: bool,
}

/// `Array[element, min, max]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    /// The type of all elements.
    pub element: Type,
    /// The number of elements.
    pub size: Option<IntegerRange>,
}

/// `Hash[key, value, min, max]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HashType {
    /// The type of all keys.
    pub key: Type,
    /// The type of all values.
    pub value: Type,
    /// The number of entries.
    pub size: Option<IntegerRange>,
}

/// `Tuple[a, b, min, max]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TupleType {
    /// The types by position; the last one holds for all that follow.
    pub types: Vec<Type>,
    /// The number of elements; by default that of the types.
    pub size: Option<IntegerRange>,
}

/// `key => type` of a `Struct`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructElement {
    /// The key's name.
    pub name: EcoString,
    /// Set if the key is `Optional[name]`, so that it may be absent.
    pub optional_key: bool,
    /// The type of the value.
    pub value: Type,
}

/// `Callable[[a, b, min, max, block], result]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallableType {
    /// The parameters; `None` accepts any.
    pub parameters: Option<TupleType>,
    /// The block: a `Callable` or an `Optional` one.
    pub block: Option<Type>,
    /// The result.
    pub returns: Option<Type>,
}

/// `Runtime[runtime, name]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeType {
    /// Usually `ruby`.
    pub runtime: Option<EcoString>,
    /// A class of the runtime.
    pub name: Option<EcoString>,
    /// The pattern for the name, and its replacement.
    pub pattern: Option<(Regex, EcoString)>,
}

/// `Init[type, arguments]`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InitType {
    /// The type to create.
    pub type_: Type,
    /// The arguments after the first of `new`.
    pub arguments: Vec<Value>,
    accepted: init::AcceptedCache,
}

impl InitType {
    /// Creates `Init[type, arguments]`.
    pub fn new(type_: Type, arguments: Vec<Value>) -> Self {
        Self { type_, arguments, accepted: init::AcceptedCache::default() }
    }
}

/// A range of times in nanoseconds; `None` is no limit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TimeRange {
    /// The minimum.
    pub min: Option<i128>,
    /// The maximum.
    pub max: Option<i128>,
}

/// `Resource[type, title]`
#[derive(Clone, Debug)]
pub struct ResourceType {
    /// Its name, capitalized: `File`, `Apache::Vhost`.
    pub name: Option<EcoString>,
    /// The title.
    pub title: Option<EcoString>,
    /// Set if it was passed as a parameter: Puppet has a resource there instead of a type, and prints no quotes.
    ///
    /// Equality ignores it.
    pub is_parameter_value: bool,
}

impl PartialEq for ResourceType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.title == other.title
    }
}

impl Eq for ResourceType {}

impl std::hash::Hash for ResourceType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.title.hash(state);
    }
}

impl Type {
    /// `Integer`
    pub const INTEGER: Self = Self::Integer(IntegerRange::ALL);
    /// `Float`
    pub const FLOAT: Self = Self::Float(FloatRange::ALL);
    /// `String`
    pub const STRING: Self = Self::String(None);
    /// `Boolean`
    pub const BOOLEAN: Self = Self::Boolean(None);
}
