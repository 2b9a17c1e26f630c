//! Module Http: metadata of an HTTP message, and a bounded beginning of its body.

mod headers;
mod request;
mod response;

pub use headers::{HEADER, HEADERS};
pub(crate) use headers::{is_field_name, is_field_value};
pub use request::{COOKIES, PARAMS, REQUEST, TLS, URI};
pub use response::{BODY, CONNECTION, MESSAGE, RESPONSE};

use super::{NOTHING, attribute, method, special};
use crate::fail::FailCode;
use crate::module::{Count, Form, Member, Module, Param, Protocol, Returns, Run, Special, Touches};
use crate::transaction::Transaction;
use crate::value::{Field, Value};

/// The module.
pub static MODULE: Module = Module {
    name: "Http",
    uri: "http://ietf.org/opes/rules/p/HTTP",
    doc: "The message of an exchange of HTTP.",
    is_preset: false,
    protocol: Some(Protocol::Http),
    members: MEMBERS,
    objects: &[
        &MESSAGE,
        &REQUEST,
        &RESPONSE,
        &URI,
        &PARAMS,
        &HEADERS,
        &HEADER,
        &COOKIES,
        &TLS,
        &BODY,
        &CONNECTION,
    ],
};

/// Parts of a message that can be passed to a service.
pub static PARTS: &[Returns] = &[
    Returns::Object(&HEADERS),
    Returns::Object(&HEADER),
    Returns::Object(&REQUEST),
    Returns::Object(&RESPONSE),
    Returns::Text,
];

pub(super) static MAKE_HEADER: &[Param] =
    &[Param::text("name").form(Form::HeaderName), Param::text("value").count(Count::Optional)];
static RESPOND: &[Param] = &[Param::number("status").form(Form::Status), Param::text("text")];

static MEMBERS: &[Member] = &[
    attribute(
        "message",
        "The message that is processed: the response if there is one, else the request.",
        Returns::Object(&MESSAGE),
        NOTHING,
    ),
    attribute("request", "The request.", Returns::Object(&REQUEST), NOTHING),
    attribute(
        "response",
        "The response.",
        Returns::Object(&RESPONSE),
        Run::Read(response::response),
    )
    .fails("there is no response yet")
    .in_response(),
    attribute("phase", "`request` or `response`.", Returns::Text, Run::Field(response::phase)),
    attribute(
        "point",
        "Where in the exchange the program runs: 1 is a request from a client, 2 a request to a server, 3 a response from a server, 4 a response to a client.",
        Returns::Number,
        Run::Read(response::point),
    ),
    attribute("connection", "The connection to the client.", Returns::Object(&CONNECTION), NOTHING),
    method(
        "makeHeader",
        "A header field to look for or to add; without a value, any of that name.",
        MAKE_HEADER,
        Returns::Object(&HEADER),
        make_header,
    )
    .makes(),
    special(
        "respond",
        "Answers the client at once, and ends the program.",
        RESPOND,
        Returns::Never,
        Special::Respond,
    )
    .touches(Touches::Acts),
];

pub(super) fn make_header<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    transaction.take(std::mem::size_of::<Field<'_>>())?;
    let field = Field { name: args[0].text(), value: args.get(1).map(|value| value.text()) };
    Ok(Value::Header(transaction.arena.alloc(field)))
}
