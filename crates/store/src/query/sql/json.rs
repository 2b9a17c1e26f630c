//! Conditions on JSON. SQLite compares JSON with the collation `JSONB`, which is PostgreSQL's order of `jsonb`.

use serde_json::Value;

use super::super::compiled::Parameter;
use super::super::entities::Field;
use super::super::tree::Test;
use super::Writer;
use crate::json;

impl Writer {
    /// Binds JSON.
    pub(super) fn bind_json(&mut self, value: &Value) {
        self.bind_as(Parameter::Text(json::text(value)), "::text::jsonb");
    }

    /// Writes what JSON must be; `value` writes the JSON.
    pub(super) fn test(&mut self, test: &Test, value: impl FnOnce(&mut Self)) {
        match test {
            Test::Compare(operator, other) => {
                self.push("(");
                value(self);
                self.push(if self.is_sqlite() { " COLLATE JSONB " } else { " " });
                self.push(&format!("{} ", operator.sql()));
                self.bind_json(other);
                self.push(")");
            }
            Test::Contains(other) if other.is_array() || other.is_object() => {
                self.push(if self.is_sqlite() { "json_contains(" } else { "(" });
                value(self);
                self.push(if self.is_sqlite() { ", " } else { " @> " });
                self.bind_json(other);
                self.push(")");
            }
            Test::Contains(other) => {
                self.push("(");
                value(self);
                self.push(if self.is_sqlite() { " COLLATE JSONB = " } else { " = " });
                self.bind_json(other);
                self.push(")");
            }
            Test::In(values) => {
                let values = Value::from(values.clone());
                self.push(if self.is_sqlite() { "json_in(" } else { "(" });
                value(self);
                self.push(if self.is_sqlite() {
                    ", "
                } else {
                    " IN (SELECT jsonb_array_elements("
                });
                self.bind_json(&values);
                self.push(if self.is_sqlite() { ")" } else { ")))" });
            }
            Test::Matches(pattern) => self.regexp(pattern, |writer| {
                writer.push(if writer.is_sqlite() { "json_text(" } else { "(" });
                value(writer);
                writer.push(if writer.is_sqlite() { ")" } else { " #>> '{}')" });
            }),
            Test::IsNull(is_null) => {
                self.push(if self.is_sqlite() { "(json_kind(" } else { "(jsonb_typeof(" });
                value(self);
                self.push(if *is_null { ") = 'null')" } else { ") <> 'null')" });
            }
        }
    }

    /// Writes whether the type of JSON is the named one.
    pub(super) fn json_type(&mut self, field: &Field, name: &str) {
        let column = field.column.of(self.dialect);
        let function = if self.is_sqlite() { "json_kind" } else { "jsonb_typeof" };
        self.push(&format!("({function}({column}) = "));
        self.bind_text(name);
        self.push(")");
    }

    /// Writes whether the text of JSON is that of a value, or matches the text of a regular expression, quotes included.
    pub(super) fn json_text(
        &mut self,
        value: &Value,
        is_match: bool,
        text: impl FnOnce(&mut Self),
    ) {
        if is_match {
            let pattern = json::text(value);
            self.regexp(&pattern, |writer| {
                text(writer);
                writer.push(if writer.is_sqlite() { "" } else { "::text" });
            });
            return;
        }
        self.push("(");
        text(self);
        self.push(" = ");
        self.bind_json(value);
        self.push(")");
    }
}
