//! Module Time: the clock, read once per message.

use super::{NO_PARAMS, attribute, method};
use crate::fail::FailCode;
use crate::module::{Form, Member, Module, Param, Returns, Run};
use crate::transaction::Transaction;
use crate::value::Value;

/// The module.
pub static MODULE: Module = Module {
    name: "Time",
    uri: "https://kukla.dev/p/Time",
    doc: "The time. It stands still while a program runs.",
    is_preset: false,
    protocol: None,
    members: MEMBERS,
    objects: &[],
};

static HOUR_MINUTE: &[Param] =
    &[Param::number("hour").form(Form::Hour), Param::number("minute").form(Form::Minute)];

static MEMBERS: &[Member] = &[
    method("now", "Seconds since 1970.", NO_PARAMS, Returns::Number, now),
    method("current", "Seconds since midnight, local time.", NO_PARAMS, Returns::Number, current),
    method("weekday", "1 is Monday, 7 is Sunday.", NO_PARAMS, Returns::Number, weekday),
    attribute("noon", "The noon of `current()`: 43200.", Returns::Number, Run::Read(noon)),
    method(
        "at",
        "That time of the day, to compare with `current()`.",
        HOUR_MINUTE,
        Returns::Number,
        at,
    )
    .fails("there is no such time"),
];

fn now<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Number(transaction.message.clock.epoch))
}

fn current<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Number(transaction.message.clock.day_second))
}

fn weekday<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Number(transaction.message.clock.weekday))
}

fn noon<'a>(_: &Transaction<'a>, _: Value<'a>, _: &[Value<'a>]) -> Result<Value<'a>, FailCode> {
    Ok(Value::Number(12 * 3600))
}

fn at<'a>(_: &Transaction<'a>, _: Value<'a>, args: &[Value<'a>]) -> Result<Value<'a>, FailCode> {
    let (hour, minute) = (args[0].number(), args[1].number());
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute);
    if is_time { Ok(Value::Number(hour * 3600 + minute * 60)) } else { Err(FailCode::Malformed) }
}
