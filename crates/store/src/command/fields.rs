//! Members of JSON objects, with errors that say where they are.

use serde_json::{Map, Value};

use super::LONGEST_NAME;
use crate::{CommandError, json, time};

/// The members of an object.
pub(super) struct Fields<'a> {
    members: &'a Map<String, Value>,
    /// Where the object is: empty, or `resources[3].`
    place: String,
}

impl<'a> Fields<'a> {
    /// Returns the members of a value that must be an object.
    pub(super) fn of(value: &'a Value, place: String) -> Result<Self, CommandError> {
        match value {
            Value::Object(members) => Ok(Self { members, place }),
            _ => {
                let place = match place.trim_end_matches('.') {
                    "" => "the payload",
                    place => place,
                };
                Err(CommandError::Payload { place: place.to_owned(), expected: "an object" })
            }
        }
    }

    pub(super) fn wrong(&self, name: &str, expected: &'static str) -> CommandError {
        CommandError::Payload { place: format!("{}{name}", self.place), expected }
    }

    /// Returns a member that is not null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, CommandError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(json::plain(text))),
            Some(_) => Err(self.wrong(name, "a text")),
        }
    }

    /// Returns a text that must be there.
    pub(super) fn required(&self, name: &str) -> Result<String, CommandError> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "a text"))
    }

    /// Returns a text of a bounded length, which becomes a part of indexes.
    pub(super) fn short(&self, name: &str) -> Result<String, CommandError> {
        let text = self.required(name)?;
        match text.len() <= 1000 {
            true => Ok(text),
            false => Err(self.wrong(name, "a text of at most 1000 bytes")),
        }
    }

    /// Returns the name of a node, an environment or a producer; an empty one is none.
    pub(super) fn name(&self, name: &str) -> Result<Option<String>, CommandError> {
        let text = self.text(name)?.filter(|text| !text.is_empty());
        match text.as_ref().is_none_or(|text| text.len() <= LONGEST_NAME) {
            true => Ok(text),
            false => Err(self.wrong(name, "a text of at most 255 bytes")),
        }
    }

    /// Returns a number or its text as a text: versions of configurations are either.
    pub(super) fn label(&self, name: &str) -> Result<Option<String>, CommandError> {
        match self.get(name) {
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            _ => self.text(name),
        }
    }

    pub(super) fn int(&self, name: &str) -> Result<Option<i64>, CommandError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "an integer")),
            },
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, CommandError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    pub(super) fn time(&self, name: &str) -> Result<Option<i64>, CommandError> {
        let wrong = || self.wrong(name, "a time such as `2026-11-17T23:36:48.036Z`");
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => time::read(text).map(Some).ok_or_else(wrong),
            Some(_) => Err(wrong()),
        }
    }

    /// Returns the elements of an array; of none if it is missing.
    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], CommandError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(elements)) => Ok(elements),
            Some(_) => Err(self.wrong(name, "an array")),
        }
    }

    /// Reads each object of an array.
    pub(super) fn each<T>(
        &self,
        name: &str,
        read: impl Fn(&Fields<'_>) -> Result<T, CommandError>,
    ) -> Result<Vec<T>, CommandError> {
        let elements = self.list(name)?.iter().enumerate();
        let read = |(n, element)| {
            let place = format!("{}{name}[{n}].", self.place);
            read(&Fields::of(element, place)?)
        };
        elements.map(read).collect()
    }

    /// Returns a list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, CommandError> {
        let elements = self.list(name)?.iter();
        let text = |element: &Value| match element {
            Value::String(text) => Ok(json::plain(text)),
            _ => Err(self.wrong(name, "an array of texts")),
        };
        elements.map(text).collect()
    }

    /// Returns an object.
    pub(super) fn object(
        &self,
        name: &str,
    ) -> Result<Option<&'a Map<String, Value>>, CommandError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members)),
            Some(_) => Err(self.wrong(name, "an object")),
        }
    }

    /// Returns the member of an object that must be there.
    pub(super) fn inner(&self, name: &str) -> Result<Fields<'a>, CommandError> {
        let members = self.object(name)?.ok_or_else(|| self.wrong(name, "an object"))?;
        Ok(Fields { members, place: format!("{}{name}.", self.place) })
    }
}
