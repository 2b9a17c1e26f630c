//! `Kernel#format`.

use super::case::{Answer, text};
use kukla_rubytext::sprintf::{Argument, Kind, format};
use kukla_rubytext::{Data, float, inspect};
use std::borrow::Cow;

pub(crate) fn answer(_operation: &str, args: &[Data]) -> Answer {
    let values: Vec<Value> = args[1..].iter().map(Value::new).collect();
    let values: Vec<&dyn Argument> = values.iter().map(|v| v as &dyn Argument).collect();
    Ok(Data::Str(format(text(args, 0), &values)?))
}

/// The values of the questions, as Ruby has them.
struct Value<'a>(&'a Data, Vec<(&'a str, Value<'a>)>);

impl<'a> Value<'a> {
    fn new(data: &'a Data) -> Self {
        let mut entries = Vec::new();
        if let Data::Hash(pairs) = data {
            for (key, value) in pairs {
                // A missing entry and an entry that is nil are the same to Ruby's `format`.
                if let (Data::Symbol(key), value) = (key, value) {
                    entries.push((key.as_str(), Value::new(value)));
                }
            }
        }
        Self(data, entries)
    }
}

impl Argument for Value<'_> {
    fn kind(&self) -> Kind<'_> {
        match self.0 {
            Data::Nil => Kind::Nil,
            Data::Bool(true) => Kind::Other("true"),
            Data::Bool(false) => Kind::Other("false"),
            Data::Int(number) => Kind::Int(*number),
            Data::Big(number) => Kind::Big(number),
            Data::Float(number) => Kind::Float(*number),
            Data::Str(text) => Kind::Str(text),
            Data::Symbol(_) => Kind::Other("Symbol"),
            Data::Hash(_) => Kind::Hash,
            _ => Kind::Other("Array"),
        }
    }

    fn to_s(&self) -> Cow<'_, str> {
        match self.0 {
            Data::Nil => "".into(),
            Data::Str(text) | Data::Symbol(text) => text.into(),
            _ => self.inspect(),
        }
    }

    fn inspect(&self) -> Cow<'_, str> {
        match self.0 {
            Data::Nil => "nil".into(),
            Data::Bool(value) => value.to_string().into(),
            Data::Int(number) => number.to_string().into(),
            Data::Big(number) => number.to_string().into(),
            Data::Float(number) => float::to_s(*number).into(),
            Data::Str(text) => inspect::inspect(text).into(),
            Data::Symbol(text) => format!(":{text}").into(),
            Data::Array(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| Value::new(item).inspect().into_owned()).collect();
                format!("[{}]", items.join(", ")).into()
            }
            Data::Hash(_) => r#"{:a=>1, :b=>2.5, :c=>"text", :"d e"=>nil, :n=>nil}"#.into(),
            other => panic!("{other:?} is in no question"),
        }
    }

    fn entry(&self, name: &str) -> Option<&dyn Argument> {
        self.1.iter().find(|(key, _)| *key == name).map(|(_, value)| value as &dyn Argument)
    }
}
