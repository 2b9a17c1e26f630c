//! Header fields.

use super::super::{ONE_NAME, about, action, attribute, method};
use crate::fail::FailCode;
use crate::message::Pair;
use crate::module::{Form, Member, Object, Param, Returns, Run};
use crate::text;
use crate::transaction::Transaction;
use crate::value::{Field, Side, Value};

/// A header field.
pub static HEADER: Object = Object {
    name: "Header",
    doc: "A header field built by the program.",
    is_single: false,
    members: &[
        attribute("name", "Its name.", Returns::Text, Run::Read(name)),
        attribute("value", "Its value.", Returns::Text, Run::Read(value_of_header))
            .fails("it was made without a value"),
    ],
};

/// Header fields.
pub static HEADERS: Object = Object {
    name: "Headers",
    doc: "The header fields of a message. Names are compared without regard to case.",
    is_single: false,
    members: MEMBERS,
};

static WANTED: &[Param] =
    &[Param::new("field", &[Returns::Text, Returns::Object(&HEADER)]).form(Form::HeaderName)];
static NAME: &[Param] = &[Param::text("name").form(Form::HeaderName)];
static NAME_VALUE: &[Param] = &[Param::text("name").form(Form::HeaderName), Param::text("value")];

static MEMBERS: &[Member] = &[
    method("have", "Whether there is such a field; of a field with a value, whether one has that value or lists it.", WANTED, Returns::Boolean, have)
        .reads(),
    about("value", "The value of the one field of that name.", NAME, Returns::Text, value)
        .fails("there is none, or more than one"),
    about("count", "The number of fields of that name.", NAME, Returns::Number, count),
    action("add", "Adds a field.", NAME_VALUE, add).fails("name or value can't be in a message"),
    action("set", "Sets a field; others of that name go.", NAME_VALUE, set)
        .fails("name or value can't be in a message"),
    action("remove", "Takes all fields of that name away.", ONE_NAME, remove),
];

fn name<'a>(
    _: &Transaction<'a>,
    header: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let Value::Header(field) = header else { return Err(FailCode::Host) };
    Ok(Value::Text(field.name))
}

fn value_of_header<'a>(
    _: &Transaction<'a>,
    header: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let Value::Header(field) = header else { return Err(FailCode::Host) };
    field.value.map(Value::Text).ok_or(FailCode::Absent)
}

fn fields<'a>(
    transaction: &Transaction<'a>,
    headers: Value<'a>,
) -> Result<(Side, &'a [Pair<'a>]), FailCode> {
    let side = headers.side().ok_or(FailCode::Host)?;
    Ok((side, transaction.headers(side)))
}

/// Returns the values of all fields of a name.
fn values<'a>(fields: &'a [Pair<'a>], name: &[u8]) -> impl Iterator<Item = &'a [u8]> {
    let wanted = fields.iter().filter(move |field| is(field, name));
    wanted.map(|field| field.value)
}

#[inline]
fn is(field: &Pair<'_>, name: &[u8]) -> bool {
    text::same_ignoring_case(field.name, name)
}

fn have<'a>(
    transaction: &Transaction<'a>,
    headers: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let (_, fields) = fields(transaction, headers)?;
    let has = match args[0] {
        Value::Header(Field { name, value: Some(wanted) }) => {
            values(fields, name).any(|value| lists(name, value, wanted))
        }
        Value::Header(Field { name, value: None }) => values(fields, name).next().is_some(),
        name => values(fields, name.text()).next().is_some(),
    };
    Ok(Value::Boolean(has))
}

/// Whether a field's value equals `wanted` or lists it: `Cookie` uses semicolons, other fields commas.
fn lists(name: &[u8], value: &[u8], wanted: &[u8]) -> bool {
    let separator = if name.eq_ignore_ascii_case(b"cookie") { b';' } else { b',' };
    let mut elements = value.split(|byte| *byte == separator);
    value == wanted || elements.any(|element| element.trim_ascii() == wanted)
}

fn value<'a>(fields: &'a [Pair<'a>], name: &[u8]) -> Result<Value<'a>, FailCode> {
    let mut found = None;
    for field in fields {
        if is(field, name) && found.replace(field.value).is_some() {
            return Err(FailCode::Several);
        }
    }
    found.map(Value::Text).ok_or(FailCode::Absent)
}

fn count<'a>(fields: &'a [Pair<'a>], name: &[u8]) -> Result<Value<'a>, FailCode> {
    let count = values(fields, name).count();
    i64::try_from(count).map(Value::Number).map_err(|_| FailCode::Overflow)
}

fn add<'a>(
    transaction: &mut Transaction<'a>,
    headers: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let (side, old) = fields(transaction, headers)?;
    let field = field(args)?;
    let new: Vec<Pair<'a>> = old.iter().copied().chain([field]).collect();
    transaction.set_headers(side, &new)?;
    Ok(Value::Nothing)
}

/// Replaces all fields of a name; the first keeps its position.
fn set<'a>(
    transaction: &mut Transaction<'a>,
    headers: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let (side, old) = fields(transaction, headers)?;
    let field = field(args)?;
    let place = old.iter().position(|old| is(old, field.name)).unwrap_or(old.len());
    let mut new: Vec<Pair<'a>> = old.to_vec();
    new.retain(|old| !is(old, field.name));
    new.insert(place, field);
    transaction.set_headers(side, &new)?;
    Ok(Value::Nothing)
}

fn remove<'a>(
    transaction: &mut Transaction<'a>,
    headers: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let (side, old) = fields(transaction, headers)?;
    let new: Vec<Pair<'a>> =
        old.iter().filter(|field| !is(field, args[0].text())).copied().collect();
    transaction.set_headers(side, &new)?;
    Ok(Value::Nothing)
}

/// Builds a field that is valid in a message: a line break in a value could inject another field, and servers disagree
/// on other control characters.
fn field<'a>(args: &[Value<'a>]) -> Result<Pair<'a>, FailCode> {
    let field = Pair { name: args[0].text(), value: args[1].text() };
    match is_field_name(field.name) && is_field_value(field.value) {
        true => Ok(field),
        false => Err(FailCode::Malformed),
    }
}

/// Whether the text is a valid field value: without control characters but tabs.
pub(crate) fn is_field_value(value: &[u8]) -> bool {
    !value.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t')
}

/// Whether the text is a valid field name.
pub(crate) fn is_field_name(name: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !name.is_empty() && name.iter().all(is_token)
}
