//! Module Route: the destination of a message.

use super::action;
use crate::fail::FailCode;
use crate::module::{Form, Member, Module, Param, Touches};
use crate::transaction::Transaction;
use crate::value::Value;

/// The module.
pub static MODULE: Module = Module {
    name: "Route",
    uri: "https://kukla.dev/p/Route",
    doc: "The destination of a message. The last call counts.",
    is_preset: true,
    protocol: None,
    members: MEMBERS,
    objects: &[],
};

static POOL: &[Param] = &[Param::text("pool").form(Form::Pool)];
static PATH: &[Param] = &[Param::text("path").form(Form::Path)];
static MILLISECONDS: &[Param] = &[Param::number("milliseconds").form(Form::Natural)];

static MEMBERS: &[Member] = &[
    action("to", "To that pool of servers.", POOL, to).touches(Touches::Acts),
    action("rewrite", "Ask the server for that path instead.", PATH, rewrite)
        .fails("the path does not start with a slash")
        .touches(Touches::Acts),
    action("timeout", "Wait no longer than that.", MILLISECONDS, timeout)
        .fails("the number is negative")
        .touches(Touches::Acts),
];

fn to<'a>(
    transaction: &mut Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let pool = Some(args[0].text());
    transaction.change(|state| state.route.pool = pool);
    Ok(Value::Nothing)
}

fn rewrite<'a>(
    transaction: &mut Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let path = args[0].text();
    // A line break would let a program inject a second request.
    if !path.starts_with(b"/") || path.iter().any(|byte| byte.is_ascii_control() || *byte == b' ') {
        return Err(FailCode::Malformed);
    }
    transaction.change(|state| state.route.path = Some(path));
    Ok(Value::Nothing)
}

fn timeout<'a>(
    transaction: &mut Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let milliseconds = args[0].number();
    if milliseconds < 0 {
        return Err(FailCode::Malformed);
    }
    transaction.change(|state| state.route.timeout = Some(milliseconds));
    Ok(Value::Nothing)
}
