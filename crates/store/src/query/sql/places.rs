//! Places within facts and parameters.

use serde_json::Value;

use super::super::compiled::Parameter;
use super::super::entities::{Field, Type};
use super::super::fields::{self, Part};
use super::super::tree::Test;
use super::Writer;
use crate::json;

/// The most components of a path that may be a name or a position alike.
const MOST_AMBIGUOUS: usize = 6;

const LEAVES: &str = "SELECT f.node_id FROM fact_paths fp JOIN fact_leaves fl ON fl.path_id = fp.id \
    JOIN facts f ON f.value_id = fl.value_id WHERE ";
const WHOLE: &str = "SELECT f.node_id FROM fact_names fn JOIN fact_values fv ON fv.name_id = fn.id \
    JOIN facts f ON f.value_id = fv.id WHERE fn.name = ";

impl Writer {
    /// Writes the JSON at a place of a field.
    pub(super) fn place(&mut self, field: &Field, path: &[Part]) {
        match (field.type_, path.split_first()) {
            (Type::Facts, Some((Part::Name(name), rest))) => {
                let (name, rest) = match field.name {
                    "trusted" => ("trusted", path),
                    _ => (name.as_str(), rest),
                };
                self.push("(SELECT ");
                self.within("fv.value", rest);
                self.push(
                    " FROM facts f JOIN fact_values fv ON fv.id = f.value_id \
                     JOIN fact_names fn ON fn.id = fv.name_id WHERE f.node_id = n.id AND fn.name = ",
                );
                self.bind_text(name);
                self.push(")");
            }
            (Type::Facts, _) => self.push("NULL"),
            _ => self.within(field.column.of(self.dialect), path),
        }
    }

    /// Writes the JSON at a place within a column.
    fn within(&mut self, column: &str, path: &[Part]) {
        if path.is_empty() {
            self.push(column);
            return;
        }
        if self.is_sqlite() {
            self.push(&format!("json_at({column}, "));
            self.bind_text(json::text(&fields::as_json(path)));
            self.push(")");
            return;
        }
        self.push(&format!("({column}"));
        for part in path {
            self.push(" -> ");
            match part {
                Part::Name(name) | Part::Match(name) => self.bind_text(name.as_str()),
                Part::Index(position) => {
                    self.bind_as(Parameter::Int(i64::from(*position)), "::bigint::int")
                }
            }
        }
        self.push(")");
    }

    /// Writes a condition on a place.
    pub(super) fn at(&mut self, field: &Field, path: &[Part], test: &Test) {
        if field.type_ != Type::Facts {
            self.test(test, |writer| writer.place(field, path));
            return;
        }
        let mut whole = path.to_vec();
        if field.name == "trusted" {
            whole.insert(0, Part::Name("trusted".to_owned()));
        }
        if whole.iter().any(|part| matches!(part, Part::Match(_))) {
            self.at_matching(&whole, test);
            return;
        }
        match test {
            Test::Contains(value) if !value.is_array() && !value.is_object() => {
                let variants = variants(&whole);
                self.push("(n.id IN (");
                self.push(LEAVES);
                self.push("fp.path IN (");
                self.listed(&variants);
                self.push(") AND ");
                self.test(test, |writer| writer.push("fl.value"));
                self.push("))");
            }
            _ => {
                let (first, rest) = whole.split_first().expect("a field with a path");
                let name = match first {
                    Part::Name(name) | Part::Match(name) => name.clone(),
                    Part::Index(position) => position.to_string(),
                };
                self.push("(n.id IN (");
                self.push(WHOLE);
                self.bind_text(name);
                self.push(" AND ");
                self.test(test, |writer| writer.within("fv.value", rest));
                self.push("))");
            }
        }
    }

    /// Writes a condition on places whose components match regular expressions.
    fn at_matching(&mut self, path: &[Part], test: &Test) {
        let patterns: Vec<Value> = fields::patterns(path).into_iter().map(Value::from).collect();
        self.push("(n.id IN (");
        self.push(LEAVES);
        self.components("fp.path", &patterns);
        self.push(" AND ");
        self.test(test, |writer| writer.push("fl.value"));
        self.push("))");
    }

    /// Writes a condition on a fact of the row's node.
    pub(super) fn fact(&mut self, name: &str, test: &Test) {
        self.push("(n.id IN (");
        self.push(WHOLE);
        self.bind_text(name);
        self.push(" AND ");
        self.test(test, |writer| writer.push("fv.value"));
        self.push("))");
    }

    /// Writes whether a place is one of some.
    pub(super) fn paths(&mut self, field: &Field, paths: &[Value]) {
        if paths.is_empty() {
            self.push("FALSE");
            return;
        }
        self.push("(");
        self.push(field.column.of(self.dialect));
        self.push(" IN (");
        self.listed(paths);
        self.push("))");
    }

    fn listed(&mut self, values: &[Value]) {
        for (n, value) in values.iter().enumerate() {
            if n > 0 {
                self.push(", ");
            }
            self.bind_text(json::text(value));
        }
    }

    /// Writes `~>`. PuppetDB matches places of `fact_paths`, which it keeps as texts, from end to end, and a number
    /// in the pattern is a position; elsewhere a pattern of digits wants a name.
    pub(super) fn path_matches(&mut self, field: &Field, patterns: &[Value]) {
        let column = field.column.of(self.dialect);
        if field.type_ == Type::Path {
            self.components(column, patterns);
            return;
        }
        let whole = |pattern: &Value| match pattern {
            Value::String(text) => Value::from(format!("^(?:{text})$")),
            number => Value::from(format!("^{number}$")),
        };
        let patterns: Vec<Value> = patterns.iter().map(whole).collect();
        self.components(column, &patterns);
    }

    fn components(&mut self, column: &str, patterns: &[Value]) {
        if self.is_sqlite() {
            self.push(&format!("path_matches({column}, "));
            self.bind_text(json::text(&Value::from(patterns.to_vec())));
            self.push(")");
            return;
        }
        let n_patterns = patterns.len();
        self.push(&format!(
            "(CASE WHEN jsonb_array_length({column}::jsonb) = {n_patterns} THEN TRUE"
        ));
        for (n, pattern) in patterns.iter().enumerate() {
            let text = pattern.as_str().map_or_else(|| pattern.to_string(), str::to_owned);
            let type_ = match pattern {
                Value::Number(_) => Some("number"),
                Value::String(text)
                    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) =>
                {
                    Some("string")
                }
                _ => None,
            };
            self.push(&format!(" AND ({column}::jsonb ->> {n}) ~ "));
            self.bind_text(text);
            if let Some(type_) = type_ {
                self.push(&format!(" AND jsonb_typeof({column}::jsonb -> {n}) = '{type_}'"));
            }
        }
        self.push(" ELSE FALSE END)");
    }
}

/// Returns the places that a path may mean: a name of digits may be a position.
fn variants(path: &[Part]) -> Vec<Value> {
    let mut variants: Vec<Vec<Value>> = vec![Vec::new()];
    let mut n_ambiguous = 0;
    for (n, part) in path.iter().enumerate() {
        let (first, second) = match part {
            Part::Index(position) => (Value::from(*position), None),
            Part::Name(name) | Part::Match(name) => {
                let position =
                    name.parse::<u32>().ok().filter(|_| n > 0 && n_ambiguous < MOST_AMBIGUOUS);
                n_ambiguous += usize::from(position.is_some());
                (Value::from(name.as_str()), position.map(Value::from))
            }
        };
        let mut next = Vec::new();
        for variant in variants {
            for part in std::iter::once(&first).chain(&second) {
                next.push([variant.as_slice(), std::slice::from_ref(part)].concat());
            }
        }
        variants = next;
    }
    variants.into_iter().map(Value::from).collect()
}
