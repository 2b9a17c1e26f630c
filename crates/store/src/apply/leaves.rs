//! Single values within values of facts, and the places where they are.

use serde_json::Value;

use crate::json;

/// A single value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Its place, a JSON array.
    pub(super) path: String,
    /// The number of elements of the place.
    pub(super) depth: i64,
    /// Its type.
    pub(super) type_: &'static str,
    /// The value as JSON.
    pub(super) value: String,
}

/// Returns the single values of a fact; empty arrays and hashes have none.
pub(super) fn of(name: &str, value: &Value) -> Vec<Leaf> {
    let mut path = String::from("[");
    json::string(name, &mut path);
    let mut leaves = Vec::new();
    add(value, &mut path, 1, &mut leaves);
    leaves
}

fn add(value: &Value, path: &mut String, depth: i64, leaves: &mut Vec<Leaf>) {
    let length = path.len();
    match value {
        Value::Array(values) => {
            for (n, value) in values.iter().enumerate() {
                path.push(',');
                path.push_str(&n.to_string());
                add(value, path, depth + 1, leaves);
                path.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                path.push(',');
                json::string(name, path);
                add(value, path, depth + 1, leaves);
                path.truncate(length);
            }
        }
        scalar => {
            let path = format!("{path}]");
            leaves.push(Leaf { path, depth, type_: kind(scalar), value: json::text(scalar) });
        }
    }
}

fn kind(scalar: &Value) -> &'static str {
    match scalar {
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "integer",
        Value::Null | Value::Array(_) | Value::Object(_) => "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_single_value_has_its_place() {
        let value = serde_json::json!({ "a": [1, {}], "b\"": null, "c": [], "d": "x" });
        let leaves = of("f", &value);
        let shown: Vec<_> = leaves
            .iter()
            .map(|leaf| (leaf.path.as_str(), leaf.type_, leaf.value.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (r#"["f","a",0]"#, "integer", "1"),
                (r#"["f","b\""]"#, "null", "null"),
                (r#"["f","d"]"#, "string", "\"x\""),
            ]
        );
        assert_eq!(leaves[0].depth, 3);
    }
}
