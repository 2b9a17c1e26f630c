//! Messages of both sides.

use kukla_foreign::{ErrorKind, Host, HostError, RubyError};
use kukla_pcore::convert::{Convert, Present};
use kukla_pcore::time::Timestamp;
use kukla_pcore::types::NoNames;
use kukla_pcore::{Value, richdata};

use crate::WorkerError;

/// A message from the Ruby process.
#[derive(Debug)]
pub(crate) enum Said {
    /// The result of a request.
    Done(Vec<Value>),
    /// An exception in place of a result.
    Raised(RubyError),
    /// A callback to be served meanwhile.
    Do(String, Vec<Value>),
}

impl Said {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, WorkerError> {
        let Value::Array(parts) = crate::msgpack::read(bytes)? else {
            return Err(WorkerError::Nonsense("a message is no list"));
        };
        let rest = |n: usize| parts.iter().skip(n).cloned().collect();
        match (text(&parts, 0).as_str(), text(&parts, 1)) {
            ("ok", _) => Ok(Self::Done(rest(1))),
            ("do", what) => Ok(Self::Do(what, rest(2))),
            ("raise", class) => Ok(Self::Raised(RubyError {
                kind: ErrorKind::Raised,
                class,
                message: text(&parts, 2),
                file: text(&parts, 3),
                line: number(&parts, 4).unwrap_or(0),
                host_id: number(&parts, 5),
            })),
            _ => Err(WorkerError::Nonsense("there is no such message")),
        }
    }
}

/// Returns a part of a message that is text.
pub(crate) fn text(parts: &[Value], n: usize) -> String {
    parts.get(n).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn number<T: TryFrom<i64>>(parts: &[Value], n: usize) -> Option<T> {
    match parts.get(n)? {
        Value::Integer(number) => T::try_from(*number).ok(),
        _ => None,
    }
}

/// Returns the message of a request.
pub(crate) fn request(what: &str, parts: impl IntoIterator<Item = Value>) -> Value {
    Value::array(std::iter::once(Value::string(what)).chain(parts))
}

/// Returns the message that answers a callback.
pub(crate) fn answer(result: Result<Value, HostError>) -> Value {
    match result {
        Ok(value) => request("ok", [value]),
        Err(error) => {
            let id = error.id.and_then(|id| i64::try_from(id).ok());
            let id = id.map_or(Value::Undef, Value::Integer);
            request("raise", [Value::string(error.class), Value::string(error.message), id])
        }
    }
}

/// Returns the value that data encodes.
pub(crate) fn rich(data: Value, host: &mut dyn Host) -> Result<Value, HostError> {
    if !crate::msgpack::is_rich(&data) {
        return Ok(data);
    }
    let (seconds, nanoseconds, utc_offset) = host.now();
    let now = Timestamp(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds));
    let present = move || Present { now, utc_offset };
    let convert = Convert::new(&NoNames, &present);
    let lost = |error: richdata::DataError| HostError::parse_error(error.to_string());
    richdata::from_data(&data, &convert).map_err(lost)
}
