//! Questions of Ruby code to name servers.

use std::net::IpAddr;
use std::time::Duration;

use kukla_foreign::NameQuestion;
use kukla_pcore::{Hash, Value};
use kukla_world::{NameQuery, NameRecord, NameReply};

/// The longest time that one question may take, in seconds.
const MAX_SECONDS: f64 = 60.0;

/// Returns the question for the machine; `None` if the server has no address.
pub(crate) fn query(server: &str, port: u16, question: NameQuestion<'_>) -> Option<NameQuery> {
    let server: IpAddr = server.parse().ok()?;
    let seconds = question.seconds.clamp(0.0, MAX_SECONDS);
    Some(NameQuery {
        server,
        port,
        name: question.name.to_owned(),
        kind: question.kind,
        timeout: Duration::try_from_secs_f64(seconds).ok()?,
    })
}

/// Returns a reply as Ruby code sees it.
pub(crate) fn value(reply: &NameReply) -> Value {
    let records = reply.records.iter().map(record).collect::<Vec<_>>();
    hash([("code", Value::Integer(reply.code.into())), ("records", Value::array(records))])
}

fn record(record: &NameRecord) -> Value {
    let text = |text: &str| Value::from(text);
    let bytes = |bytes: &Vec<u8>| text(&String::from_utf8_lossy(bytes));
    let numbers = record.numbers.iter().copied().map(Value::Integer).collect::<Vec<_>>();
    let strings = record.texts.iter().map(bytes).collect::<Vec<_>>();
    let address = record.address.map(|address| text(&address.to_string()));
    let name = |index: usize| record.names.get(index).map_or(Value::Undef, |name| text(name));
    hash([
        ("name", text(&record.name)),
        ("kind", Value::Integer(record.kind.into())),
        ("ttl", Value::Integer(record.ttl.into())),
        ("address", address.unwrap_or(Value::Undef)),
        ("target", name(0)),
        ("mname", name(0)),
        ("rname", name(1)),
        ("numbers", Value::array(numbers)),
        ("strings", Value::array(strings)),
    ])
}

fn hash<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let mut hash = Hash::with_capacity(N);
    for (key, value) in entries {
        hash.insert(Value::from(key), value);
    }
    Value::hash(hash)
}
