//! Functions that write and parse JSON, YAML, TOML, HOCON, Base64 and data of programming languages.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::richdata::{self, Options};
use kukla_pcore::{Hash, Value, data, ruby};
use kukla_rubytext::json::{self, Style};
use kukla_rubytext::yaml::{self, DumpOptions, LoadOptions};
use kukla_rubytext::{Data, RubyError, base64, hocon, inspect, toml};

use super::ruby_like::{nested, raised, refuse};
use super::sensitive::rewrapped;
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed("to_json", &[Signature::new("Any data", |call| to_json(call.value(0)))]),
    Function::typed(
        "stdlib::to_json",
        &[Signature::new("Any data", |call| rewrapped(call.value(0), to_json))],
    ),
    Function::typed(
        "to_json_pretty",
        &[Signature::new(PRETTY, |call| to_json_pretty(call, &data_to_write(call)))],
    ),
    Function::typed(
        "stdlib::to_json_pretty",
        &[Signature::new(PRETTY, |call| {
            rewrapped(&data_to_write(call), |data| to_json_pretty(call, data))
        })],
    ),
    Function::typed(
        "to_yaml",
        &[Signature::new("Any data, Hash options?", |call| to_yaml(call, call.value(0)))],
    ),
    Function::typed(
        "stdlib::to_yaml",
        &[Signature::new("Any data, Hash options?", |call| {
            rewrapped(call.value(0), |data| to_yaml(call, data))
        })],
    ),
    Function::typed(
        "to_toml",
        &[Signature::returning("Hash data", "String", |call| to_toml(call.value(0)))],
    ),
    Function::typed(
        "stdlib::to_toml",
        &[Signature::returning("Hash data", "Variant[String, Sensitive[String]]", |call| {
            rewrapped(call.value(0), to_toml)
        })],
    ),
    Function::typed("to_python", TO_PYTHON),
    Function::typed("stdlib::to_python", TO_PYTHON),
    Function::typed("to_ruby", TO_RUBY),
    Function::typed("stdlib::to_ruby", TO_RUBY),
    Function::untyped("parsejson", -1, |call| read(call, json::parse)),
    Function::untyped("parseyaml", -1, |call| read(call, parse_yaml)),
    Function::typed("parsehocon", PARSEHOCON),
    Function::typed("stdlib::parsehocon", PARSEHOCON),
    Function::typed(
        "parsepson",
        &[Signature::new("String[1] pson_string, Any default?", parse_pson)],
    ),
    Function::untyped("base64", -1, base64_),
];

const PRETTY: &str = "Variant[Hash, Array] data, Optional[Boolean] skip_undef?, Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}] opts?";

const TO_PYTHON: &[Signature] =
    &[Signature::new("Any object", |call| program(call.value(0), &PYTHON).map(Value::from))];

const TO_RUBY: &[Signature] =
    &[Signature::new("Any object", |call| program(call.value(0), &RUBY).map(Value::from))];

const PARSEHOCON: &[Signature] = &[Signature::new("String hocon_string, Any default?", |call| {
    let read = hocon::parse(call.string(0), &|_| None);
    match &read {
        // The default is only for syntax errors.
        Err(error) if !is_syntax_error(error) => fault(error.message.clone()),
        _ => or_default(call, read),
    }
})];

/// Returns true if Ruby's library counts it as an error in the text.
fn is_syntax_error(error: &RubyError) -> bool {
    ["ConfigParseError", "UnresolvedSubstitutionError"]
        .iter()
        .any(|name| error.class.ends_with(name))
}

fn to_json(value: &Value) -> Eval<Value> {
    // Values other than arrays and hashes are written too.
    json::generate(&data::plain(value), &Style::compact()).map(Value::from).map_err(raised)
}

/// Returns the value to write, optionally without `undef`.
fn data_to_write(call: &Call<'_>) -> Value {
    match (call.value(0), call.value(1).is_truthy()) {
        (Value::Array(values), true) => {
            Value::array(values.iter().filter(|value| !value.is_undef()).cloned())
        }
        (Value::Hash(hash), true) => {
            let defined = hash.iter().filter(|(_, value)| !value.is_undef());
            Value::hash(defined.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        (value, _) => value.clone(),
    }
}

fn to_json_pretty(call: &Call<'_>, value: &Value) -> Eval<Value> {
    let mut style = Style::pretty();
    if let Some(options) = call.hash(2) {
        change_style(&mut style, options);
    }
    let text = json::generate(&data::plain(value), &style).map_err(raised)?;
    Ok(Value::from(text + "\n"))
}

fn change_style(style: &mut Style, options: &Hash) {
    let text = |name: &str, part: &mut String| {
        if let Some(Value::String(text)) = options.get_str(name) {
            *part = text.to_string();
        }
    };
    text("indent", &mut style.indent);
    text("space", &mut style.space);
    text("space_before", &mut style.space_before);
    text("object_nl", &mut style.object_nl);
    text("array_nl", &mut style.array_nl);
    if let Some(Value::Boolean(allowed)) = options.get_str("allow_nan") {
        style.allow_nan = *allowed;
    }
    if let Some(Value::Integer(depth)) = options.get_str("max_nesting") {
        style.max_nesting = usize::try_from(*depth).unwrap_or(0);
    }
}

fn to_yaml(call: &Call<'_>, value: &Value) -> Eval<Value> {
    if !is_yaml(value) {
        return fault(format!("{}() of values that are no data is not there yet", call.name()));
    }
    let mut names = call.hash(1).into_iter().flat_map(Hash::keys);
    if let Some(name) = names.find(|name| name.as_str().is_none()) {
        let advice = match name {
            Value::Integer(_) | Value::Float(_) => "\nDid you mean?  to_s",
            _ => "",
        };
        return fault(format!("{}{advice}", ruby::no_method("to_sym", name)));
    }
    let number = |name: &str| match call.hash(1).and_then(|options| options.get_str(name)) {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    };
    let options =
        DumpOptions { indentation: number("indentation"), line_width: number("line_width") };
    yaml::write(value, options).map(Value::from).map_err(raised)
}

/// Returns true if the YAML form of a value is known; that of Ruby's own objects is not.
fn is_yaml(value: &Value) -> bool {
    match value {
        Value::Default => true,
        Value::Array(values) => nested(|| values.iter().all(is_yaml)),
        Value::Hash(hash) => {
            nested(|| hash.iter().all(|(key, value)| is_yaml(key) && is_yaml(value)))
        }
        other => data::is_plain(other),
    }
}

fn to_toml(value: &Value) -> Eval<Value> {
    toml::write(&data::plain(value)).map(Value::from).map_err(raised)
}

/// The notation of data in a programming language.
struct Notation {
    undef: &'static str,
    booleans: [&'static str; 2],
    arrow: &'static str,
}

const PYTHON: Notation = Notation { undef: "None", booleans: ["False", "True"], arrow: ": " };
const RUBY: Notation = Notation { undef: "nil", booleans: ["false", "true"], arrow: " => " };

fn program(value: &Value, language: &Notation) -> Eval<String> {
    let options = Options::default();
    let data = richdata::to_data(value, &options, &mut |_| Ok(()))
        .map_err(|error| crate::fault::failed(error.to_string()))?;
    Ok(literal(&data, language))
}

fn literal(data: &Value, language: &Notation) -> String {
    match data {
        Value::Undef => language.undef.to_owned(),
        Value::Boolean(value) => language.booleans[usize::from(*value)].to_owned(),
        Value::String(text) => inspect::inspect(text),
        Value::Array(values) => {
            let literals = || values.iter().map(|value| literal(value, language));
            let values: Vec<String> = nested(|| literals().collect());
            format!("[{}]", values.join(", "))
        }
        Value::Hash(hash) => {
            let entry = |(key, value): (&Value, &Value)| {
                format!("{}{}{}", literal(key, language), language.arrow, literal(value, language))
            };
            format!("{{{}}}", nested(|| hash.iter().map(entry).collect::<Vec<_>>()).join(", "))
        }
        other => ruby::inspect(other),
    }
}

/// Implements `parsejson` and `parseyaml`: returns the parsed value, or the default.
fn read(call: &mut Call<'_>, parse: fn(&str) -> Result<Data, RubyError>) -> Eval<Value> {
    let [text, rest @ ..] = call.arguments() else {
        return crate::fault::wrong_arguments(
            "Wrong number of arguments. 1 or 2 arguments should be provided.",
        );
    };
    let default = rest.first().cloned().unwrap_or_default();
    let parsed = match text {
        Value::String(text) => parse(text).and_then(data::value),
        other => Err(RubyError::type_(ruby::no_implicit_conversion(other))),
    };
    match parsed {
        Ok(value) if value.is_truthy() => Ok(value),
        Ok(_) => Ok(default),
        Err(_) if default.is_truthy() => Ok(default),
        Err(error) => fault(error.message),
    }
}

/// Implements `parsepson`. PSON is JSON whose outermost value is an array or a hash.
pub(super) fn parse_pson(call: &mut Call<'_>) -> Eval<Value> {
    let text = call.string(0);
    let document = without_comments(text);
    let read = match document.chars().next() {
        Some('[' | '{') => json::parse(text),
        None => Err(RubyError::type_("source did not contain any PSON!".to_owned())),
        // Ruby's scanner looks at the first 20 bytes.
        Some(_) => {
            let excerpt = String::from_utf8_lossy(&document.as_bytes()[..document.len().min(20)]);
            Err(RubyError::type_(format!("source '{excerpt}' not in PSON!")))
        }
    };
    or_default(call, read)
}

/// Skips white space and comments.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let next = match rest.get(..2) {
            Some("//") => rest.split_once('\n').map(|(_, rest)| rest),
            Some("/*") => rest.split_once("*/").map(|(_, rest)| rest),
            _ => None,
        };
        match next {
            Some(next) => rest = next.trim_start(),
            None => return rest,
        }
    }
}

/// Parses as Ruby's `YAML.load` does.
pub(super) fn parse_yaml(text: &str) -> Result<Data, RubyError> {
    let options = LoadOptions { permitted_classes: &["Symbol"], ..LoadOptions::default() };
    yaml::load(text, options)
}

fn or_default(call: &Call<'_>, read: Result<Data, RubyError>) -> Eval<Value> {
    match (read.and_then(data::value), call.arguments().get(1)) {
        (Ok(value), _) => Ok(value),
        (Err(_), Some(default)) => Ok(default.clone()),
        (Err(error), None) => fault(error.message),
    }
}

fn base64_(call: &mut Call<'_>) -> Eval<Value> {
    let [action, text, rest @ ..] = call.arguments() else {
        let n = call.arguments().len();
        return refuse(call, &format!("Wrong number of arguments ({n}; must be >= 2)"));
    };
    let Some(action @ ("encode" | "decode")) = action.as_str() else {
        return refuse(call, "the first argument must be one of 'encode' or 'decode'");
    };
    let Value::String(text) = text else {
        return refuse(call, "the second argument must be a string to base64");
    };
    let method = rest.first().map_or(Some("default"), Value::as_str);
    let Some(method @ ("default" | "strict" | "urlsafe")) = method else {
        return refuse(call, "the third argument must be one of 'default', 'strict', or 'urlsafe'");
    };
    let bytes = match (action, method) {
        ("encode", "default") => return Ok(Value::from(base64::encode(text.as_bytes()))),
        ("encode", "strict") => return Ok(Value::from(base64::strict_encode(text.as_bytes()))),
        ("encode", _) => return Ok(Value::from(base64::urlsafe_encode(text.as_bytes()))),
        (_, "default") => base64::decode(text),
        (_, "strict") => base64::strict_decode(text).map_err(raised)?,
        _ => base64::urlsafe_decode(text).map_err(raised)?,
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(call.text_of_bytes(&text)),
        // Puppet has a text without encoding here, which is Binary in a catalog.
        Err(error) => Ok(Value::Binary(error.into_bytes().into())),
    }
}
