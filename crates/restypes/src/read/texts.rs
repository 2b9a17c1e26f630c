//! Methods of strings, symbols, paths and numbers.

use std::rc::Rc;

use kukla_regex::Regex;

use super::Reader;
use super::require::{expand, parent};
use super::value::Value;

impl Reader<'_> {
    /// Calls a method of a string or symbol. Most methods return the kind of their receiver.
    pub(super) fn send_text(
        receiver: &Value,
        text: &Rc<str>,
        name: &str,
        args: &[Value],
    ) -> Option<Value> {
        let same = |changed: &str| match receiver {
            Value::Sym(_) => Value::Sym(changed.into()),
            _ => Value::Str(changed.into()),
        };
        Some(match (name, args) {
            ("to_s" | "to_str" | "id2name" | "name", []) => Value::Str(Rc::clone(text)),
            ("to_sym" | "intern", []) => Value::Sym(Rc::clone(text)),
            ("downcase", []) => same(&text.to_lowercase()),
            ("upcase", []) => same(&text.to_uppercase()),
            ("capitalize", []) => same(&capitalized(text)),
            ("strip", []) => same(text.trim()),
            ("chomp", []) => same(text.trim_end_matches(['\n', '\r'])),
            ("chomp" | "delete_suffix", [end]) => {
                same(text.strip_suffix(&**end.text()?).unwrap_or(text))
            }
            ("delete_prefix", [start]) => same(text.strip_prefix(&**start.text()?).unwrap_or(text)),
            ("+", [other]) => same(&format!("{text}{}", other.text()?)),
            ("<<" | "concat", [other]) => same(&format!("{text}{}", other.text()?)),
            ("%", [Value::Array(items)]) => same(&formatted(text, items)?),
            ("%", [other]) => same(&formatted(text, std::slice::from_ref(other))?),
            ("tr", [from, to]) if from.text()?.len() == 1 && to.text()?.len() <= 1 => {
                same(&text.replace(&**from.text()?, to.text()?))
            }
            ("sub" | "gsub", [Value::Regex(source, options), by]) => {
                let regex = Regex::with_options(source, *options).ok()?;
                let by = by.text()?;
                match name {
                    "sub" => same(&regex.sub(text, by).ok()?),
                    _ => same(&regex.gsub(text, by).ok()?),
                }
            }
            ("gsub", [from, by]) => same(&text.replace(&**from.text()?, by.text()?)),
            ("sub", [from, by]) => same(&text.replacen(&**from.text()?, by.text()?, 1)),
            ("split", []) => Value::array(text.split_whitespace().map(Value::str).collect()),
            ("split", [Value::Str(by)]) if !by.is_empty() && **by != *" " => {
                Value::array(text.split(&**by).map(Value::str).collect())
            }
            ("start_with?", [start]) => Value::Bool(text.starts_with(&**start.text()?)),
            ("end_with?", [end]) => Value::Bool(text.ends_with(&**end.text()?)),
            ("include?", [part]) => Value::Bool(text.contains(&**part.text()?)),
            ("empty?", []) => Value::Bool(text.is_empty()),
            ("length" | "size", []) => Value::Int(i64::try_from(text.chars().count()).ok()?),
            _ => return None,
        })
    }

    pub(super) fn send_path(path: &Rc<str>, name: &str, args: &[Value]) -> Option<Value> {
        Some(match (name, args) {
            ("dirname" | "parent", []) => Value::Path(parent(path).into()),
            ("expand_path" | "realpath" | "cleanpath", []) => Value::Path(expand(path, "/").into()),
            ("+" | "join" | "/", [other]) => Value::Path(expand(other.text()?, path).into()),
            ("to_s" | "to_path" | "to_str", []) => Value::Str(Rc::clone(path)),
            _ => return None,
        })
    }

    pub(super) fn send_int(number: i64, name: &str, args: &[Value]) -> Option<Value> {
        Some(match (name, args) {
            ("to_s", []) => Value::str(&number.to_string()),
            ("+", [Value::Int(other)]) => Value::Int(number.checked_add(*other)?),
            ("-", [Value::Int(other)]) => Value::Int(number.checked_sub(*other)?),
            ("<", [Value::Int(other)]) => Value::Bool(number < *other),
            (">", [Value::Int(other)]) => Value::Bool(number > *other),
            _ => return None,
        })
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    first + &chars.as_str().to_lowercase()
}

/// Formats like Ruby's `format`, with `%s`, `%d` and `%%` only.
fn formatted(format: &str, args: &[Value]) -> Option<String> {
    let mut text = String::new();
    let mut args = args.iter();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' => match chars.next()? {
                's' | 'd' => text += &args.next()?.to_s()?,
                '%' => text.push('%'),
                _ => return None,
            },
            c => text.push(c),
        }
    }
    Some(text)
}
