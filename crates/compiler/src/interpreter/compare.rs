//! The operators `==`, `<` and `in`.

use std::cmp::Ordering;

use kukla_base::cancel::walk;
use kukla_pcore::value::Rare;
use kukla_pcore::{Value, ruby};
use kukla_rubytext::semver::Version;
use kukla_syntax::ast::{BinaryOp, ExprId};

use super::{CatalogHost, Interpreter};
use crate::{Eval, Program, fault, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `left == right`, `left < right`, …
    pub(crate) fn comparison(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Eval<bool> {
        let mut other = Ok(Value::Undef);
        let number = self.integer(program, left, &mut other);
        if let Some(a) = number
            && let Some(b) = self.integer(program, right, &mut other)
        {
            std::mem::forget(other);
            return Ok(holds(op, a.cmp(&b)));
        }
        let (left, right) = match number {
            Some(number) => (Value::Integer(number), other?),
            None => (other?, self.eval(program, right)?),
        };
        self.compare(program, id, op, &left, &right)
    }

    /// `left op right` of values.
    #[inline(never)]
    fn compare(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left: &Value,
        right: &Value,
    ) -> Eval<bool> {
        let result = match (left, op) {
            (Value::Type(a), BinaryOp::Less) => {
                matches!(right, Value::Type(b) if b.is_assignable(a) && a != b)
            }
            (Value::Type(a), BinaryOp::LessEqual) => {
                matches!(right, Value::Type(b) if b.is_assignable(a))
            }
            (Value::Type(a), BinaryOp::Greater) => {
                matches!(right, Value::Type(b) if a.is_assignable(b) && a != b)
            }
            (Value::Type(a), BinaryOp::GreaterEqual) => {
                matches!(right, Value::Type(b) if a.is_assignable(b))
            }
            (_, BinaryOp::Equal) => equal(left, right),
            (_, BinaryOp::NotEqual) => !equal(left, right),
            _ => match order(left, right) {
                Ok(Some(ordering)) => holds(op, ordering),
                Ok(None) => false,
                Err(Unordered::VersionAndNumber) => return fault(issues::version_is_no_number()),
                Err(Unordered::Kinds(detail)) => {
                    let issue = issues::comparison_not_possible(op.as_str(), left, right, detail);
                    return issues::at(program, id, issue);
                }
            },
        };
        Ok(result)
    }
}

fn holds(op: BinaryOp, ordering: Ordering) -> bool {
    match op {
        BinaryOp::Less => ordering.is_lt(),
        BinaryOp::LessEqual => ordering.is_le(),
        BinaryOp::Greater => ordering.is_gt(),
        BinaryOp::Equal => ordering.is_eq(),
        BinaryOp::NotEqual => ordering.is_ne(),
        _ => ordering.is_ge(),
    }
}

/// `a == b` of the language: letters' case does not matter, and `1 == 1.0`.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.eq_ignore_ascii_case(b),
        #[expect(clippy::cast_precision_loss, reason = "as Ruby compares")]
        (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => {
            *a as f64 == *b
        }
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Timespan(_) | Value::Timestamp(_), Value::Integer(_) | Value::Float(_)) => {
            ruby::compare(a, b) == Some(Ordering::Equal)
        }
        (Value::Integer(_) | Value::Float(_), Value::Timespan(_) | Value::Timestamp(_)) => {
            ruby::compare(b, a) == Some(Ordering::Equal)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && walk(false, || a.iter().zip(b).all(|(a, b)| equal(a, b)))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            let same = |(key, value)| equal(b.get(key).unwrap_or(&Value::Undef), value);
            a.len() == b.len() && walk(false, || a.iter().all(same))
        }
        _ => a == b,
    }
}

/// Why two values have no order.
enum Unordered {
    /// A version and a number, which Ruby tries to convert.
    VersionAndNumber,
    /// Values of other kinds, in Puppet's words.
    Kinds(&'static str),
}

/// The order of two values, or why they have none.
fn order(a: &Value, b: &Value) -> Result<Option<Ordering>, Unordered> {
    let unordered = |detail| Err(Unordered::Kinds(detail));
    match (a, b) {
        (Value::String(a), Value::String(b)) => Ok(Some(ruby::casecmp(a, b))),
        (Value::String(_), _) => unordered("A String is not comparable to a non String"),
        (Value::Integer(a), Value::Integer(b)) => Ok(Some(a.cmp(b))),
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            Ok(ruby::compare(a, b))
        }
        (Value::Integer(_) | Value::Float(_), Value::Timespan(_) | Value::Timestamp(_)) => {
            Ok(ruby::compare(b, a).map(Ordering::reverse))
        }
        (Value::Integer(_) | Value::Float(_), Value::Rare(rare))
            if matches!(**rare, Rare::SemVer(_)) =>
        {
            Err(Unordered::VersionAndNumber)
        }
        (Value::Integer(_) | Value::Float(_), _) => {
            unordered("A Numeric is not comparable to non Numeric")
        }
        (Value::Timespan(_), Value::Timespan(_) | Value::Integer(_) | Value::Float(_))
        | (Value::Timestamp(_), Value::Timestamp(_) | Value::Integer(_) | Value::Float(_)) => {
            Ok(ruby::compare(a, b))
        }
        (Value::Timespan(_), _) => {
            unordered("Timespans are only comparable to Timespans, Integers, and Floats")
        }
        (Value::Timestamp(_), _) => {
            unordered("Timestamps are only comparable to Timestamps, Integers, and Floats")
        }
        (Value::Default, Value::Default) => Ok(Some(Ordering::Equal)),
        (Value::Default, _) => unordered("Symbol not comparable to non Symbol"),
        (Value::Rare(a), b) if matches!(**a, Rare::SemVer(_)) => match (&**a, rare(b)) {
            (Rare::SemVer(a), Some(Rare::SemVer(b))) => Ok(Some(a.compare(b))),
            _ => unordered("Versions not comparable to non Versions"),
        },
        _ => unordered("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable"),
    }
}

/// `needle in hay`, where no regular expression is involved.
pub fn includes(hay: &Value, needle: &Value) -> bool {
    match (hay, needle) {
        (Value::String(hay), Value::String(needle)) => {
            hay.to_lowercase().contains(needle.to_lowercase().as_str())
        }
        (Value::Array(values), _) => array_includes(values, needle),
        (Value::Binary(hay), Value::Binary(needle)) => contains(hay, needle),
        (Value::Binary(hay), Value::String(needle)) => contains(hay, needle.as_bytes()),
        (Value::Binary(hay), Value::Integer(needle)) => {
            hay.iter().any(|&byte| i64::from(byte) == *needle)
        }
        _ => version_range_includes(hay, needle).unwrap_or(false),
    }
}

fn contains(hay: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || hay.windows(needle.len()).any(|window| window == needle)
}

/// Whether an array has an element that is an instance of a type, or equal to a value.
pub(crate) fn array_includes(values: &[Value], needle: &Value) -> bool {
    match needle {
        Value::Type(type_) => values.iter().any(|value| type_.is_instance(value)),
        _ => values.iter().any(|value| equal(value, needle)),
    }
}

/// Whether a range of versions has a version or a text that is one; `None` if it is no range.
pub(crate) fn version_range_includes(range: &Value, version: &Value) -> Option<bool> {
    let Some(Rare::SemVerRange(range)) = rare(range) else { return None };
    Some(match version {
        Value::String(text) => Version::parse(text).is_ok_and(|version| range.includes(&version)),
        _ => matches!(rare(version), Some(Rare::SemVer(version)) if range.includes(version)),
    })
}

/// Whether a version or range matches a value; `None` if the pattern is neither.
pub(crate) fn matches_version(value: &Value, pattern: &Value) -> Option<bool> {
    let Some(Rare::SemVer(wanted)) = rare(pattern) else {
        return version_range_includes(pattern, value);
    };
    Some(match value {
        Value::String(text) => Version::parse(text).is_ok_and(|version| *wanted == version),
        _ => matches!(rare(value), Some(Rare::SemVer(version)) if wanted == version),
    })
}

/// Returns the content of a value of a rare kind.
pub(crate) fn rare(value: &Value) -> Option<&Rare> {
    match value {
        Value::Rare(rare) => Some(rare),
        _ => None,
    }
}
