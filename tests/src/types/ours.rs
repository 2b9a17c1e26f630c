//! Kukla's answers.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use kukla_pcore::types::mismatch::{self, Signature, describe_mismatch, describe_signatures};
use kukla_pcore::types::parse::parse_literal;
use kukla_pcore::types::{
    CallableType, Names, ParseError, Type, TypeAlias, common_type, infer, infer_set, parse,
};
use kukla_pcore::value::Value as Datum;
use serde_json::{Map, Value, json};

use super::Question;

/// Type aliases.
#[derive(Debug, Default)]
pub struct Environment {
    aliases: Vec<Arc<TypeAlias>>,
}

impl Environment {
    /// Defines aliases, which may refer to each other.
    pub fn new(aliases: &[(&str, &str)]) -> Result<Self> {
        let all = aliases.iter().map(|(name, _)| Arc::new(TypeAlias::new(*name))).collect();
        let environment = Self { aliases: all };
        for (alias, (_, text)) in environment.aliases.iter().zip(aliases) {
            let type_ = parse(text, &environment).map_err(|error| anyhow!("{error}"))?;
            alias.resolve(&type_).map_err(|error| anyhow!("{error}"))?;
        }
        Ok(environment)
    }
}

impl Names for Environment {
    fn find(&self, name: &str) -> Option<Type> {
        let alias = self.aliases.iter().find(|alias| alias.name.eq_ignore_ascii_case(name))?;
        Some(Type::Alias(Arc::clone(alias)))
    }
}

/// Returns our answers to a question.
pub fn ours(question: &Question, names: &Environment) -> Value {
    let mut answer = Map::new();
    let a = parse(&question.a, names);
    let b = parse(&question.b, names);
    about_type(&mut answer, "a", &a);
    about_type(&mut answer, "b", &b);
    if let (Ok(a), Ok(b)) = (&a, &b) {
        about_pair(&mut answer, a, b);
        if let Ok(value) = parse_literal(&question.value, names) {
            about_value(&mut answer, a, b, &value);
        }
    }
    Value::Object(answer)
}

fn about_type(answer: &mut Map<String, Value>, key: &str, type_: &Result<Type, ParseError>) {
    let type_ = match type_ {
        Ok(type_) => type_,
        Err(error) => {
            answer.insert(key.to_owned(), json!({ "error": error.to_string() }));
            return;
        }
    };
    let mut add = |what: &str, text: String| answer.insert(format!("{key}{what}"), json!(text));
    add("", type_.to_string());
    add(".text", type_.text());
    add(".expanded", type_.expanded());
    add(".generalize", type_.generalize().to_string());
    add(".normalize", type_.normalize().to_string());
}

fn about_pair(answer: &mut Map<String, Value>, a: &Type, b: &Type) {
    let mut add = |what: &str, value: Value| answer.insert(what.to_owned(), value);
    add("assignable", json!(a.is_assignable(b)));
    add("assignable.back", json!(b.is_assignable(a)));
    add("common", json!(common_type(a, b).to_string()));
    add("equal", json!(a == b));
    add("mismatch", json!(describe_mismatch("x", a, b)));
}

fn about_value(answer: &mut Map<String, Value>, a: &Type, b: &Type, value: &Datum) {
    let mut add = |what: &str, value: Value| answer.insert(what.to_owned(), value);
    add("infer", json!(infer(value).to_string()));
    add("infer_set", json!(infer_set(value).to_string()));
    add("instance", json!(a.is_instance(value)));
    add("instance.b", json!(b.is_instance(value)));
    add(
        "assert",
        match mismatch::assert_instance("x", a, value) {
            Ok(()) => json!(""),
            Err(error) => json!({ "error": error.to_string() }),
        },
    );
    if let Datum::Array(arguments) = value {
        let arguments: Vec<Type> = arguments.iter().map(infer_set).collect();
        add("signatures", json!(call(&[a, b], &arguments)));
    }
}

/// Returns the error of a call of the types that are callables.
fn call(types: &[&Type], arguments: &[Type]) -> Option<String> {
    let callables: Vec<&CallableType> = types
        .iter()
        .filter_map(|type_| match type_ {
            Type::Callable(callable) if callable.parameters.is_some() => Some(&**callable),
            _ => None,
        })
        .collect();
    let names: Vec<String> = (0..32).map(|index| format!("p{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let signatures: Vec<Signature<'_>> = callables
        .iter()
        .map(|type_| {
            let count = type_.parameters.as_ref().map_or(0, |tuple| tuple.types.len());
            Signature { type_, names: &names[..count], block_name: "block" }
        })
        .collect();
    describe_signatures("f", &signatures, arguments)
}
