//! Columns and functions.

use super::super::compiled::{Column, Kind, Parameter};
use super::super::entities::{EVENTS_OF_REPORT, Field, OLD_EVENTS, Type};
use super::super::tree::{Function, FunctionName, Selected};
use super::Writer;

/// Returns the name of a column within a statement.
pub(super) fn alias(at: usize) -> String {
    format!("c{at}")
}

/// Returns how values of a field are shown.
fn kind(field: &Field) -> Kind {
    match field.type_ {
        Type::Text => Kind::Text,
        Type::Int => Kind::Int,
        Type::Bool => Kind::Bool,
        Type::Timestamp => Kind::Timestamp,
        Type::Texts
        | Type::Value
        | Type::ValueText
        | Type::Path
        | Type::EncodedPath
        | Type::Facts
        | Type::Parameters
        | Type::Document => Kind::Json,
        Type::Expanded => Kind::Expanded,
        Type::Compressed => Kind::Compressed,
    }
}

impl Writer {
    /// Writes the columns of a row, and returns them.
    pub(super) fn columns(&mut self, columns: &[Selected]) -> Vec<Column> {
        let mut shown: Vec<Column> = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                self.push(", ");
            }
            let kind = self.expression(column);
            self.push(" AS ");
            self.push(&alias(at));
            shown.push(Column { name: distinct(column.name(), &shown), kind });
        }
        // Addresses follow the columns, so that numbers of aliases are those of columns.
        for (at, column) in columns.iter().enumerate() {
            if let Selected::Field(field) = column
                && kind(field) == Kind::Expanded
            {
                let part = if field.name == EVENTS_OF_REPORT { "events" } else { field.name };
                self.push(&format!(", '/pdb/query/v4/reports/' || r.hash || '/{part}' AS a{at}"));
                shown.push(Column { name: String::new(), kind: Kind::Text });
            }
        }
        let is_of_events =
            |column: &Selected| matches!(column, Selected::Field(f) if f.name == EVENTS_OF_REPORT);
        if columns.iter().any(is_of_events) {
            self.push(", ");
            self.push(OLD_EVENTS.of(self.dialect));
            self.push(" AS old_events");
            shown.push(Column { name: String::new(), kind: Kind::Json });
        }
        shown
    }

    /// Writes the expression of a column.
    pub(super) fn expression(&mut self, column: &Selected) -> Kind {
        match column {
            Selected::Field(field) => {
                self.push(field.column.of(self.dialect));
                kind(field)
            }
            Selected::Path(field, path, _) => {
                self.place(field, path);
                Kind::Json
            }
            Selected::Function(function) => self.function(function),
        }
    }

    fn function(&mut self, function: &Function) -> Kind {
        let Function { name, field, format } = function;
        let Some(field) = field.as_deref() else {
            self.push("count(*)");
            return Kind::Int;
        };
        match name {
            FunctionName::Count => {
                self.push("count(");
                self.expression(field);
                self.push(")");
                Kind::Int
            }
            FunctionName::ToString => self.time_text(field, format.as_deref().unwrap_or_default()),
            FunctionName::JsonType => {
                self.push(if self.is_sqlite() { "json_kind(" } else { "jsonb_typeof(" });
                self.expression(field);
                self.push(")");
                Kind::Text
            }
            FunctionName::Avg | FunctionName::Sum | FunctionName::Min | FunctionName::Max => {
                self.aggregate(*name, field)
            }
        }
    }

    fn time_text(&mut self, field: &Selected, format: &str) -> Kind {
        let (start, middle) = match self.is_sqlite() {
            true => ("to_char(", ", "),
            false => ("to_char(to_timestamp(", " / 1000.0) AT TIME ZONE 'UTC', "),
        };
        self.push(start);
        self.expression(field);
        self.push(middle);
        self.bind(Parameter::Text(format.to_owned()));
        self.push(")");
        Kind::Text
    }

    fn aggregate(&mut self, name: FunctionName, argument: &Selected) -> Kind {
        let type_ = match argument {
            Selected::Field(field) => field.type_,
            Selected::Path(..) | Selected::Function(_) => Type::Value,
        };
        let function = name.text();
        match (type_, self.is_sqlite()) {
            (Type::Value, true) => {
                self.push(&format!("CAST({function}(json_number("));
                self.expression(argument);
                self.push(")) AS TEXT)");
                Kind::Json
            }
            (Type::Value, false) => {
                // A text that is a number counts as one, as in PuppetDB; what is no number is left out.
                self.push(&format!("to_jsonb({function}(CASE WHEN ("));
                self.expression(argument);
                self.push(" #>> '{}') ~ '^-{0,1}[0-9]+([.][0-9]+){0,1}([eE][-+]{0,1}[0-9]+){0,1}$' THEN (");
                self.expression(argument);
                self.push(" #>> '{}')::numeric END))");
                Kind::Json
            }
            (_, is_sqlite) => {
                let cast = match name {
                    FunctionName::Avg => "::float8",
                    FunctionName::Sum => "::bigint",
                    _ => "",
                };
                self.push(&format!("{function}("));
                let kind = self.expression(argument);
                self.push(if type_ == Type::Text && !is_sqlite { " COLLATE \"C\")" } else { ")" });
                self.push(if is_sqlite { "" } else { cast });
                if name == FunctionName::Avg { Kind::Real } else { kind }
            }
        }
    }
}

/// Returns a name, with a number if other columns have it already: `count_2`.
fn distinct(name: &str, columns: &[Column]) -> String {
    let is_taken = |name: &str| columns.iter().any(|column| column.name == name);
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}
