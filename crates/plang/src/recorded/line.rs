//! Messages of a stream, one per line.

use serde_json::Value;

use super::{Metadata, Read, Recorded, RecordedError};

impl Recorded {
    /// Parses a line of JSON: the metadata of a message, its text as `message`, and an optional `name`.
    pub fn from_line(line: &str) -> Read<(Option<String>, Self)> {
        let value = serde_json::from_str(line);
        let mut value: Value =
            value.map_err(|error| RecordedError::new(format!("it is no JSON: {error}")))?;
        let mut take = |key| match value.as_object_mut().and_then(|object| object.remove(key)) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(RecordedError::new(format!("`{key}` is a string"))),
        };
        let (name, text) = (take("name")?, take("message")?);
        let text = text.ok_or_else(|| RecordedError::new("it has no `message`"))?;
        let metadata = Metadata::from_json(&value)?;
        Ok((name, Self { metadata, ..Self::parse(text.as_bytes())? }))
    }
}
