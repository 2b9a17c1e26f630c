//! Values as PuppetDB writes them into its messages.

use serde_json::Value;

/// Returns a value in Clojure's notation: `["=" "certname" nil]`.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(self::value).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!(":{name} {}", self::value(member)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// Returns a value as part of a sentence: a text has no quotes.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => self::value(other),
    }
}

/// Returns `'a', 'b', and 'c'`.
pub(crate) fn list<T: AsRef<str>>(words: &[T]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.as_ref())).collect();
    match quoted.split_last() {
        Some((last, others)) if others.len() > 1 => format!("{}, and {last}", others.join(", ")),
        _ => quoted.join(" and "),
    }
}
