//! The request and its parts.

use super::super::{NO_PARAMS, NOTHING, ONE_NAME, attribute, method};
use super::HEADERS;
use crate::fail::FailCode;
use crate::module::{Count, Form, Object, Param, Returns, Run};
use crate::modules::net::IP;
use crate::transaction::Transaction;
use crate::uri;
use crate::value::{Side, Value};

/// A request.
pub static REQUEST: Object = Object {
    name: "Request",
    doc: "A request of HTTP.",
    is_single: true,
    members: &[
        attribute(
            "method",
            "`GET`, `POST`, …",
            Returns::Text,
            Run::Field(|t| t.message.request.method),
        ),
        attribute(
            "version",
            "`HTTP/1.1`",
            Returns::Text,
            Run::Field(|t| t.message.request.version),
        ),
        attribute("uri", "The URI of the request.", Returns::Object(&URI), NOTHING),
        attribute(
            "clientIp",
            "The address of the client.",
            Returns::Object(&IP),
            Run::Read(client_ip),
        )
        .fails("the host does not know it"),
        attribute(
            "headers",
            "The header fields.",
            Returns::Object(&HEADERS),
            Run::Constant(Value::Headers(Side::Request)),
        ),
        attribute("cookies", "The cookies.", Returns::Object(&COOKIES), NOTHING),
        attribute(
            "tls",
            "The identity that the client proved by its certificate.",
            Returns::Object(&TLS),
            NOTHING,
        ),
    ],
};

/// The URI of the request.
pub static URI: Object = Object {
    name: "Uri",
    doc: "The URI of a request.",
    is_single: true,
    members: &[
        attribute(
            "scheme",
            "`http` or `https`",
            Returns::Text,
            Run::Field(|t| t.message.request.scheme),
        ),
        attribute(
            "host",
            "The name of the server, in lower case.",
            Returns::Text,
            Run::Field(|t| t.message.request.host),
        ),
        attribute("port", "The port.", Returns::Number, Run::Read(port)),
        attribute(
            "path",
            "The path: unneeded escapes resolved, no `.`, `..` and empty segments.",
            Returns::Text,
            Run::Field(|t| t.message.request.path),
        ),
        attribute(
            "rawPath",
            "The path as it came.",
            Returns::Text,
            Run::Field(|t| t.message.request.raw_path),
        ),
        attribute(
            "query",
            "The query: the part after `?`.",
            Returns::Text,
            Run::Field(|t| t.message.request.query),
        ),
        method(
            "param",
            "The value of the one parameter of that name in the query.",
            ONE_NAME,
            Returns::Text,
            param,
        )
        .makes()
        .fails("there is none, or more than one"),
        attribute("params", "The parameters of the query.", Returns::Object(&PARAMS), NOTHING),
        method("segment", "A segment of the path, counted from 0.", INDEX, Returns::Text, segment)
            .fails("the path is shorter"),
        method(
            "looksLikeHome",
            "Whether the path is that of a home page: `/` or an index.",
            NO_PARAMS,
            Returns::Boolean,
            looks_like_home,
        ),
    ],
};

/// Parameters of a query.
pub static PARAMS: Object = Object {
    name: "Params",
    doc: "The parameters of a query.",
    is_single: true,
    members: &[
        method(
            "have",
            "Whether there is a parameter of that name, or one with that value.",
            NAME_VALUE,
            Returns::Boolean,
            have_param,
        ),
        method(
            "count",
            "The number of parameters of that name.",
            ONE_NAME,
            Returns::Number,
            count_params,
        ),
    ],
};

/// Cookies.
pub static COOKIES: Object = Object {
    name: "Cookies",
    doc: "The cookies of a request.",
    is_single: true,
    members: &[
        method(
            "have",
            "Whether there is a cookie of that name.",
            ONE_NAME,
            Returns::Boolean,
            have_cookie,
        )
        .reads(),
        method(
            "value",
            "The value of the one cookie of that name.",
            ONE_NAME,
            Returns::Text,
            cookie,
        )
        .fails("there is none, or more than one")
        .reads(),
    ],
};

/// The client's certificate.
pub static TLS: Object = Object {
    name: "Tls",
    doc: "The identity that the client proved by its certificate.",
    is_single: true,
    members: &[
        attribute(
            "verified",
            "Whether a trusted authority signed the client's certificate.",
            Returns::Boolean,
            Run::Read(verified),
        ),
        attribute(
            "subjectCn",
            "The common name of the certificate's subject.",
            Returns::Text,
            Run::Read(subject_cn),
        )
        .fails("there is no verified certificate"),
    ],
};

static NAME_VALUE: &[Param] = &[Param::text("name"), Param::text("value").count(Count::Optional)];
static INDEX: &[Param] = &[Param::number("index").form(Form::Natural)];

fn client_ip<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    transaction.message.request.client.map(Value::Ip).ok_or(FailCode::Absent)
}

fn port<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Number(i64::from(transaction.message.request.port)))
}

fn param<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let name = args[0].text();
    let params = uri::params(transaction.message.request.query);
    let value = only(params.filter(|(key, _)| uri::means(key, name)).map(|(_, value)| value))?;
    match uri::decode_query(value) {
        std::borrow::Cow::Borrowed(value) => Ok(Value::Text(value)),
        std::borrow::Cow::Owned(value) => transaction.make(&[&value]).map(Value::Text),
    }
}

/// Returns the only element; fails if there are none or several.
fn only<T>(mut elements: impl Iterator<Item = T>) -> Result<T, FailCode> {
    let first = elements.next().ok_or(FailCode::Absent)?;
    if elements.next().is_some() { Err(FailCode::Several) } else { Ok(first) }
}

fn have_param<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let params = uri::params(transaction.message.request.query);
    let mut values =
        params.filter(|(key, _)| uri::means(key, args[0].text())).map(|(_, value)| value);
    Ok(Value::Boolean(match args.get(1) {
        Some(wanted) => values.any(|value| uri::means(value, wanted.text())),
        None => values.next().is_some(),
    }))
}

fn count_params<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let params = uri::params(transaction.message.request.query);
    let count = params.filter(|(key, _)| uri::means(key, args[0].text())).count();
    i64::try_from(count).map(Value::Number).map_err(|_| FailCode::Overflow)
}

fn segment<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let path = transaction.message.request.path;
    let index = usize::try_from(args[0].number()).map_err(|_| FailCode::Absent)?;
    let mut segments = path.strip_prefix(b"/").unwrap_or(path).split(|byte| *byte == b'/');
    let segment = segments.nth(index).filter(|segment| !segment.is_empty());
    segment.map(Value::Text).ok_or(FailCode::Absent)
}

fn looks_like_home<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let path = transaction.message.request.path;
    let index = path.strip_prefix(b"/").unwrap_or(path);
    let is_index =
        matches!(index, b"index" | b"index.html" | b"index.htm" | b"index.php" | b"home");
    Ok(Value::Boolean(index.is_empty() || is_index))
}

fn cookies<'a>(transaction: &Transaction<'a>, name: &[u8]) -> impl Iterator<Item = &'a [u8]> {
    let fields = transaction.headers(Side::Request).iter();
    let fields = fields.filter(|field| field.name.eq_ignore_ascii_case(b"cookie"));
    let pairs = fields.flat_map(|field| field.value.split(|byte| *byte == b';'));
    pairs.filter_map(move |pair| {
        let pair = pair.trim_ascii();
        let at = memchr::memchr(b'=', pair)?;
        (pair[..at] == *name).then_some(&pair[at + 1..])
    })
}

fn have_cookie<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Boolean(cookies(transaction, args[0].text()).next().is_some()))
}

fn cookie<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    only(cookies(transaction, args[0].text())).map(Value::Text)
}

fn verified<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Boolean(transaction.message.request.tls.is_verified))
}

fn subject_cn<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let tls = &transaction.message.request.tls;
    let name = tls.common_name.filter(|_| tls.is_verified);
    name.map(Value::Text).ok_or(FailCode::Absent)
}
