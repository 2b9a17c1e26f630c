//! Functions that access nested data by a path.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::value::{Object, Rare};
use kukla_pcore::{Hash, Type, Value, ruby, types};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "dig",
        &[Signature::new("Optional[Collection] data, Any *arg", |call| {
            match dig(call.value(0), &call.arguments()[1..]) {
                Ok(value) => Ok(value),
                Err(problem) => fault(problem.message()),
            }
        })],
    ),
    Function::typed(
        "get",
        &[Signature::new(
            "Any value, String dotted_string, Any default_value?, Callable[1, 1] &block?",
            |call| get(call, call.value(0), call.string(1), call.value(2)),
        )],
    ),
    Function::typed(
        "getvar",
        &[
            Signature::new(
                r"Pattern[/\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*(?:\.|\Z)/] get_string, Any default_value?, Callable[1, 1] &block?",
                getvar,
            ),
            Signature::mismatch("String get_string, Any default_value?, Callable &block?", |_| {
                Ok(Value::from("The given string does not start with a valid variable name"))
            }),
        ],
    ),
];

/// A path that can't be followed.
struct PathProblem {
    walked: Vec<Value>,
    /// The value in place of a collection, or of an index.
    value: Value,
    is_index: bool,
}

impl PathProblem {
    fn message(&self) -> String {
        let walked = ruby::inspect(&Value::array(self.walked.iter().cloned()));
        let type_ = types::infer(&self.value);
        match self.is_index {
            true => format!(
                "The given data requires an Integer index at {walked}, got '{}'",
                type_.text()
            ),
            false => format!(
                "The given data does not contain a Collection at {walked}, got '{}'",
                type_.text()
            ),
        }
    }

    /// Returns the problem as an `Error`.
    fn error(&self) -> Value {
        let (code, key) = match self.is_index {
            true => ("EXPECTED_INTEGER_INDEX", "index_type"),
            false => ("EXPECTED_COLLECTION", "value_type"),
        };
        let details: Hash = [
            (Value::from("walked_path"), Value::array(self.walked.iter().cloned())),
            (Value::from(key), Value::from(types::infer(&self.value))),
        ]
        .into_iter()
        .collect();
        let Some(Type::Object(type_)) = types::named("Error") else {
            return Value::Undef;
        };
        let value = |name: &str| match name {
            "msg" => Value::from(self.message()),
            "kind" => Value::from("SLICE_ERROR"),
            "details" => Value::hash(details.clone()),
            "issue_code" => Value::from(code),
            _ => Value::Undef,
        };
        // Puppet puts a type into the details, which `new` would refuse.
        let values = type_.attributes().iter().map(|member| value(&member.name)).collect();
        Value::rare(Rare::Object(Object { type_, values }))
    }
}

fn dig(data: &Value, path: &[Value]) -> Result<Value, PathProblem> {
    let mut value = data.clone();
    let mut walked = Vec::new();
    for key in path {
        if value.is_undef() || key.is_undef() {
            return Ok(Value::Undef);
        }
        if !matches!(value, Value::Array(_) | Value::Hash(_)) {
            return Err(PathProblem { walked, value, is_index: false });
        }
        walked.push(key.clone());
        value = match (&value, key) {
            (Value::Hash(hash), key) => hash.get(key).cloned().unwrap_or_default(),
            (Value::Array(values), Value::Integer(index)) => nth(values, *index),
            _ => return Err(PathProblem { walked, value: key.clone(), is_index: true }),
        };
    }
    Ok(value)
}

/// Returns an element, counted from the end if the index is negative.
fn nth(values: &[Value], index: i64) -> Value {
    let index = match usize::try_from(index.unsigned_abs()) {
        Ok(back) if index < 0 => values.len().checked_sub(back),
        Ok(index) => Some(index),
        Err(_) => None,
    };
    index.and_then(|index| values.get(index)).cloned().unwrap_or_default()
}

fn get(call: &mut Call<'_>, value: &Value, path: &str, default: &Value) -> Eval<Value> {
    if value.is_undef() {
        return Ok(default.clone());
    }
    if path.is_empty() {
        return Ok(value.clone());
    }
    let Some(mut segments) = split_key(&format!("x.{path}")) else {
        return fault("Syntax error in dotted-navigation string");
    };
    segments.remove(0);
    if !matches!(value, Value::Array(_) | Value::Hash(_)) {
        // This fails with the message of `dig`.
        segments.insert(0, value.clone());
        return call.call_function("dig", &segments);
    }
    match dig(value, &segments) {
        Ok(Value::Undef) => Ok(default.clone()),
        Ok(found) => Ok(found),
        Err(problem) if call.has_block() => call.call_block(&[problem.error()]),
        Err(problem) => fault(problem.message()),
    }
}

fn getvar(call: &mut Call<'_>) -> Eval<Value> {
    let text = call.string(0);
    let is_name = |c: char| c == ':' || c == '_' || c.is_alphanumeric();
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = match rest.strip_prefix('.') {
        Some(path) => path,
        None if rest.is_empty() => "",
        None => {
            let first = rest.chars().next().unwrap_or_default();
            return fault(format!(
                "First character after var name in get string must be a '.' - got {first}"
            ));
        }
    };
    match call.variable(name) {
        Some(value) => get(call, &value, path, call.value(1)),
        None => Ok(call.value(1).clone()),
    }
}

/// Returns the segments of `a.'b.c'.2`; `None` if it is malformed.
///
/// Segments are separated by single dots. Quotes protect dots in a segment; a segment that looks like an integer is one.
pub(crate) fn split_key(key: &str) -> Option<Vec<Value>> {
    if !key.contains(['\'', '"', '.']) {
        return Some(vec![Value::from(key)]);
    }
    let mut segments = Vec::new();
    let mut rest = key;
    loop {
        let (segment, after) = segment(rest)?;
        segments.push(as_key(segment));
        match after.strip_prefix('.') {
            Some(following) => rest = following,
            None if after.is_empty() => return Some(segments),
            None => return None,
        }
    }
}

/// Returns the first segment and the rest.
fn segment(text: &str) -> Option<(&str, &str)> {
    let trimmed = text.trim_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = trimmed.strip_prefix(quote)
            && let Some(end) = quoted.find(quote)
            && end > 0
        {
            let after = quoted[end + 1..].trim_start();
            let end = text.len() - after.len();
            return Some(text.split_at(end));
        }
    }
    let end = text.find(['\'', '"', '.']).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn as_key(segment: &str) -> Value {
    let segment = segment.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
    if segment.starts_with(['"', '\'']) {
        let mut inner = segment.chars();
        inner.next();
        inner.next_back();
        return Value::from(inner.as_str());
    }
    let digits = segment.strip_prefix(':').unwrap_or(segment);
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return Value::from(segment);
    }
    // After a colon, Ruby parses just a zero.
    let number = if segment.starts_with(':') { Some(0) } else { digits.parse().ok() };
    number.map_or_else(|| Value::from(segment), Value::Integer)
}
