//! Module Core: the members that every program can use.

use super::{NO_PARAMS, NOTHING, ONE_TEXT, attribute, method, special};
use crate::fail::FailCode;
use crate::module::{Count, Form, Member, Module, Object, Param, Returns, Special, Touches};
use crate::transaction::Transaction;
use crate::value::Value;

/// The module.
pub static MODULE: Module = Module {
    name: "Core",
    uri: "http://ietf.org/opes/rules/p/Core",
    doc: "The interpreter, conversions and sets.",
    is_preset: true,
    protocol: None,
    members: MEMBERS,
    objects: &[&INTERPRETER, &SET],
};

/// The interpreter itself.
pub static INTERPRETER: Object = Object {
    name: "Interpreter",
    doc: "The interpreter that runs the program.",
    is_single: true,
    members: &[
        special("stop", "Ends the program; effects and decisions so far stand.", NO_PARAMS, Returns::Never, Special::Stop)
            .touches(Touches::Acts),
        special("restart", "Runs the program again from its start on the message as it is now, at most four times.", NO_PARAMS, Returns::Never, Special::Restart)
            .touches(Touches::Acts),
        special("fail", "Fails, for the reason given.", REASON, Returns::Never, Special::Fail)
            .fails("always")
            .touches(Touches::Acts),
        special("languageVersion", "Fails unless this is an interpreter of that version of P.", VERSION, Returns::Nothing, Special::LanguageVersion)
            .fails("the version is not known")
            .touches(Touches::Acts),
    ],
};

/// A set of texts.
pub static SET: Object = Object {
    name: "Set",
    doc: "A set of strings.",
    is_single: false,
    members: &[method(
        "has",
        "Whether the string is in the set.",
        ONE_TEXT,
        Returns::Boolean,
        set_has,
    )],
};

static REASON: &[Param] = &[Param::text("reason")];
static VERSION: &[Param] = &[Param::text("version").form(Form::Version)];
static URI: &[Param] = &[Param::text("module").form(Form::Constant)];
static MODULE_PARAM: &[Param] = &[Param::new("module", &[Returns::Module])];
static MEMBERS_OF_SET: &[Param] = &[Param::text("text").count(Count::Many).form(Form::Constant)];
static LIST: &[Param] = &[Param::text("name").form(Form::List)];
static CAPTURE: &[Param] = &[
    Param::text("text"),
    Param::text("pattern").form(Form::Constant),
    Param::number("group").form(Form::Constant),
];
static ONE_NUMBER: &[Param] = &[Param::number("number")];

static MEMBERS: &[Member] = &[
    attribute("interpreter", "The interpreter.", Returns::Object(&INTERPRETER), NOTHING),
    special(
        "import",
        "The module of that name, as the operator `import`.",
        URI,
        Returns::Module,
        Special::Import,
    ),
    special(
        "lookup",
        "From here on names are looked up in that module too.",
        MODULE_PARAM,
        Returns::Nothing,
        Special::Lookup,
    ),
    special("set", "A set of these strings.", MEMBERS_OF_SET, Returns::Object(&SET), Special::Set),
    special(
        "list",
        "The list of that name in the deployment's registry, as a set.",
        LIST,
        Returns::Object(&SET),
        Special::List,
    ),
    special(
        "capture",
        "The part of the text that a group of the pattern matched; group 0 is the whole match.",
        CAPTURE,
        Returns::Text,
        Special::Capture,
    )
    .fails("the pattern does not match, or the group took no part"),
    method("size", "The number of bytes of a string.", ONE_TEXT, Returns::Number, size),
    method("lower", "The string with ASCII letters in lower case.", ONE_TEXT, Returns::Text, lower)
        .makes(),
    method("number", "The number in the string.", ONE_TEXT, Returns::Number, number)
        .fails("the string is no number of 64 bits"),
    method("text", "The number as a string.", ONE_NUMBER, Returns::Text, text).makes(),
    super::action("log", "Writes a line to the log.", ONE_TEXT, log).touches(Touches::Acts),
];

fn set_has<'a>(
    _: &Transaction<'a>,
    set: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let Value::Set(set) = set else { return Err(FailCode::Host) };
    Ok(Value::Boolean(set.has(args[0].text())))
}

fn size<'a>(_: &Transaction<'a>, _: Value<'a>, args: &[Value<'a>]) -> Result<Value<'a>, FailCode> {
    i64::try_from(args[0].text().len()).map(Value::Number).map_err(|_| FailCode::Overflow)
}

fn lower<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let text = args[0].text();
    if !text.iter().any(u8::is_ascii_uppercase) {
        return Ok(args[0]);
    }
    transaction.take(text.len())?;
    let lower = transaction.arena.alloc_slice_copy(text);
    lower.make_ascii_lowercase();
    Ok(Value::Text(lower))
}

/// Parses a number literal of P with an optional minus: no spaces, no plus, no leading zeros.
fn number<'a>(
    _: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let text = args[0].text();
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_number = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let number = std::str::from_utf8(text).ok().filter(|_| is_number);
    let number = number.and_then(|text| text.parse().ok());
    number.map(Value::Number).ok_or(FailCode::Malformed)
}

fn text<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let text = args[0].number().to_string();
    transaction.make(&[text.as_bytes()]).map(Value::Text)
}

fn log<'a>(
    transaction: &mut Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    transaction.logs.push(args[0].text());
    Ok(Value::Nothing)
}
