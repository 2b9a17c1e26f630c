//! Conditions.

use serde_json::Value;

use super::super::compiled::Parameter;
use super::super::entities::{Field, Type};
use super::super::tree::{Condition, NodeState, Operator, Plain, Select, Selected};
use super::{Writer, columns};
use crate::json;

impl Writer {
    /// Writes a condition as one operand.
    pub(super) fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::All(conditions) => self.joined(conditions, " AND ", "TRUE"),
            Condition::Any(conditions) => self.joined(conditions, " OR ", "FALSE"),
            Condition::Not(inner) => {
                self.push("NOT ");
                self.condition(inner);
            }
            Condition::Never => self.push("FALSE"),
            Condition::Compare(field, operator, value) => self.compare(field, *operator, value),
            Condition::In(field, values) => self.in_list(field, values),
            Condition::Matches(field, pattern) => self.matches(field, pattern),
            Condition::IsNull(field, is_null) => {
                let column = field.column.of(self.dialect);
                self.push(&format!("({column} IS {}NULL)", if *is_null { "" } else { "NOT " }));
            }
            Condition::Has(field, text) => self.has(field, text, false),
            Condition::HasMatch(field, pattern) => self.has(field, pattern, true),
            Condition::Json(field, test) => {
                let column = field.column.of(self.dialect);
                self.test(test, |writer| writer.push(column));
            }
            Condition::JsonType(field, name) => self.json_type(field, name),
            Condition::JsonText(field, value, is_match) => {
                let column = field.column.of(self.dialect);
                self.json_text(value, *is_match, |writer| writer.push(column));
            }
            Condition::Paths(field, paths) => self.paths(field, paths),
            Condition::PathMatches(field, patterns) => self.path_matches(field, patterns),
            Condition::At(field, path, test) => self.at(field, path, test),
            Condition::Parameter(name, value, is_match) => {
                let place = json::text(&Value::from(vec![name.as_str()]));
                self.json_text(value, *is_match, |writer| match writer.is_sqlite() {
                    true => {
                        writer.push("json_at(r.parameters, ");
                        writer.bind_text(place);
                        writer.push(")");
                    }
                    false => {
                        writer.push("(r.parameters -> ");
                        writer.bind_text(name.as_str());
                        writer.push(")");
                    }
                });
            }
            Condition::Fact(name, test) => self.fact(name, test),
            Condition::InSelect(fields, select) => self.in_select(fields, select),
            Condition::Node(state) => self.node(*state),
        }
    }

    fn joined(&mut self, conditions: &[Condition], between: &str, empty: &str) {
        if conditions.is_empty() {
            self.push(empty);
            return;
        }
        // Halves are joined, since SQLite bounds the depth of expressions, and a chain is as deep as it is long.
        if let [condition] = conditions {
            self.condition(condition);
            return;
        }
        let (first, second) = conditions.split_at(conditions.len() / 2);
        self.push("(");
        self.joined(first, between, empty);
        self.push(between);
        self.joined(second, between, empty);
        self.push(")");
    }

    fn compare(&mut self, field: &Field, operator: Operator, value: &Plain) {
        self.push("(");
        self.push(field.column.of(self.dialect));
        // A flag is a condition itself: that of the latest report joins tables by their keys only if it is one.
        if (operator, value) != (Operator::Equal, &Plain::Bool(true)) {
            self.push(&format!(" {} ", operator.sql()));
            self.bind(parameter(value));
        }
        self.push(")");
    }

    /// Writes a list as one parameter, so that it can be long.
    fn in_list(&mut self, field: &Field, values: &[Plain]) {
        let values: Value = values.iter().map(as_json).collect();
        let cast = match field.type_ {
            Type::Int | Type::Timestamp => "::bigint",
            Type::Bool => "::boolean",
            _ => "",
        };
        self.push("(");
        self.push(field.column.of(self.dialect));
        self.push(match self.is_sqlite() {
            true => " IN (SELECT value FROM json_each(",
            false => " IN (SELECT (listed)",
        });
        if self.is_sqlite() {
            self.bind_text(json::text(&values));
            self.push(")))");
        } else {
            self.push(&format!("{cast} FROM jsonb_array_elements_text("));
            self.bind_as(Parameter::Text(json::text(&values)), "::text::jsonb");
            self.push(") AS listed))");
        }
    }

    fn matches(&mut self, field: &Field, pattern: &str) {
        let column = field.column.of(self.dialect);
        let text = match (field.type_, self.is_sqlite()) {
            (Type::EncodedPath, true) => format!("encoded_path({column})"),
            (Type::EncodedPath, false) => super::order::encoded(column),
            _ => column.to_owned(),
        };
        self.push("(");
        self.regexp(pattern, |writer| writer.push(&text));
        // A column without a value does not match, and so `not` is satisfied by it.
        self.push(&format!(" AND {column} IS NOT NULL)"));
    }

    /// Writes whether a text matches a regular expression.
    pub(super) fn regexp(&mut self, pattern: &str, text: impl FnOnce(&mut Self)) {
        if self.is_sqlite() {
            self.push("regexp(");
            self.bind_text(pattern);
            self.push(", ");
            text(self);
            self.push(")");
        } else {
            self.push("(");
            text(self);
            self.push(" ~ ");
            self.bind_text(pattern);
            self.push(")");
        }
    }

    fn has(&mut self, field: &Field, text: &str, is_match: bool) {
        let column = field.column.of(self.dialect);
        self.push(&format!("(CASE WHEN {column} IS NULL THEN NULL ELSE EXISTS (SELECT 1 FROM "));
        self.push(&match self.is_sqlite() {
            true => format!("json_each({column}) e WHERE "),
            false => format!("jsonb_array_elements_text({column}) e(value) WHERE "),
        });
        if is_match {
            self.regexp(text, |writer| writer.push("e.value"));
        } else {
            self.push("e.value = ");
            self.bind_text(text);
        }
        self.push(") END)");
    }

    fn node(&mut self, state: NodeState) {
        match state {
            NodeState::Active => self.push("(n.deactivated IS NULL AND n.expired IS NULL)"),
            NodeState::Inactive => {
                let since = Parameter::Int(self.inactive_since);
                self.push("(n.deactivated > ");
                self.bind(since.clone());
                self.push(" OR n.expired > ");
                self.bind(since);
                self.push(")");
            }
        }
    }

    fn in_select(&mut self, fields: &[&'static Field], select: &Select) {
        self.push("(");
        self.push(if fields.len() > 1 { "(" } else { "" });
        for (n, field) in fields.iter().enumerate() {
            if n > 0 {
                self.push(", ");
            }
            self.push(field.column.of(self.dialect));
        }
        self.push(if fields.len() > 1 { ")" } else { "" });
        self.push(" IN (SELECT ");
        for (n, (field, column)) in fields.iter().zip(&select.columns).enumerate() {
            if n > 0 {
                self.push(", ");
            }
            let inner = match column {
                Selected::Field(inner) => inner.type_,
                Selected::Path(..) | Selected::Function(_) => Type::Value,
            };
            let alias = columns::alias(n);
            let converted = match (field.type_, inner, self.is_sqlite()) {
                (Type::Text, Type::Value, true) => format!("json_text({alias})"),
                (Type::Text, Type::Value, false) => format!("({alias} #>> '{{}}')"),
                (Type::Value, Type::Text, true) => format!("json_quote({alias})"),
                (Type::Value, Type::Text, false) => format!("to_jsonb({alias})"),
                _ => alias,
            };
            self.push(&converted);
        }
        self.push(" FROM (");
        self.subquery(select);
        self.push(") sub))");
    }
}

fn parameter(value: &Plain) -> Parameter {
    match value {
        Plain::Text(text) => Parameter::Text(text.clone()),
        Plain::Int(number) => Parameter::Int(*number),
        Plain::Real(number) => Parameter::Real(*number),
        Plain::Bool(flag) => Parameter::Bool(*flag),
    }
}

fn as_json(value: &Plain) -> Value {
    match value {
        Plain::Text(text) => Value::from(text.as_str()),
        Plain::Int(number) => Value::from(*number),
        Plain::Real(number) => Value::from(*number),
        Plain::Bool(flag) => Value::from(*flag),
    }
}
