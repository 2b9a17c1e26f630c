//! Functions that look up data.

use std::rc::Rc;

use ecow::EcoString;
use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function, LocalType, Signature, Stop, Strict, issues};
use kukla_lookup::{Query as Lookup, not_found};
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Value, data};
use kukla_rubytext::yaml::{self, LoadOptions};
use kukla_rubytext::{Data, RubyError, hocon, json};

use crate::fault::fault;

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
    Function::typed_with(
        "yaml_data",
        CONTEXT,
        &[
            Signature::new(DATA, |call| {
                data_file(call, |text| {
                    yaml::load(
                        text,
                        LoadOptions {
                            permitted_classes: &["Symbol"],
                            aliases: true,
                            filename: None,
                        },
                    )
                })
            }),
            NO_PATH,
        ],
    ),
    Function::typed_with(
        "json_data",
        CONTEXT,
        &[Signature::new(DATA, |call| data_file(call, json::parse)), NO_PATH],
    ),
    Function::typed_with(
        "hocon_data",
        CONTEXT,
        &[
            Signature::new(DATA, |call| data_file(call, |text| hocon::parse(text, &|_| None))),
            NO_PATH,
        ],
    ),
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

const DATA: &str = "Struct[{path => String[1]}] options, Puppet::LookupContext context";

const NO_PATH: Signature = Signature::mismatch(
    "Hash options, Puppet::LookupContext context",
    |_| {
        Ok(Value::from(
            "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function",
        ))
    },
);

/// Returns the hash in a file of data.
fn data_file(call: &mut Call<'_>, parse: fn(&str) -> Result<Data, RubyError>) -> Eval<Value> {
    let path = call.hash(0).and_then(|options| options.get_str("path")).and_then(Value::as_str);
    let path = path.unwrap_or_default().to_owned();
    if !call.inputs().exists(&path) {
        return fault(format!("No such file or directory @ rb_file_s_stat - {path}"));
    }
    let text = crate::files::read_text(call, &path)?;
    match parse(&text).and_then(data::value) {
        Ok(value @ Value::Hash(_)) => Ok(value),
        Ok(_) => {
            let message = format!("{path}: file does not contain a valid yaml hash");
            if call.strict() == Strict::Error {
                return Err(Stop::issue(issues::function_failed(message), None));
            }
            call.say(Level::Warning, message);
            Ok(Value::hash(Hash::new()))
        }
        Err(error) => fault(format!("Unable to parse ({path}): {error}")),
    }
}

const HIERA: &[Signature] = &[
    Signature::new("Tuple[String, Any, Any, 1, 3] args", |call| match call.array(0) {
        [key] => hiera(call, key, None, &Value::Undef),
        [key, default] => hiera(call, key, Some(default), &Value::Undef),
        [key, default, paths, ..] => hiera(call, key, Some(default), paths),
        [] => Ok(Value::Undef),
    }),
    Signature::new("String key", |call| hiera(call, call.value(0), None, &Value::Undef)),
    Signature::new("String key, Any default, Any override?", |call| {
        hiera(call, call.value(0), Some(call.value(1)), call.value(2))
    }),
    Signature::new("String key, Callable[1, 1] &default_block", |call| {
        hiera(call, call.value(0), None, &Value::Undef)
    }),
    Signature::new("String key, Any override, Callable[1, 1] &default_block", |call| {
        hiera(call, call.value(0), None, call.value(1))
    }),
];

/// The arguments of a lookup.
struct LookupArguments<'a> {
    name: &'a Value,
    type_: Option<&'a Value>,
    default: Option<&'a Value>,
    overrides: Option<&'a Hash>,
    defaults: Option<&'a Hash>,
    merge: Option<&'a Value>,
    /// Set for `hiera` and related functions: the levels before the hierarchy.
    hiera: Option<Rc<[EcoString]>>,
}

fn by_arguments(call: &mut Call<'_>) -> Eval<Value> {
    let query = LookupArguments {
        name: call.value(0),
        type_: call.arguments().get(1),
        default: call.arguments().get(3),
        overrides: None,
        defaults: None,
        merge: call.arguments().get(2),
        hiera: None,
    };
    lookup(call, &query)
}

fn by_options<'a>(call: &mut Call<'a>, name: Option<&'a Value>, at: usize) -> Eval<Value> {
    let Some(options) = call.hash(at) else { return Ok(Value::Undef) };
    let hash = |key: &str| match options.get_str(key) {
        Some(Value::Hash(hash)) => Some(&**hash),
        _ => None,
    };
    let query = LookupArguments {
        name: name.unwrap_or(&Value::Undef),
        type_: options.get_str("value_type"),
        default: options.get_str("default_value"),
        overrides: hash("override"),
        defaults: hash("default_values_hash"),
        merge: options.get_str("merge"),
        hiera: None,
    };
    lookup(call, &query)
}

fn lookup(call: &mut Call<'_>, query: &LookupArguments<'_>) -> Eval<Value> {
    let names: Vec<EcoString> = match query.name {
        Value::Array(names) => names.iter().map(|name| call.text(name).into()).collect(),
        name => vec![call.text(name).into()],
    };
    let type_ = match query.type_ {
        Some(Value::Type(type_)) => Some(&**type_),
        _ => None,
    };
    let shared = |hash: Option<&Hash>| hash.map(|hash| Rc::new(hash.clone()));
    let default = query.default.filter(|_| !call.has_block()).cloned();
    let lookup = Lookup {
        type_,
        merge: query.merge.filter(|merge| !merge.is_undef()),
        default,
        overrides: shared(query.overrides),
        default_values: shared(query.defaults),
        hiera: query.hiera.clone(),
        ..Lookup::new(&names)
    };
    if let Some(value) = call.look_up(&lookup)? {
        return Ok(value);
    }
    if call.has_block() {
        let value = call.call_block(std::slice::from_ref(query.name))?;
        if let Some(type_) = type_ {
            mismatch::assert_instance("Value returned from default block", type_, &value)
                .map_err(|error| Stop::fault(issues::return_mismatch(error)))?;
        }
        return Ok(value);
    }
    Err(Stop::issue(issues::data_not_found(not_found(&names).message), None))
}

fn hiera(call: &mut Call<'_>, key: &Value, default: Option<&Value>, paths: &Value) -> Eval<Value> {
    let (name, url) = (call.name(), call.edition().deprecated_language_url());
    call.warn_once(
        name,
        &format!("The function '{name}' is deprecated in favor of using 'lookup'. See {url}"),
    );
    let merge = match name {
        "hiera_array" | "hiera_include" => Some(Value::from("unique")),
        "hiera_hash" => Some(Value::from("hash")),
        _ => None,
    };
    let query = LookupArguments {
        name: key,
        type_: None,
        default,
        overrides: None,
        defaults: None,
        merge: merge.as_ref(),
        hiera: Some(extra_paths(paths)),
    };
    let value = lookup(call, &query)?;
    if name != "hiera_include" {
        return Ok(value);
    }
    match &value {
        Value::Undef => kukla_compiler::fault(issues::data_not_found(format!(
            "Could not find data item {}",
            call.text(key)
        ))),
        Value::Array(names) if names.is_empty() => Ok(Value::Undef),
        Value::String(names) if names.is_empty() => Ok(Value::Undef),
        Value::Hash(hash) if hash.is_empty() => Ok(Value::Undef),
        _ => call.call_function("include", &[value]),
    }
}

/// Returns the levels before the hierarchy of version 3.
fn extra_paths(paths: &Value) -> Rc<[EcoString]> {
    match paths {
        Value::String(path) => Rc::from([path.clone()]),
        Value::Array(paths) => {
            paths.iter().filter_map(Value::as_str).map(EcoString::from).collect()
        }
        _ => Rc::from([]),
    }
}
