//! `shellquote`.

use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::{Value, ruby};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[Function::untyped("shellquote", -1, shellquote)];

fn shellquote(call: &mut Call<'_>) -> Eval<Value> {
    let mut words = Vec::new();
    for argument in call.arguments() {
        quote_all(argument, &mut words)?;
    }
    Ok(Value::from(words.join(" ")))
}

fn quote_all(value: &Value, words: &mut Vec<String>) -> Eval<()> {
    match value {
        Value::Array(values) => values.iter().try_for_each(|value| quote_all(value, words)),
        Value::String(word) => {
            words.push(quote(word));
            Ok(())
        }
        Value::Hash(_) => fault(ruby::no_implicit_conversion(value)),
        Value::Type(type_) if ruby::is_resource(type_) => {
            fault(ruby::no_implicit_conversion(value))
        }
        Value::Default => fault(ruby::no_method("count", value)),
        other => fault(ruby::no_method("length", other)),
    }
}

fn is_safe(character: char) -> bool {
    character.is_ascii_alphanumeric() || "@%_+=:,./-".contains(character)
}

/// Returns true for a character that is special to a shell even in double quotes.
fn is_dangerous(character: char) -> bool {
    matches!(character, '!' | '"' | '`' | '$' | '\\')
}

fn quote(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_safe) {
        return word.to_owned();
    }
    if !word.contains(is_dangerous) {
        return format!("\"{word}\"");
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let mut quoted = String::from("\"");
    for character in word.chars() {
        if is_dangerous(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}
