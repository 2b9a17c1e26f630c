//! The response, the current message, its body and its connection.

use super::super::{NO_PARAMS, NOTHING, attribute, method};
use super::HEADERS;
use crate::fail::FailCode;
use crate::module::{Form, Object, Param, Returns, Run};
use crate::transaction::Transaction;
use crate::value::{Side, Value};

/// A response.
pub static RESPONSE: Object = Object {
    name: "Response",
    doc: "A response of HTTP.",
    is_single: true,
    members: &[
        attribute("status", "200, 404, …", Returns::Number, Run::Read(status)).reads(),
        attribute(
            "headers",
            "The header fields.",
            Returns::Object(&HEADERS),
            Run::Constant(Value::Headers(Side::Response)),
        ),
        method(
            "language_is",
            "Whether `Content-Language` lists the language, by its tag or its English name.",
            LANGUAGE,
            Returns::Boolean,
            language_is,
        )
        .reads(),
    ],
};

/// The current message: the request, or the response if there is one.
pub static MESSAGE: Object = Object {
    name: "Message",
    doc: "The message that is processed: the response if there is one, else the request.",
    is_single: true,
    members: &[
        attribute(
            "headers",
            "The header fields.",
            Returns::Object(&HEADERS),
            Run::Read(current_headers),
        ),
        attribute("body", "The body.", Returns::Object(&BODY), NOTHING),
    ],
};

/// A body.
pub static BODY: Object = Object {
    name: "Body",
    doc: "The body of the message.",
    is_single: true,
    members: &[
        attribute(
            "type",
            "Its media type, without parameters: `text/html`.",
            Returns::Text,
            Run::Read(media_type),
        )
        .fails("`Content-Type` is missing, or there twice")
        .reads(),
        attribute("size", "Its size in bytes.", Returns::Number, Run::Read(body_size))
            .fails("the size is not known yet")
            .reads(),
        method(
            "preview",
            "Its first bytes, as many as there are but no more than that.",
            LENGTH,
            Returns::Text,
            preview,
        )
        .fails("the host does not have the body")
        .reads(),
    ],
};

/// A connection.
pub static CONNECTION: Object = Object {
    name: "Connection",
    doc: "The connection to the client.",
    is_single: true,
    members: &[method(
        "is_persistent",
        "Whether the connection stays open after this exchange.",
        NO_PARAMS,
        Returns::Boolean,
        is_persistent,
    )],
};

static LANGUAGE: &[Param] = &[Param::text("language")];
static LENGTH: &[Param] = &[Param::number("bytes").form(Form::Natural)];

/// Returns the response; fails if there is none.
pub(super) fn response<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    transaction.message.response.as_ref().map(|_| Value::Nothing).ok_or(FailCode::Phase)
}

pub(super) fn phase<'a>(transaction: &Transaction<'a>) -> &'a [u8] {
    match transaction.message.response {
        Some(_) => b"response",
        None => b"request",
    }
}

pub(super) fn point<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let has_response = transaction.message.response.is_some();
    let point = transaction.message.point.unwrap_or(if has_response { 3 } else { 1 });
    Ok(Value::Number(i64::from(point)))
}

fn status<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Number(i64::from(transaction.state().status)))
}

fn current_headers<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let has_response = transaction.message.response.is_some();
    Ok(Value::Headers(if has_response { Side::Response } else { Side::Request }))
}

/// English names of languages, since rules say `german` where messages have `de`.
const LANGUAGES: &[(&str, &str)] = &[
    ("arabic", "ar"),
    ("chinese", "zh"),
    ("czech", "cs"),
    ("danish", "da"),
    ("dutch", "nl"),
    ("english", "en"),
    ("finnish", "fi"),
    ("french", "fr"),
    ("german", "de"),
    ("greek", "el"),
    ("hebrew", "he"),
    ("hindi", "hi"),
    ("hungarian", "hu"),
    ("italian", "it"),
    ("japanese", "ja"),
    ("korean", "ko"),
    ("norwegian", "no"),
    ("polish", "pl"),
    ("portuguese", "pt"),
    ("russian", "ru"),
    ("spanish", "es"),
    ("swedish", "sv"),
    ("turkish", "tr"),
    ("ukrainian", "uk"),
];

fn language_is<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let wanted = args[0].text();
    let tag = LANGUAGES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(wanted));
    let tag = tag.map_or(wanted, |(_, tag)| tag.as_bytes());
    let fields = transaction.headers(Side::Response).iter();
    let fields = fields.filter(|field| field.name.eq_ignore_ascii_case(b"content-language"));
    let mut listed = fields.flat_map(|field| field.value.split(|byte| *byte == b','));
    Ok(Value::Boolean(listed.any(|listed| is_language(listed.trim_ascii(), tag))))
}

/// Whether a listed language tag includes another: `de` includes `de-AT`.
fn is_language(listed: &[u8], tag: &[u8]) -> bool {
    let Some(start) = listed.get(..tag.len()) else { return false };
    start.eq_ignore_ascii_case(tag) && matches!(listed.get(tag.len()), None | Some(b'-'))
}

fn body_size<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let size = transaction.state().body.size.and_then(|size| i64::try_from(size).ok());
    size.map(Value::Number).ok_or(FailCode::Absent)
}

fn media_type<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let has_response = transaction.message.response.is_some();
    let side = if has_response { Side::Response } else { Side::Request };
    let fields = transaction.headers(side).iter();
    let mut types = fields.filter(|field| field.name.eq_ignore_ascii_case(b"content-type"));
    let first = types.next().ok_or(FailCode::Absent)?;
    if types.next().is_some() {
        return Err(FailCode::Several);
    }
    let end = memchr::memchr(b';', first.value).unwrap_or(first.value.len());
    Ok(Value::Text(first.value[..end].trim_ascii()))
}

fn preview<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let body = transaction.state().body.preview.ok_or(FailCode::Absent)?;
    let length = usize::try_from(args[0].number()).map_err(|_| FailCode::Malformed)?;
    Ok(Value::Text(&body[..length.min(body.len())]))
}

fn is_persistent<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Boolean(transaction.message.request.is_persistent))
}
