//! `sprintf` and `scanf`.

use std::borrow::Cow;

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::sprintf::{self, Argument, Kind};
use kukla_rubytext::{Data, scanf};

use crate::fault::{failed, fault};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::untyped("sprintf", -2, sprintf_),
    Function::typed(
        "scanf",
        &[Signature::new("String data, String format, Callable &block?", scanf_)],
    ),
];

/// A value to format.
struct Formatted<'a> {
    value: &'a Value,
    class: Cow<'static, str>,
    /// The values of a hash.
    entries: Vec<Formatted<'a>>,
}

impl<'a> Formatted<'a> {
    fn new(value: &'a Value) -> Self {
        let entries = match value {
            Value::Hash(hash) => hash.values().map(Self::plain).collect(),
            _ => Vec::new(),
        };
        Self { entries, ..Self::plain(value) }
    }

    fn plain(value: &'a Value) -> Self {
        let class = match value {
            Value::Type(type_) if ruby::is_resource(type_) => Cow::Borrowed("Puppet::Resource"),
            other => ruby::class_name(other),
        };
        Self { value, class, entries: Vec::new() }
    }
}

impl Argument for Formatted<'_> {
    fn kind(&self) -> Kind<'_> {
        match self.value {
            Value::Undef => Kind::Nil,
            Value::Integer(value) => Kind::Int(*value),
            Value::Float(value) => Kind::Float(*value),
            Value::String(text) => Kind::Str(text),
            Value::Hash(_) => Kind::Hash,
            Value::Boolean(value) => Kind::Other(if *value { "true" } else { "false" }),
            _ => Kind::Other(&self.class),
        }
    }

    fn to_s(&self) -> Cow<'_, str> {
        match self.value {
            Value::String(text) => text.as_str().into(),
            other => ruby::resource_to_s(other).into(),
        }
    }

    fn inspect(&self) -> Cow<'_, str> {
        ruby::resource_inspect(self.value).into()
    }

    fn entry(&self, name: &str) -> Option<&dyn Argument> {
        let Value::Hash(hash) = self.value else { return None };
        let index = hash.keys().position(|key| key.as_str() == Some(name))?;
        self.entries.get(index).map(|value| value as &dyn Argument)
    }
}

fn sprintf_(call: &mut Call<'_>) -> Eval<Value> {
    let [format, values @ ..] = call.arguments() else { return Ok(Value::Undef) };
    let Value::String(format) = format else {
        return fault(ruby::no_implicit_conversion(format));
    };
    formatted(format, values)
}

/// Formats values as Ruby's `sprintf` does.
pub(crate) fn formatted(format: &str, values: &[Value]) -> Eval<Value> {
    let values: Vec<Formatted<'_>> = values.iter().map(Formatted::new).collect();
    let arguments: Vec<&dyn Argument> = values.iter().map(|value| value as _).collect();
    let text = sprintf::format(format, &arguments);
    Ok(Value::from(text.map_err(|error| failed(error.message))?))
}

fn scanf_(call: &mut Call<'_>) -> Eval<Value> {
    let scanned =
        scanf::scanf(call.string(0), call.string(1)).map_err(|error| failed(error.message))?;
    let values: Eval<Vec<Value>> = scanned.iter().map(value).collect();
    let result = Value::array(values?);
    if call.has_block() { call.call_block(&[result]) } else { Ok(result) }
}

/// Converts a scanned number or text.
fn value(data: &Data) -> Eval<Value> {
    match data {
        Data::Int(value) => Ok(Value::Integer(*value)),
        Data::Float(value) => Ok(Value::Float(*value)),
        Data::Str(text) => Ok(Value::from(text.as_str())),
        Data::Nil => Ok(Value::Undef),
        _ => fault("the number does not fit in an Integer"),
    }
}
