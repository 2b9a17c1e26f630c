//! Module Net: addresses and networks.

use super::{ONE_TEXT, Param, attribute, method, special};
use crate::fail::FailCode;
use crate::ip::Ip;
use crate::module::{Count, Form, Member, Module, Object, Returns, Run, Special};
use crate::transaction::Transaction;
use crate::value::Value;

/// The module.
pub static MODULE: Module = Module {
    name: "Net",
    uri: "https://kukla.dev/p/Net",
    doc: "Addresses and networks.",
    is_preset: false,
    protocol: None,
    members: MEMBERS,
    objects: &[&IP, &NET_SET],
};

/// An address.
pub static IP: Object = Object {
    name: "Ip",
    doc: "An address, of version 4 or 6.",
    is_single: false,
    members: &[
        attribute("text", "The address as a string.", Returns::Text, Run::Read(text)).makes(),
        attribute("version", "4 or 6.", Returns::Number, Run::Read(version)),
    ],
};

/// A set of networks.
pub static NET_SET: Object = Object {
    name: "NetSet",
    doc: "A set of networks.",
    is_single: false,
    members: &[method(
        "has",
        "Whether the address is in one of the networks; a string must be an address.",
        ADDRESS,
        Returns::Boolean,
        has,
    )
    .fails("a string is no address")],
};

static ADDRESS: &[Param] =
    &[Param::new("address", &[Returns::Object(&IP), Returns::Text]).form(Form::Ip)];
static NETWORKS: &[Param] = &[Param::text("network").count(Count::Many).form(Form::Cidr)];

static MEMBERS: &[Member] = &[
    method("ip", "The address in the string.", ONE_TEXT, Returns::Object(&IP), ip)
        .fails("the string is no address"),
    special(
        "set",
        "A set of these networks, such as `10.0.0.0/8`.",
        NETWORKS,
        Returns::Object(&NET_SET),
        Special::NetSet,
    ),
];

fn ip<'a>(_: &Transaction<'a>, _: Value<'a>, args: &[Value<'a>]) -> Result<Value<'a>, FailCode> {
    Ip::parse(args[0].text()).map(Value::Ip).ok_or(FailCode::Malformed)
}

fn has<'a>(_: &Transaction<'a>, set: Value<'a>, args: &[Value<'a>]) -> Result<Value<'a>, FailCode> {
    let Value::NetSet(set) = set else { return Err(FailCode::Host) };
    let ip = match args[0] {
        Value::Ip(ip) => ip,
        text => Ip::parse(text.text()).ok_or(FailCode::Malformed)?,
    };
    Ok(Value::Boolean(set.has(ip)))
}

fn text<'a>(
    transaction: &Transaction<'a>,
    ip: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let Value::Ip(ip) = ip else { return Err(FailCode::Host) };
    transaction.make(&[ip.to_string().as_bytes()]).map(Value::Text)
}

fn version<'a>(_: &Transaction<'a>, ip: Value<'a>, _: &[Value<'a>]) -> Result<Value<'a>, FailCode> {
    let Value::Ip(ip) = ip else { return Err(FailCode::Host) };
    Ok(Value::Number(ip.version()))
}
