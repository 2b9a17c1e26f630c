//! Filters as text, so that the record of a compilation can ask them again.

use kukla_pcore::Value;
use serde_json::{Value as Json, json};

use super::Filter;

impl Filter {
    /// Returns the filter as JSON, such as `["and",["tag","web"],["=","port",80]]`.
    pub fn to_text(&self) -> String {
        self.to_json().to_string()
    }

    /// Returns the filter of a text that [`to_text`](Self::to_text) wrote.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::from_json(&serde_json::from_str(text).ok()?)
    }

    fn to_json(&self) -> Json {
        match self {
            Self::And(both) => json!(["and", both.0.to_json(), both.1.to_json()]),
            Self::Or(both) => json!(["or", both.0.to_json(), both.1.to_json()]),
            Self::Not(other) => json!(["not", other.to_json()]),
            Self::Tagged(tags) => {
                let tags = tags.iter().map(|tag| json!(&**tag));
                Json::Array([json!("tag")].into_iter().chain(tags).collect())
            }
            Self::Title(value) => json!(["title", text(value)]),
            Self::Parameter(name, value) => json!(["=", &**name, text(value)]),
        }
    }

    fn from_json(json: &Json) -> Option<Self> {
        let (first, rest) = json.as_array()?.split_first()?;
        let both = || match rest {
            [one, other] => Some(Box::new((Self::from_json(one)?, Self::from_json(other)?))),
            _ => None,
        };
        match (first.as_str()?, rest) {
            ("and", _) => Some(Self::And(both()?)),
            ("or", _) => Some(Self::Or(both()?)),
            ("not", [other]) => Some(Self::Not(Box::new(Self::from_json(other)?))),
            ("tag", tags) => Some(Self::Tagged(
                tags.iter().map(|tag| Some(tag.as_str()?.into())).collect::<Option<_>>()?,
            )),
            ("title", [value]) => Some(Self::Title(value_of(value)?)),
            ("=", [name, value]) => Some(Self::Parameter(name.as_str()?.into(), value_of(value)?)),
            _ => None,
        }
    }
}

/// Returns a value in the way that catalogs write data.
fn text(value: &Value) -> Json {
    let mut text = String::new();
    crate::json::value(value, &mut text);
    serde_json::from_str(&text).unwrap_or(Json::Null)
}

/// Returns the data of JSON.
fn value_of(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => Value::Undef,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Float(number.as_f64()?),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::array(items.iter().map(value_of).collect::<Option<Vec<_>>>()?),
        Json::Object(entries) => {
            let entry = |(name, value): (&String, &Json)| {
                Some((Value::from(name.as_str()), value_of(value)?))
            };
            Value::hash(entries.iter().map(entry).collect::<Option<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_read_back() {
        let tagged = || Filter::Tagged(vec!["web".into(), "a b".into()]);
        let port = |value: Value| Filter::Parameter("port".into(), value);
        let list = Value::array([Value::Undef, Value::Boolean(true), Value::Float(1.5)]);
        for filter in [
            Filter::And(Box::new((tagged(), port(Value::Integer(80))))),
            Filter::Or(Box::new((tagged(), Filter::Not(Box::new(port(list)))))),
            Filter::Title(Value::from("\"x\"")),
        ] {
            let text = filter.to_text();
            assert_eq!(Filter::from_text(&text).as_ref(), Some(&filter), "{text}");
        }
        assert_eq!(Filter::from_text("[\"xor\"]"), None);
    }
}
