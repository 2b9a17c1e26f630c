//! Built-in types by name.

use std::sync::{Arc, LazyLock};

use ecow::EcoString;

use super::parse::{NoNames, parse};
use super::{
    CallableType, EnumType, Member, MemberKind, ObjectBody, ObjectType, RuntimeType, TupleType,
    Type, TypeAlias, TypeSet, TypeSetBody, define, pcore,
};
use crate::Value;

/// Returns a built-in type by its name in any case, without parameters.
pub fn named(name: &str) -> Option<Type> {
    let lower = name.to_ascii_lowercase();
    simple(&lower).or_else(|| compound(&lower)).or_else(|| defined(&lower))
}

fn simple(name: &str) -> Option<Type> {
    Some(match name {
        "any" => Type::Any,
        "undef" => Type::Undef,
        "default" => Type::Default,
        "scalar" => Type::Scalar,
        "scalardata" => Type::ScalarData,
        "numeric" => Type::Numeric,
        "integer" => Type::INTEGER,
        "float" => Type::FLOAT,
        "string" => Type::STRING,
        "regexp" => Type::Regexp(None),
        "boolean" => Type::BOOLEAN,
        "optional" => Type::Optional(None),
        "notundef" => Type::NotUndef(None),
        "collection" => Type::Collection(None),
        "iterable" => Type::Iterable(None),
        "iterator" => Type::Iterator(None),
        "type" => Type::Type(None),
        "sensitive" => Type::Sensitive(None),
        "init" => Type::Init(None),
        "binary" => Type::Binary,
        "timestamp" => Type::Timestamp(None),
        "timespan" => Type::Timespan(None),
        "semverrange" => Type::SemVerRange,
        "uri" => Type::Uri(None),
        "catalogentry" => Type::CatalogEntry,
        "class" => Type::Class(None),
        "typereference" => Type::Reference("UnresolvedReference".into()),
        _ => return None,
    })
}

fn compound(name: &str) -> Option<Type> {
    Some(match name {
        "enum" => Type::Enum(Arc::new(EnumType { values: Vec::new(), case_insensitive: false })),
        "pattern" => Type::Pattern(Arc::default()),
        "variant" => Type::Variant(Arc::default()),
        "array" => Type::any_array(),
        "hash" => Type::any_hash(),
        "tuple" => Type::Tuple(Arc::new(TupleType { types: Vec::new(), size: None })),
        "struct" => Type::Struct(Arc::default()),
        "callable" => all_callables(),
        "runtime" => {
            Type::Runtime(Arc::new(RuntimeType { runtime: None, name: None, pattern: None }))
        }
        "semver" => Type::SemVer(Arc::default()),
        "resource" => Type::resource(None, None),
        "object" => any_object(),
        "typeset" => TYPE_SET.clone(),
        "typealias" => UNRESOLVED_ALIAS.clone(),
        "data" => data(),
        "richdata" => rich_data(),
        "richdatakey" => BUILTIN.rich_data_key.clone(),
        "puppet::lookupkey" => BUILTIN.lookup_key.clone(),
        "puppet::lookupvalue" => BUILTIN.lookup_value.clone(),
        "deferred" => Type::Object(deferred()),
        "error" => Type::Object(error()),
        "puppet::lookupcontext" => Type::Object(lookup_context()),
        "annotation" => Type::Object(Arc::clone(&pcore::ANNOTATION)),
        "pcore" => Type::Object(Arc::clone(&pcore::PCORE)),
        "rubymethod" => Type::Object(Arc::clone(&RUBY_METHOD)),
        name => return pcore::alias(name.strip_prefix("pcore::")?),
    })
}

/// Returns a resource type that Puppet has without loading it, or a type of types.
fn defined(name: &str) -> Option<Type> {
    const RESOURCES: [&str; 15] = [
        "Component",
        "Exec",
        "File",
        "Filebucket",
        "Group",
        "Node",
        "Notify",
        "Package",
        "Resources",
        "Schedule",
        "Service",
        "Stage",
        "Tidy",
        "User",
        "Whit",
    ];
    if let Some(name) = RESOURCES.iter().find(|other| other.eq_ignore_ascii_case(name)) {
        return Some(Type::resource(Some((*name).into()), None));
    }
    let name = name.strip_prefix("pcore::")?.strip_suffix("type")?;
    let meta = META_TYPES.iter().find(|meta| meta.0.eq_ignore_ascii_case(name))?;
    Some(meta_object(meta.0))
}

/// Returns `Callable`.
pub fn all_callables() -> Type {
    Type::Callable(Arc::new(CallableType { parameters: None, block: None, returns: None }))
}

/// Returns `Data`.
pub fn data() -> Type {
    BUILTIN.data.clone()
}

/// Returns `RichData`.
pub fn rich_data() -> Type {
    BUILTIN.rich_data.clone()
}

/// Returns `Deferred`.
pub fn deferred() -> Arc<ObjectType> {
    Arc::clone(&DEFERRED)
}

/// Returns `Puppet::LookupContext`, the argument of functions that return data.
pub fn lookup_context() -> Arc<ObjectType> {
    Arc::clone(&LOOKUP_CONTEXT)
}

/// Returns `Error`.
pub fn error() -> Arc<ObjectType> {
    Arc::clone(&ERROR)
}

/// Returns `Object`.
pub fn any_object() -> Type {
    let object = ObjectType::new(None);
    object.resolve(ObjectBody { equality_include_type: true, ..ObjectBody::default() });
    Type::Object(Arc::new(object))
}

/// Returns `TypeSet`.
pub fn any_type_set() -> Type {
    TYPE_SET.clone()
}

/// Returns true for an alias of Puppet's own, which is never expanded.
pub(super) fn is_builtin_alias(name: &str) -> bool {
    matches!(
        name,
        "Data" | "RichData" | "RichDataKey" | "Puppet::LookupKey" | "Puppet::LookupValue"
    )
}

/// Aliases that Puppet defines.
struct BuiltinAliases {
    data: Type,
    rich_data_key: Type,
    rich_data: Type,
    lookup_key: Type,
    lookup_value: Type,
}

static BUILTIN: LazyLock<BuiltinAliases> = LazyLock::new(|| {
    let alias = |name: &str| Arc::new(TypeAlias::new(name));
    let resolve = |alias: Arc<TypeAlias>, type_: Type| {
        alias.resolve(&type_).expect("Puppet's own aliases are real");
        Type::Alias(alias)
    };
    let data = alias("Data");
    let again = Type::Alias(Arc::clone(&data));
    let of_data = Type::Variant(Arc::new([
        Type::ScalarData,
        Type::Undef,
        Type::hash(Type::STRING, again.clone(), None),
        Type::array(again, None),
    ]));
    let key = Type::Variant(Arc::new([Type::STRING, Type::Numeric]));
    let rich_data_key = resolve(alias("RichDataKey"), key);
    let rich_data = alias("RichData");
    let again = Type::Alias(Arc::clone(&rich_data));
    let of_rich_data = Type::Variant(Arc::new([
        Type::Scalar,
        Type::SemVerRange,
        Type::Binary,
        Type::Sensitive(None),
        Type::Type(None),
        TYPE_SET.clone(),
        Type::Uri(None),
        any_object(),
        Type::Undef,
        Type::Default,
        Type::hash(rich_data_key.clone(), again.clone(), None),
        Type::array(again, None),
    ]));
    let rich_data = resolve_as_is(rich_data, of_rich_data);
    BuiltinAliases {
        data: resolve_as_is(data, of_data),
        lookup_key: resolve(alias("Puppet::LookupKey"), rich_data_key.clone()),
        lookup_value: resolve(alias("Puppet::LookupValue"), rich_data.clone()),
        rich_data_key,
        rich_data,
    }
});

/// Resolves an alias without normalization: Puppet does not normalize its own.
fn resolve_as_is(alias: Arc<TypeAlias>, type_: Type) -> Type {
    alias.resolve_as_is(type_);
    Type::Alias(alias)
}

static UNRESOLVED_ALIAS: LazyLock<Type> = LazyLock::new(|| {
    let alias = TypeAlias::new("UnresolvedAlias");
    alias.resolve_as_is(Type::Reference("UnresolvedReference".into()));
    Type::Alias(Arc::new(alias))
});

static TYPE_SET: LazyLock<Type> = LazyLock::new(|| {
    let set = TypeSet::new(Some("DefaultTypeSet".into()), Some(define::RUNTIME.into()));
    set.resolve(TypeSetBody {
        pcore_uri: Some("http://puppet.com/2016.1/pcore".into()),
        pcore_version: "1.0.0".into(),
        version: Some("0.0.0".into()),
        ..TypeSetBody::default()
    });
    Type::TypeSet(Arc::new(set))
});

static DEFERRED: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    object(
        "Deferred",
        vec![
            member("name", r"Pattern[/\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z/]"),
            optional("arguments", "Optional[Array[Any]]"),
        ],
    )
});

static LOOKUP_CONTEXT: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let function = |(name, type_)| Member { kind: MemberKind::Function, ..member(name, type_) };
    let environment =
        Member { kind: MemberKind::Derived, ..member("environment_name", "String[1]") };
    let module = member("module_name", "Variant[String[1], Undef]");
    let functions = [
        ("not_found", "Callable[[0, 0], Undef]"),
        ("explain", "Callable[[0, 0, Callable[0, 0]], Undef]"),
        ("interpolate", "Callable[1, 1]"),
        ("cache", "Callable[Optional[Scalar], Any]"),
        ("cache_all", "Callable[[Hash[Optional[Scalar], Any]], Undef]"),
        ("cache_has_key", "Callable[[Optional[Scalar]], Boolean]"),
        ("cached_value", "Callable[Optional[Scalar]]"),
        (
            "cached_entries",
            "Variant[Callable[[0, 0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], \
             Callable[[0, 0], Iterable[Tuple[Optional[Scalar], Any]]]]",
        ),
        ("cached_file_data", "Callable[String, Optional[Callable[Array[Integer]]]]"),
    ];
    let members = [environment, module].into_iter().chain(functions.map(function)).collect();
    let context = ObjectType::new(Some("Puppet::LookupContext".into()));
    context.resolve(ObjectBody {
        parent: Some(Type::Any),
        members,
        equality_include_type: true,
        ..ObjectBody::default()
    });
    Arc::new(context)
});

/// `RubyMethod`, the annotation of a function of an Object type with its body.
static RUBY_METHOD: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let method = ObjectType::new(Some("RubyMethod".into()));
    method.resolve(ObjectBody {
        parent: Some(Type::Object(Arc::clone(&pcore::ANNOTATION))),
        members: vec![member("body", "String"), optional("parameters", "Optional[String[1]]")],
        equality_include_type: true,
        ..ObjectBody::default()
    });
    Arc::new(method)
});

static ERROR: LazyLock<Arc<ObjectType>> = LazyLock::new(|| {
    let kinds =
        "Optional[Variant[String,Regexp,Type[Enum],Type[Pattern],Type[NotUndef],Type[Undef]]]";
    let parameter = |name| Member { kind: MemberKind::TypeParameter, ..member(name, kinds) };
    let function =
        Member { kind: MemberKind::Function, ..member("message", "Callable[[], String[1]]") };
    object(
        "Error",
        vec![
            parameter("kind"),
            parameter("issue_code"),
            member("msg", "String[1]"),
            optional("kind", "Optional[String[1]]"),
            optional("details", "Optional[Hash[String[1],Data]]"),
            optional("issue_code", "Optional[String[1]]"),
            function,
        ],
    )
});

pub(super) fn object(name: &str, members: Vec<Member>) -> Arc<ObjectType> {
    let object = ObjectType::new(Some(name.into()));
    object.resolve(ObjectBody { members, equality_include_type: true, ..ObjectBody::default() });
    Arc::new(object)
}

fn member(name: &str, type_: &str) -> Member {
    Member {
        name: name.into(),
        kind: MemberKind::Attribute,
        type_: parse(type_, &NoNames).expect("types written here are valid"),
        value: None,
        is_final: false,
        is_override: false,
        annotations: None,
    }
}

fn optional(name: &str, type_: &str) -> Member {
    Member { value: Some(Value::Undef), ..member(name, type_) }
}

/// Kinds of types and their parents: a type is an object as well.
const META_TYPES: [(&str, &str); 42] = [
    ("Any", ""),
    ("Array", "Collection"),
    ("Binary", "Any"),
    ("Boolean", "ScalarData"),
    ("Callable", "Any"),
    ("CatalogEntry", "Any"),
    ("Class", "CatalogEntry"),
    ("Collection", "Any"),
    ("Default", "Any"),
    ("Enum", "ScalarData"),
    ("Float", "Numeric"),
    ("Hash", "Collection"),
    ("Init", "Any"),
    ("Integer", "Numeric"),
    ("Iterable", "Any"),
    ("Iterator", "Any"),
    ("NotUndef", "Any"),
    ("Numeric", "ScalarData"),
    ("Object", "Any"),
    ("ObjectTypeExtension", "Any"),
    ("Optional", "Any"),
    ("Pattern", "ScalarData"),
    ("Regexp", "Scalar"),
    ("Resource", "CatalogEntry"),
    ("Runtime", "Any"),
    ("Scalar", "Any"),
    ("ScalarData", "Scalar"),
    ("SemVer", "Scalar"),
    ("SemVerRange", "Any"),
    ("Sensitive", "Any"),
    ("String", "ScalarData"),
    ("Struct", "Any"),
    ("Timespan", "Scalar"),
    ("Timestamp", "Scalar"),
    ("Tuple", "Any"),
    ("Type", "Any"),
    ("TypeAlias", "Any"),
    ("TypeReference", "Any"),
    ("TypeSet", "Any"),
    ("Undef", "Any"),
    ("Unit", "Any"),
    ("URI", "Any"),
];

/// Returns the type of a type as an object: `Pcore::IntegerType`.
pub(super) fn meta_type(type_: &Type) -> Type {
    match type_ {
        Type::ObjectExtension(_) => meta_object("ObjectTypeExtension"),
        Type::Object(_) => meta_object("Object"),
        type_ => meta_object(type_.simple_name()),
    }
}

fn meta_object(name: &str) -> Type {
    let parent = META_TYPES.iter().find(|meta| meta.0 == name).map_or("", |meta| meta.1);
    let object = ObjectType::new(Some(EcoString::from(format!("Pcore::{name}Type"))));
    let parent = if parent.is_empty() { Type::Any } else { meta_object(parent) };
    object.resolve(ObjectBody {
        parent: Some(parent),
        equality_include_type: true,
        ..ObjectBody::default()
    });
    Type::Object(Arc::new(object))
}
