//! What `Init[type]` accepts: whatever `new` of the type can be called with.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::parse::{Names, NoNames, parse_with_names};
use super::{InitType, TupleType, Type, infer_set};

/// What can be given to `new` of a type.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    /// Types of single arguments.
    pub(super) single: Vec<Type>,
    /// Several arguments at once, as arrays.
    pub(super) tuples: Vec<Type>,
    /// Whether one element of such an array is enough.
    pub(super) has_optional_single: bool,
}

/// What can be given to `new` of the type, or what is wrong with the `Init` type.
pub(super) fn arguments(init: &InitType) -> Result<Arguments, String> {
    let unsupported =
        || format!("Creation of new instance of type '{}' is not supported", init.type_.text());
    let signatures = signatures(&init.type_).ok_or_else(unsupported)?;
    if init.arguments.is_empty() {
        let is_single = |tuple: &TupleType| tuple.size_range() == super::IntegerRange::exactly(1);
        let (single, tuples): (Vec<_>, Vec<_>) = signatures.into_iter().partition(is_single);
        return Ok(Arguments {
            single: single.into_iter().filter_map(|tuple| tuple.types.into_iter().next()).collect(),
            has_optional_single: tuples.iter().any(|tuple| tuple.size_range().min == 1),
            tuples: tuples.into_iter().map(|tuple| Type::tuple(tuple.types, tuple.size)).collect(),
        });
    }
    let given: Vec<Type> = init.arguments.iter().map(infer_set).collect();
    let fitting = signatures.into_iter().filter(|tuple| takes(tuple, &given));
    let single: Vec<Type> = fitting.filter_map(|tuple| tuple.types.into_iter().next()).collect();
    if single.is_empty() {
        return Err(format!(
            "The type '{}' does not represent a valid set of parameters for {}.new()",
            Type::Init(Some(std::sync::Arc::new(init.clone()))),
            init.type_.generalize().name()
        ));
    }
    Ok(Arguments { single, tuples: Vec::new(), has_optional_single: false })
}

/// Whether `new` can be called with something and the arguments that are given.
fn takes(tuple: &TupleType, given: &[Type]) -> bool {
    let count = super::IntegerRange::exactly(given.len() + 1);
    let first = tuple.types.first().cloned();
    let all = first.into_iter().chain(given.iter().cloned()).collect();
    tuple.size_range().covers(count)
        && Type::tuple(tuple.types.clone(), tuple.size).is_assignable(&Type::tuple(all, None))
}

/// The parameters of `new`, one tuple for each way to call it.
fn signatures(type_: &Type) -> Option<Vec<TupleType>> {
    match type_ {
        Type::Alias(alias) if !alias.is_recursive() => return signatures(alias.resolved()?),
        Type::Object(object) => return Some(object_signatures(object)),
        Type::ObjectExtension(extension) => return Some(object_signatures(&extension.base)),
        _ => (),
    }
    let kind = match type_ {
        Type::Struct(_) => "Hash",
        Type::Tuple(_) => "Array",
        Type::Init(_) | Type::Optional(_) | Type::NotUndef(_) => return None,
        type_ => type_.simple_name(),
    };
    let known = SIGNATURES.read().unwrap_or_else(PoisonError::into_inner).get(kind).cloned();
    if known.is_some() {
        return known;
    }
    let (kind, texts) = NEW.iter().find(|(name, _)| *name == kind)?;
    let parsed: Vec<TupleType> = texts.iter().filter_map(|text| tuple(text)).collect();
    SIGNATURES.write().unwrap_or_else(PoisonError::into_inner).insert(kind, parsed.clone());
    Some(parsed)
}

/// Positional arguments, or a hash of them by name.
fn object_signatures(object: &super::ObjectType) -> Vec<TupleType> {
    let attributes = object.attributes();
    let given = attributes.iter().copied().filter(|member| member.kind.is_given());
    let (required, optional): (Vec<&super::Member>, Vec<&super::Member>) =
        given.partition(|member| member.value.is_none());
    let elements = attributes.iter().filter(|member| member.kind.is_given());
    let by_name = Type::Struct(
        elements
            .map(|member| super::StructElement {
                name: member.name.clone(),
                optional_key: member.value.is_some(),
                value: member.type_.clone(),
            })
            .collect(),
    );
    let count = super::IntegerRange {
        min: super::IntegerRange::exactly(required.len()).min,
        max: super::IntegerRange::exactly(required.len() + optional.len()).max,
    };
    let types = required.iter().chain(&optional).map(|member| member.type_.clone()).collect();
    vec![TupleType::new(vec![by_name], None), TupleType::new(types, Some(count))]
}

static SIGNATURES: LazyLock<RwLock<HashMap<&'static str, Vec<TupleType>>>> =
    LazyLock::new(RwLock::default);

fn tuple(text: &str) -> Option<TupleType> {
    match parse_with_names(&format!("Tuple[{text}]"), &Local) {
        Ok(Type::Tuple(tuple)) => Some((*tuple).clone()),
        _ => None,
    }
}

/// Names that only signatures of `new` use.
struct Local;

impl Names for Local {
    fn find(&self, name: &str) -> Option<Type> {
        let (_, text) = LOCAL.iter().find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        parse_with_names(text, &NoNames).ok()
    }
}

const LOCAL: &[(&str, &str)] = &[
    (
        "ToInteger",
        r"Variant[Numeric, Boolean, Pattern[/\A[+-]?\s*(?:(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\z/], Timespan, Timestamp]",
    ),
    (
        "ToFloat",
        r"Variant[Numeric, Boolean, Pattern[/\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z/], Timespan, Timestamp]",
    ),
    ("Radix", "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]"),
    ("Formats", "Variant[String[2], Array[String[2], 1]]"),
    ("Bound", "Variant[Default, SemVer]"),
    ("Qualifier", r"Pattern[/\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z/]"),
    ("Bytes", "Array[Integer[0, 255]]"),
];

/// How `new` can be called.
const NEW: &[(&str, &[&str])] = &[
    (
        "Integer",
        &[
            "ToInteger, Radix, Boolean, 1, 3",
            "Struct[{from => ToInteger, Optional[radix] => Radix, Optional[abs] => Boolean}]",
        ],
    ),
    ("Float", &["ToFloat, Boolean, 1, 2", "Struct[{from => ToFloat, Optional[abs] => Boolean}]"]),
    ("Numeric", &["ToFloat, Boolean, 1, 2", "Struct[{from => ToFloat, Optional[abs] => Boolean}]"]),
    ("String", &["Any, Variant[Default, String[1], Hash[Type, Any]], 1, 2"]),
    (
        "Boolean",
        &["Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]]"],
    ),
    ("Array", &["Variant[Array,Hash,Binary,Iterable], Boolean[false], 1, 2", "Any, Boolean[true]"]),
    (
        "Hash",
        &[
            "Array[Tuple[Array,Any],1], Enum[tree, hash_tree], 1, 2",
            "Array[Tuple[Any,Any],1]",
            "Any",
        ],
    ),
    ("Regexp", &["String, Boolean, 1, 2"]),
    ("Type", &["String[1]"]),
    ("Sensitive", &["Sensitive", "Any"]),
    ("Unit", &["Any"]),
    (
        "Binary",
        &[
            "String, Enum['%b', '%u', '%B', '%s', '%r'], 1, 2",
            "Bytes",
            "Struct[{value => String, Optional[format] => Enum['%b', '%u', '%B', '%s', '%r']}]",
            "Struct[{value => Bytes}]",
        ],
    ),
    (
        "Timespan",
        &[
            "Variant[Integer, Float]",
            "String[1], Formats, 1, 2",
            "Integer, Integer, Integer, Integer, Integer, Integer, Integer, 4, 7",
            "Struct[{string => String[1], Optional[format] => Formats}]",
            "Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer, Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}]",
        ],
    ),
    (
        "Timestamp",
        &[
            "Unit, 0, 0",
            "Variant[Integer, Float]",
            "String[1], Formats, String[1], 1, 3",
            "Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}]",
        ],
    ),
    (
        "SemVer",
        &[
            r"Pattern[/\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:(?:0|[1-9]\d*)|(?:\d*[A-Za-z-][0-9A-Za-z-]*))(?:\.(?:(?:0|[1-9]\d*)|(?:\d*[A-Za-z-][0-9A-Za-z-]*)))*)?(?:\+(?:[0-9A-Za-z-]+)(?:\.[0-9A-Za-z-]+)*)?\Z/]",
            "Integer[0], Integer[0], Integer[0], Qualifier, Qualifier, 3, 5",
            "Struct[{major => Integer[0], minor => Integer[0], patch => Integer[0], Optional[prerelease] => Qualifier, Optional[build] => Qualifier}]",
        ],
    ),
    (
        "SemVerRange",
        &[
            "String[1]",
            "Bound, Bound, Boolean, 2, 3",
            "Struct[{min => Bound, Optional[max] => Bound, Optional[exclude_max] => Boolean}]",
        ],
    ),
    (
        "URI",
        &[
            "String[1]",
            "Struct[{Optional[scheme] => String[1], Optional[userinfo] => String[1], Optional[host] => String[1], Optional[port] => Integer[0], Optional[path] => String[1], Optional[query] => String[1], Optional[fragment] => String[1], Optional[opaque] => String[1]}]",
        ],
    ),
];
