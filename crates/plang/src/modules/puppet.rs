//! Module Puppet: requests to a Puppet server, derived from the path and the client's certificate.

use super::{NOTHING, ONE_NAME, attribute, method};
use crate::fail::FailCode;
use crate::module::{Member, Module, Object, Param, Protocol, Returns, Run};
use crate::transaction::Transaction;
use crate::uri;
use crate::value::Value;

/// The module.
pub static MODULE: Module = Module {
    name: "Puppet",
    uri: "https://kukla.dev/p/Puppet",
    doc: "Requests to a Puppet server, and who makes them.",
    is_preset: false,
    protocol: Some(Protocol::Http),
    members: MEMBERS,
    objects: &[&REQUEST, &CLIENT, &ALT_NAMES, &FACTS, &NODE],
};

static MEMBERS: &[Member] = &[
    attribute("request", "The request to the server.", Returns::Object(&REQUEST), NOTHING),
    attribute("client", "The client that makes the request.", Returns::Object(&CLIENT), NOTHING),
    attribute(
        "facts",
        "Facts that came with the request: for a catalog, or to be stored.",
        Returns::Object(&FACTS),
        NOTHING,
    ),
    attribute("node", "The node that the request is about.", Returns::Object(&NODE), NOTHING),
    attribute(
        "codeId",
        "The version of the code that will be compiled.",
        Returns::Text,
        Run::Read(code_id),
    )
    .fails("it is not known"),
];

/// The request to the server.
pub static REQUEST: Object = Object {
    name: "PuppetRequest",
    doc: "A request to a Puppet server.",
    is_single: true,
    members: &[
        attribute(
            "endpoint",
            "`catalog`, `node`, `file_metadata`, `report`, `facts`, `certificate`, …; empty when it is none.",
            Returns::Text,
            Run::Read(endpoint),
        ),
        attribute("indirection", "An alias of `endpoint`.", Returns::Text, Run::Read(endpoint)),
        attribute(
            "version",
            "`v1`, `v3`, …; empty when there is none.",
            Returns::Text,
            Run::Read(version),
        ),
        attribute(
            "node",
            "The name behind the endpoint, such as the node of a catalog; of `/puppet/v4/catalog` the name in the body.",
            Returns::Text,
            Run::Read(node),
        )
        .fails("there is none"),
        attribute(
            "environment",
            "The requested environment; of `/puppet/v4/catalog` the one in the body.",
            Returns::Text,
            Run::Read(environment),
        )
        .makes()
        .fails("the request names none, or several"),
    ],
};

/// The client.
pub static CLIENT: Object = Object {
    name: "Client",
    doc: "The client of a Puppet server.",
    is_single: true,
    members: &[
        attribute(
            "authenticated",
            "Whether it has a verified certificate.",
            Returns::Boolean,
            Run::Read(authenticated),
        ),
        attribute("certname", "The name in its certificate.", Returns::Text, Run::Read(certname))
            .fails("there is no verified certificate"),
        method(
            "extension",
            "The value of an extension of the certificate, by short name or OID.",
            ONE_NAME,
            Returns::Text,
            extension,
        )
        .fails("there is no such extension, or no verified certificate"),
        method(
            "hasExtension",
            "Whether the certificate has an extension.",
            ONE_NAME,
            Returns::Boolean,
            has_extension,
        ),
        attribute(
            "altNames",
            "Other names in the certificate.",
            Returns::Object(&ALT_NAMES),
            NOTHING,
        ),
    ],
};

/// Subject alternative names of a certificate.
pub static ALT_NAMES: Object = Object {
    name: "AltNames",
    doc: "Other names in a certificate.",
    is_single: true,
    members: &[method(
        "have",
        "Whether the name is one of them.",
        ONE_NAME,
        Returns::Boolean,
        has_alt_name,
    )],
};

/// Facts.
pub static FACTS: Object = Object {
    name: "Facts",
    doc: "Facts of a node. A path is words with dots between them: `os.family`.",
    is_single: true,
    members: &[
        method("have", "Whether there is such a fact.", PATH, Returns::Boolean, has_fact),
        method("text", "The value of a fact that is a string.", PATH, Returns::Text, fact_text)
            .fails("there is no such string"),
        method(
            "number",
            "The value of a fact that is a whole number.",
            PATH,
            Returns::Number,
            fact_number,
        )
        .fails("there is no such number"),
    ],
};

/// A node.
pub static NODE: Object = Object {
    name: "Node",
    doc: "The node that a request is about.",
    is_single: true,
    members: &[method(
        "classified",
        "Whether the class is among those of the node.",
        ONE_NAME,
        Returns::Boolean,
        classified,
    )
    .fails("the classes are not known")],
};

static PATH: &[Param] = &[Param::text("path")];

/// Splits a path: `/puppet/v3/catalog/agent1` has a version, an endpoint and a name.
fn pieces<'a>(transaction: &Transaction<'a>) -> (&'a [u8], &'a [u8], &'a [u8]) {
    let path = transaction.message.request.path;
    let Some(rest) = path.strip_prefix(b"/puppet").and_then(after_service) else {
        return (b"", b"", b"");
    };
    let (version, rest) = split(rest);
    let (endpoint, name) = split(rest);
    (version, endpoint, name)
}

/// Returns the rest after `/puppet/`, `/puppet-ca/` or `/puppet-admin-api/`.
fn after_service(rest: &[u8]) -> Option<&[u8]> {
    let services: [&[u8]; 3] = [b"/", b"-ca/", b"-admin-api/"];
    services.iter().find_map(|service| rest.strip_prefix(*service))
}

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'/', path) {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (path, &path[path.len()..]),
    }
}

fn endpoint<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Text(pieces(transaction).1))
}

fn version<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Text(pieces(transaction).0))
}

fn node<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let name = pieces(transaction).2;
    if !name.is_empty() {
        return Ok(Value::Text(name));
    }
    let order = transaction.message.order.filter(|_| is_order(transaction));
    order.map(|order| Value::Text(order.node.as_bytes())).ok_or(FailCode::Absent)
}

/// Whether node and environment are in the body; a server ignores what the query says of them.
fn is_order(transaction: &Transaction<'_>) -> bool {
    let (version, endpoint, name) = pieces(transaction);
    (version, endpoint, name) == (b"v4", b"catalog", b"")
}

fn environment<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    if is_order(transaction) {
        let order = transaction.message.order.ok_or(FailCode::Absent)?;
        return Ok(Value::Text(order.environment.as_bytes()));
    }
    let mut params = uri::params(transaction.message.request.query)
        .filter(|(name, _)| uri::means(name, b"environment"));
    let (_, value) = params.next().ok_or(FailCode::Absent)?;
    if params.next().is_some() {
        return Err(FailCode::Several);
    }
    match uri::decode_query(value) {
        std::borrow::Cow::Borrowed(value) => Ok(Value::Text(value)),
        std::borrow::Cow::Owned(value) => transaction.make(&[&value]).map(Value::Text),
    }
}

fn code_id<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let id = transaction.message.code_id.ok_or(FailCode::Absent)?;
    Ok(Value::Text(id.as_bytes()))
}

fn authenticated<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let tls = &transaction.message.request.tls;
    Ok(Value::Boolean(tls.is_verified && tls.common_name.is_some()))
}

fn certname<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let tls = &transaction.message.request.tls;
    let name = tls.common_name.filter(|_| tls.is_verified);
    name.map(Value::Text).ok_or(FailCode::Absent)
}

fn find_extension<'a>(transaction: &Transaction<'a>, name: &[u8]) -> Option<&'a [u8]> {
    let tls = &transaction.message.request.tls;
    let mut extensions = tls.extensions.iter().filter(|_| tls.is_verified);
    extensions.find(|(key, _)| key.as_bytes() == name).map(|(_, value)| value.as_bytes())
}

fn extension<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    find_extension(transaction, args[0].text()).map(Value::Text).ok_or(FailCode::Absent)
}

fn has_extension<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Boolean(find_extension(transaction, args[0].text()).is_some()))
}

fn has_alt_name<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let tls = &transaction.message.request.tls;
    let mut names = tls.alt_names.iter().filter(|_| tls.is_verified);
    Ok(Value::Boolean(names.any(|name| name.as_bytes().eq_ignore_ascii_case(args[0].text()))))
}

fn fact<'a>(transaction: &Transaction<'a>, path: &[u8]) -> Option<&'a serde_json::Value> {
    let path = std::str::from_utf8(path).ok()?;
    path.split('.').try_fold(transaction.message.facts?, |facts, word| match facts {
        serde_json::Value::Array(values) => values.get(word.parse::<usize>().ok()?),
        facts => facts.get(word),
    })
}

fn has_fact<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Boolean(fact(transaction, args[0].text()).is_some()))
}

fn fact_text<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let text = fact(transaction, args[0].text()).and_then(|fact| fact.as_str());
    text.map(|text| Value::Text(text.as_bytes())).ok_or(FailCode::Absent)
}

fn fact_number<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let number = fact(transaction, args[0].text()).and_then(|fact| fact.as_i64());
    number.map(Value::Number).ok_or(FailCode::Absent)
}

fn classified<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    // A class that is not known to be there must not pass for one that is not there.
    let mut classes = transaction.message.classes.ok_or(FailCode::Absent)?.iter();
    Ok(Value::Boolean(classes.any(|class| class.as_bytes() == args[0].text())))
}
