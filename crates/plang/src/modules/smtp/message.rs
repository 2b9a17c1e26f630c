//! The mail itself: its header fields and its body.

use super::super::http::{BODY, HEADERS};
use super::super::{NOTHING, attribute};
use super::require;
use crate::fail::FailCode;
use crate::mail::Phase;
use crate::module::{Object, Returns, Run};
use crate::transaction::Transaction;
use crate::value::{Side, Value};

/// A mail.
pub static MAIL: Object = Object {
    name: "Mail",
    doc: "A mail: header fields and a body.",
    is_single: true,
    members: &[
        attribute(
            "headers",
            "The header fields; those that go over several lines are one line here.",
            Returns::Object(&HEADERS),
            Run::Constant(Value::Headers(Side::Request)),
        ),
        attribute("body", "The body, as it was sent.", Returns::Object(&BODY), NOTHING),
    ],
};

/// Returns the mail; fails before it has arrived.
pub(super) fn message<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    require(transaction, Phase::Data).map(|()| Value::Nothing)
}
