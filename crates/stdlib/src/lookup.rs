//! Functions that look up data.
//!
//! There is no data yet but what a call itself gives: overrides, defaults and blocks.

use kukla_compiler::{Call, Eval, Function, LocalType, Signature, Stop, fault};
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Value};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed_with(
        "lookup",
        TYPES,
        &[
            Signature::new("NameType name, ValueType value_type?, MergeType merge?", by_arguments),
            Signature::new(
                "NameType name, Optional[ValueType] value_type, Optional[MergeType] merge, DefaultValueType default_value",
                by_arguments,
            ),
            Signature::new(
                "NameType name, ValueType value_type?, MergeType merge?, BlockType &block",
                by_arguments,
            ),
            Signature::new("OptionsWithName options_hash, BlockType &block?", |call| {
                by_options(call, call.hash(0).and_then(|options| options.get_str("name")), 0)
            }),
            Signature::new(
                "Variant[String, Array[String]] name, OptionsWithoutName options_hash, BlockType &block?",
                |call| by_options(call, Some(call.value(0)), 1),
            ),
        ],
    ),
    Function::typed("hiera", HIERA),
    Function::typed("hiera_array", HIERA),
    Function::typed("hiera_hash", HIERA),
    Function::typed("hiera_include", HIERA),
    Function::typed_with("yaml_data", CONTEXT, DATA),
    Function::typed_with("json_data", CONTEXT, DATA),
    Function::typed_with("hocon_data", CONTEXT, DATA),
    Function::typed_with(
        "eyaml_lookup_key",
        CONTEXT,
        &[Signature::new(
            "String[1] key, Hash[String[1], Any] options, Puppet::LookupContext context",
            |call| crate::catalog::unavailable(call),
        )],
    ),
];

const TYPES: &[LocalType] = &[
    LocalType { name: "NameType", type_: "Variant[String, Array[String]]" },
    LocalType { name: "ValueType", type_: "Type" },
    LocalType { name: "DefaultValueType", type_: "Any" },
    LocalType { name: "MergeType", type_: "Variant[String[1], Hash[String, Scalar]]" },
    LocalType { name: "BlockType", type_: "Callable[NameType]" },
    LocalType {
        name: "OptionsWithName",
        type_: "Struct[{name => NameType, value_type => Optional[ValueType], \
                default_value => Optional[DefaultValueType], override => Optional[Hash[String, Any]], \
                default_values_hash => Optional[Hash[String, Any]], merge => Optional[MergeType]}]",
    },
    LocalType {
        name: "OptionsWithoutName",
        type_: "Struct[{value_type => Optional[ValueType], \
                default_value => Optional[DefaultValueType], override => Optional[Hash[String, Any]], \
                default_values_hash => Optional[Hash[String, Any]], merge => Optional[MergeType]}]",
    },
];

const CONTEXT: &[LocalType] = &[LocalType {
    name: "Puppet::LookupContext",
    type_: "Object[{name => 'Puppet::LookupContext'}]",
}];

const DATA: &[Signature] = &[
    Signature::new("Struct[{path => String[1]}] options, Puppet::LookupContext context", |call| {
        crate::catalog::unavailable(call)
    }),
    Signature::mismatch("Hash options, Puppet::LookupContext context", |_| {
        Ok(Value::from(
            "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function",
        ))
    }),
];

const HIERA: &[Signature] = &[
    Signature::new("Tuple[String, Any, Any, 1, 3] args", |call| match call.array(0) {
        [key] => hiera(call, key, None),
        [key, default, ..] => hiera(call, key, Some(default)),
        [] => Ok(Value::Undef),
    }),
    Signature::new("String key", |call| hiera(call, call.value(0), None)),
    Signature::new("String key, Any default, Any override?", |call| {
        hiera(call, call.value(0), Some(call.value(1)))
    }),
    Signature::new("String key, Callable[1, 1] &default_block", |call| {
        hiera(call, call.value(0), None)
    }),
    Signature::new("String key, Any override, Callable[1, 1] &default_block", |call| {
        hiera(call, call.value(0), None)
    }),
];

/// What is looked up, and how.
struct Query<'a> {
    name: &'a Value,
    type_: Option<&'a Value>,
    default: Option<&'a Value>,
    overrides: Option<&'a Hash>,
    defaults: Option<&'a Hash>,
    merge: Option<&'a Value>,
}

fn by_arguments(call: &mut Call<'_>) -> Eval<Value> {
    let query = Query {
        name: call.value(0),
        type_: call.arguments().get(1),
        default: call.arguments().get(3),
        overrides: None,
        defaults: None,
        merge: call.arguments().get(2),
    };
    lookup(call, &query)
}

fn by_options<'a>(call: &mut Call<'a>, name: Option<&'a Value>, at: usize) -> Eval<Value> {
    let Some(options) = call.hash(at) else { return Ok(Value::Undef) };
    let hash = |key: &str| match options.get_str(key) {
        Some(Value::Hash(hash)) => Some(&**hash),
        _ => None,
    };
    let query = Query {
        name: name.unwrap_or(&Value::Undef),
        type_: options.get_str("value_type"),
        default: options.get_str("default_value"),
        overrides: hash("override"),
        defaults: hash("default_values_hash"),
        merge: options.get_str("merge"),
    };
    lookup(call, &query)
}

fn lookup(call: &mut Call<'_>, query: &Query<'_>) -> Eval<Value> {
    let names: Vec<&Value> = match query.name {
        Value::Array(names) => names.iter().collect(),
        name => vec![name],
    };
    for name in &names {
        if let Some(value) = query.overrides.and_then(|overrides| overrides.get(name)) {
            return found(
                query,
                value,
                &format!("Value found for key '{}' in override hash", call.text(name)),
            );
        }
        check_merge(query.merge)?;
    }
    for name in &names {
        if let Some(value) = query.defaults.and_then(|defaults| defaults.get(name)) {
            return found(
                query,
                value,
                &format!("Value found for key '{}' in default values hash", call.text(name)),
            );
        }
    }
    if call.has_block() {
        let value = call.call_block(std::slice::from_ref(query.name))?;
        return found(query, &value, "Value returned from default block");
    }
    match query.default {
        Some(default) => found(query, default, "Default value"),
        None => Err(Stop::issue(not_found(call, &names), None)),
    }
}

fn found(query: &Query<'_>, value: &Value, subject: &str) -> Eval<Value> {
    if let Some(Value::Type(type_)) = query.type_ {
        mismatch::assert_instance(subject, type_, value).map_err(Stop::fault)?;
    }
    Ok(value.clone())
}

fn not_found(call: &Call<'_>, names: &[&Value]) -> String {
    match names {
        [name] => {
            format!("Function lookup() did not find a value for the name '{}'", call.text(name))
        }
        names => {
            let quoted: Vec<String> =
                names.iter().map(|name| format!("'{}'", call.text(name))).collect();
            format!(
                "Function lookup() did not find a value for any of the names [{}]",
                quoted.join(", ")
            )
        }
    }
}

/// Whether there is a strategy of that name.
fn check_merge(merge: Option<&Value>) -> Eval<()> {
    let strategy = match merge {
        None | Some(Value::Undef) => return Ok(()),
        Some(Value::Hash(options)) => match options.get_str("strategy") {
            None | Some(Value::Undef) => {
                return fault(
                    "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
                );
            }
            Some(strategy) => strategy,
        },
        Some(strategy) => strategy,
    };
    const KNOWN: &[&str] =
        &["first", "default", "unique", "hash", "deep", "unconstrained_deep", "reverse_deep"];
    match strategy.as_str() {
        Some(name) if KNOWN.contains(&name) => Ok(()),
        _ => fault(format!("Unknown merge strategy: '{}'", kukla_pcore::ruby::to_s(strategy))),
    }
}

fn hiera(call: &mut Call<'_>, key: &Value, default: Option<&Value>) -> Eval<Value> {
    let name = call.name();
    call.warn_once(name, &format!(
        "The function '{name}' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/7.23/deprecated_language.html"
    ));
    let query =
        Query { name: key, type_: None, default, overrides: None, defaults: None, merge: None };
    let value = lookup(call, &query)?;
    if name != "hiera_include" {
        return Ok(value);
    }
    match &value {
        Value::Undef => fault(format!("Could not find data item {}", call.text(key))),
        Value::Array(names) if names.is_empty() => Ok(Value::Undef),
        Value::String(names) if names.is_empty() => Ok(Value::Undef),
        Value::Hash(hash) if hash.is_empty() => Ok(Value::Undef),
        _ => call.call_function("include", &[value]),
    }
}
