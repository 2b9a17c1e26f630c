//! The envelope of a mail: its client, its sender and its recipients.

use std::borrow::Cow;

use super::super::http::TLS;
use super::super::net::IP;
use super::super::{NO_PARAMS, NOTHING, action, attribute, method};
use super::{envelope, require};
use crate::fail::FailCode;
use crate::mail::{self, Phase};
use crate::module::{Form, Object, Param, Returns, Run};
use crate::transaction::Transaction;
use crate::value::Value;

/// The client that sends a mail.
pub static CLIENT: Object = Object {
    name: "MailClient",
    doc: "The client that sends a mail.",
    is_single: true,
    members: &[
        attribute("ip", "Its address.", Returns::Object(&IP), Run::Read(ip))
            .fails("the host does not know it"),
        attribute(
            "helo",
            "The name by which it greeted, which proves nothing; empty if it did not.",
            Returns::Text,
            Run::Field(|t| envelope(t).helo),
        ),
        attribute("login", "The name by which it authenticated.", Returns::Text, Run::Read(login))
            .fails("it did not authenticate"),
        attribute(
            "tls",
            "The identity that it proved by its certificate.",
            Returns::Object(&TLS),
            NOTHING,
        ),
    ],
};

/// The sender of a mail.
pub static SENDER: Object = Object {
    name: "Sender",
    doc: "The sender of the envelope, to whom reports about the mail go.",
    is_single: true,
    members: &[
        attribute(
            "address",
            "The address, without angle brackets and needless quotes, its domain in lower case; empty if there is none.",
            Returns::Text,
            Run::Field(|t| envelope(t).sender),
        ),
        attribute("local", "The part before `@`.", Returns::Text, Run::Read(sender_local)).makes(),
        attribute(
            "domain",
            "The part after `@`, in lower case.",
            Returns::Text,
            Run::Field(|t| mail::domain(envelope(t).sender)),
        ),
        method(
            "isNull",
            "Whether there is none, as in a report about a mail that failed.",
            NO_PARAMS,
            Returns::Boolean,
            is_null,
        ),
    ],
};

/// A recipient of a mail.
pub static RECIPIENT: Object = Object {
    name: "Recipient",
    doc: "A recipient of the envelope.",
    is_single: true,
    members: &[
        attribute(
            "address",
            "The address, without angle brackets and needless quotes, its domain in lower case.",
            Returns::Text,
            Run::Field(last_recipient),
        ),
        attribute("local", "The part before `@`.", Returns::Text, Run::Read(recipient_local))
            .makes(),
        attribute(
            "domain",
            "The part after `@`, in lower case.",
            Returns::Text,
            Run::Field(|t| mail::domain(last_recipient(t))),
        ),
    ],
};

/// The recipients of a mail.
pub static RECIPIENTS: Object = Object {
    name: "Recipients",
    doc: "The recipients of the envelope. Addresses are compared without regard to case, as mail servers do.",
    is_single: true,
    members: &[
        method("count", "Their number.", NO_PARAMS, Returns::Number, count).reads(),
        method("have", "Whether it is one of them.", ADDRESS, Returns::Boolean, have).reads(),
        method(
            "haveDomain",
            "Whether one of them is of that domain.",
            DOMAIN,
            Returns::Boolean,
            have_domain,
        )
        .reads(),
        method(
            "allOfDomain",
            "Whether all of them are of that domain, and there is one.",
            DOMAIN,
            Returns::Boolean,
            all_of_domain,
        )
        .reads(),
        action("add", "Adds a recipient, unless it is one already.", ADDRESS, add)
            .fails("it is no address"),
        action("remove", "Takes a recipient away.", ADDRESS, remove).fails("it is no address"),
    ],
};

static ADDRESS: &[Param] = &[Param::text("address").form(Form::Mailbox)];
static DOMAIN: &[Param] = &[Param::text("domain")];

fn ip<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    transaction.message.request.client.map(Value::Ip).ok_or(FailCode::Absent)
}

fn login<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    envelope(transaction).login.map(Value::Text).ok_or(FailCode::Absent)
}

/// Returns the recipient that waits; fails in other phases.
pub(super) fn recipient<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    require(transaction, Phase::Rcpt).map(|()| Value::Nothing)
}

pub(super) fn declared_size<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let size = envelope(transaction).size.and_then(|size| i64::try_from(size).ok());
    size.map(Value::Number).ok_or(FailCode::Absent)
}

fn sender_local<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    local(transaction, envelope(transaction).sender)
}

fn is_null<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    Ok(Value::Boolean(envelope(transaction).sender.is_empty()))
}

/// Returns the recipient that the client named last, as it named it: edits do not change it.
fn last_recipient<'a>(transaction: &Transaction<'a>) -> &'a [u8] {
    envelope(transaction).recipients.last().copied().unwrap_or_default()
}

fn recipient_local<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    local(transaction, last_recipient(transaction))
}

fn local<'a>(transaction: &Transaction<'a>, address: &'a [u8]) -> Result<Value<'a>, FailCode> {
    match mail::local(address) {
        Cow::Borrowed(local) => Ok(Value::Text(local)),
        Cow::Owned(local) => transaction.make(&[&local]).map(Value::Text),
    }
}

fn count<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    _: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let count = transaction.state().recipients.len();
    i64::try_from(count).map(Value::Number).map_err(|_| FailCode::Overflow)
}

fn have<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let wanted = mail::canonical(args[0].text());
    let is_one = wanted.is_some_and(|wanted| {
        transaction.state().recipients.iter().any(|own| own.eq_ignore_ascii_case(&wanted))
    });
    Ok(Value::Boolean(is_one))
}

fn is_of(address: &[u8], domain: &[u8]) -> bool {
    mail::domain(address).eq_ignore_ascii_case(domain)
}

fn have_domain<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let mut recipients = transaction.state().recipients.iter();
    Ok(Value::Boolean(recipients.any(|own| is_of(own, args[0].text()))))
}

fn all_of_domain<'a>(
    transaction: &Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let recipients = transaction.state().recipients;
    let are_all = recipients.iter().all(|own| is_of(own, args[0].text()));
    Ok(Value::Boolean(are_all && !recipients.is_empty()))
}

fn add<'a>(
    transaction: &mut Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let added = mail::canonical(args[0].text()).ok_or(FailCode::Malformed)?;
    let old = transaction.state().recipients;
    if !old.iter().any(|own| own.eq_ignore_ascii_case(&added)) {
        let added = transaction.make(&[&added])?;
        let new: Vec<&[u8]> = old.iter().copied().chain([added]).collect();
        transaction.set_recipients(&new)?;
    }
    Ok(Value::Nothing)
}

fn remove<'a>(
    transaction: &mut Transaction<'a>,
    _: Value<'a>,
    args: &[Value<'a>],
) -> Result<Value<'a>, FailCode> {
    let removed = mail::canonical(args[0].text()).ok_or(FailCode::Malformed)?;
    let old = transaction.state().recipients;
    let new: Vec<&[u8]> =
        old.iter().copied().filter(|own| !own.eq_ignore_ascii_case(&removed)).collect();
    if new.len() < old.len() {
        transaction.set_recipients(&new)?;
    }
    Ok(Value::Nothing)
}
