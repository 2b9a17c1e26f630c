//! A query as SQL.

/// A query as SQL of one dialect, with all that its answer needs.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The statement; placeholders are `?1`, `?2`…
    pub sql: String,
    /// The values of the placeholders.
    pub parameters: Vec<Parameter>,
    /// The columns of a row.
    pub columns: Vec<Column>,
    /// A statement with the same parameters that counts all rows, if the number is wanted.
    pub total: Option<String>,
    /// The form of the answer.
    pub shape: Shape,
    /// Whether the answer is indented.
    pub is_pretty: bool,
}

/// A value of a placeholder.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number without a fraction.
    Int(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name; empty for a column that is read by another one.
    pub name: String,
    /// How its values are shown.
    pub kind: Kind,
}

/// How values of a column are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A number without a fraction.
    Int,
    /// A number.
    Real,
    /// A truth value; SQLite has numbers for them.
    Bool,
    /// JSON as a text, or `jsonb`.
    Json,
    /// Milliseconds since 1970, shown as `2026-11-17T23:36:48.036Z`.
    Timestamp,
    /// JSON that is compressed with zlib.
    Compressed,
    /// Like `Compressed`, shown as `{"data": …, "href": …}`; the next column is the address.
    Expanded,
}

/// The form of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A list of objects.
    Rows,
    /// A list of the values of the only column.
    Values,
    /// The first row, which must exist: what it is, and its name.
    Member(&'static str, String),
    /// The value of the only column in the first row.
    Part,
}
