//! The tree of a query, which has been checked.

use serde_json::Value;

use super::entities::{Entity, Field};
use super::fields::Part;

/// A query: what is asked of which rows.
#[derive(Clone, Debug)]
pub(super) struct Select {
    /// The entity.
    pub(super) entity: Entity,
    /// The columns of a row; an empty list stands for all fields.
    pub(super) columns: Vec<Selected>,
    /// Which rows.
    pub(super) condition: Option<Condition>,
    /// The columns by which rows are grouped.
    pub(super) group_by: Vec<Selected>,
    /// Order and part of the rows.
    pub(super) paging: Paging,
    /// Start and end of the time in which only the last event of each resource counts.
    pub(super) distinct: Option<(i64, i64)>,
}

/// Order and part of the rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Paging {
    /// Fields, and whether the order is descending.
    pub(super) order: Vec<(String, bool)>,
    /// How many rows.
    pub(super) limit: Option<i64>,
    /// How many rows are left out.
    pub(super) offset: Option<i64>,
}

/// A column of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Selected {
    /// A field.
    Field(&'static Field),
    /// A place within a field; the text is the whole name.
    Path(&'static Field, Vec<Part>, String),
    /// A function of rows or of a field.
    Function(Function),
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Function {
    /// The function.
    pub(super) name: FunctionName,
    /// The argument; without one the function counts rows.
    pub(super) field: Option<Box<Selected>>,
    /// The format of `to_string`.
    pub(super) format: Option<String>,
}

/// The name of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionName {
    /// The number of rows.
    Count,
    /// The mean.
    Avg,
    /// The sum.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// A time as a text.
    ToString,
    /// The type of a JSON value.
    JsonType,
}

/// An operator that compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// A value that a column of a plain type is compared with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plain {
    /// A text.
    Text(String),
    /// A number without a fraction.
    Int(i64),
    /// A number.
    Real(f64),
    /// A truth value.
    Bool(bool),
}

/// Which nodes a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeState {
    /// Neither deactivated nor expired.
    Active,
    /// Deactivated or expired, and not yet to be purged.
    Inactive,
}

/// A condition on a value of JSON.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// Compared with a value, in the order of `jsonb`.
    Compare(Operator, Value),
    /// A hash or array that contains a value, or a value that is equal.
    Contains(Value),
    /// One of some values.
    In(Vec<Value>),
    /// Its text matches a regular expression.
    Matches(String),
    /// It is `null`, or it is not; a place that is missing is neither.
    IsNull(bool),
}

/// A condition on rows.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// All conditions.
    All(Vec<Condition>),
    /// One of some conditions.
    Any(Vec<Condition>),
    /// Not a condition.
    Not(Box<Condition>),
    /// No row.
    Never,
    /// A column compared with a value.
    Compare(&'static Field, Operator, Plain),
    /// A column that is one of some values.
    In(&'static Field, Vec<Plain>),
    /// A column that matches a regular expression.
    Matches(&'static Field, String),
    /// A column without a value, or with one.
    IsNull(&'static Field, bool),
    /// An array with a text.
    Has(&'static Field, String),
    /// An array with a text that matches a regular expression.
    HasMatch(&'static Field, String),
    /// A column of JSON.
    Json(&'static Field, Test),
    /// The type of a column of JSON.
    JsonType(&'static Field, String),
    /// JSON text that is equal or matches.
    JsonText(&'static Field, Value, bool),
    /// A place within facts: one of some places.
    Paths(&'static Field, Vec<Value>),
    /// A place whose components match regular expressions.
    PathMatches(&'static Field, Vec<Value>),
    /// A place within the facts of a row's node, or within its parameters.
    At(&'static Field, Vec<Part>, Test),
    /// A parameter whose JSON text is equal or matches.
    Parameter(String, Value, bool),
    /// A fact of the row's node.
    Fact(String, Test),
    /// Columns that a query has.
    InSelect(Vec<&'static Field>, Box<Select>),
    /// The state of the row's node.
    Node(NodeState),
}

impl Condition {
    /// Returns whether it is about columns alone of which each is as wanted.
    pub(super) fn is_about(&self, is_wanted: &dyn Fn(&Field) -> bool) -> bool {
        match self {
            Self::All(inner) | Self::Any(inner) => inner.iter().all(|it| it.is_about(is_wanted)),
            Self::Not(inner) => inner.is_about(is_wanted),
            Self::Never | Self::Node(_) => true,
            Self::Compare(field, ..)
            | Self::In(field, _)
            | Self::Matches(field, _)
            | Self::IsNull(field, _)
            | Self::Has(field, _)
            | Self::HasMatch(field, _)
            | Self::Json(field, _)
            | Self::JsonType(field, _)
            | Self::JsonText(field, ..)
            | Self::Paths(field, _)
            | Self::PathMatches(field, _)
            | Self::At(field, ..) => is_wanted(field),
            Self::InSelect(fields, _) => fields.iter().all(|field| is_wanted(field)),
            Self::Parameter(..) | Self::Fact(..) => false,
        }
    }
}

impl Operator {
    /// Returns the operator of a query.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "=" => Self::Equal,
            "<" => Self::Less,
            "<=" => Self::AtMost,
            ">" => Self::Greater,
            ">=" => Self::AtLeast,
            _ => return None,
        })
    }

    /// Returns the operator of SQL.
    pub(super) fn sql(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }
}

impl FunctionName {
    /// Returns the function of a query.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "avg" => Self::Avg,
            "sum" => Self::Sum,
            "min" => Self::Min,
            "max" => Self::Max,
            "to_string" => Self::ToString,
            "jsonb_typeof" => Self::JsonType,
            _ => return None,
        })
    }

    /// Returns its name in queries and answers.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Avg => "avg",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::ToString => "to_string",
            Self::JsonType => "jsonb_typeof",
        }
    }

    /// Returns whether it makes one value of many rows.
    pub(super) fn is_aggregate(self) -> bool {
        !matches!(self, Self::ToString | Self::JsonType)
    }
}

impl Selected {
    /// Returns the name in an answer.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Field(field) => field.name,
            Self::Path(_, _, name) => name,
            Self::Function(function) => function.name.text(),
        }
    }
}
