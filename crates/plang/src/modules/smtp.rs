//! Module Smtp: mails, and what their clients say about them.

mod envelope;
mod message;

pub use envelope::{CLIENT, RECIPIENT, RECIPIENTS, SENDER};
pub use message::MAIL;

use super::http::{HEADER, MAKE_HEADER, make_header};
use super::{NO_PARAMS, NOTHING, attribute, method, special};
use crate::fail::FailCode;
use crate::mail::{self, Phase};
use crate::module::{Form, Member, Module, Param, Protocol, Returns, Run, Special, Touches};
use crate::transaction::Transaction;

/// The module.
pub static MODULE: Module = Module {
    name: "Smtp",
    uri: "https://kukla.dev/p/Smtp",
    doc: "A mail, and the envelope in which SMTP brings it.",
    is_preset: false,
    protocol: Some(Protocol::Smtp),
    members: MEMBERS,
    objects: &[&CLIENT, &SENDER, &RECIPIENT, &RECIPIENTS, &MAIL],
};

static REJECT: &[Param] = &[Param::number("status").form(Form::Refusal), Param::text("text")];
static TEMPFAIL: &[Param] = &[Param::number("status").form(Form::Delay), Param::text("text")];

static MEMBERS: &[Member] = &[
    attribute(
        "phase",
        "The command that waits for a decision: `mail`, `rcpt` for each recipient, and `data` when the mail is there.",
        Returns::Text,
        Run::Field(phase),
    ),
    attribute("client", "The client that sends the mail.", Returns::Object(&CLIENT), NOTHING),
    attribute("sender", "The sender of the envelope.", Returns::Object(&SENDER), NOTHING),
    attribute(
        "recipient",
        "The recipient that waits for a decision.",
        Returns::Object(&RECIPIENT),
        Run::Read(envelope::recipient),
    )
    .fails("the phase is not `rcpt`"),
    attribute(
        "recipients",
        "All recipients so far.",
        Returns::Object(&RECIPIENTS),
        NOTHING,
    ),
    attribute(
        "declaredSize",
        "The size of the mail in bytes, as its client declared it.",
        Returns::Number,
        Run::Read(envelope::declared_size),
    )
    .fails("the client did not declare it"),
    attribute("message", "The mail.", Returns::Object(&MAIL), Run::Read(message::message))
        .fails("the phase is not `data`"),
    method(
        "makeHeader",
        "A header field to look for or to add; without a value, any of that name.",
        MAKE_HEADER,
        Returns::Object(&HEADER),
        make_header,
    )
    .makes(),
    special(
        "accept",
        "The command is accepted; an alias of `Access.allow`.",
        NO_PARAMS,
        Returns::Never,
        Special::Allow,
    )
    .touches(Touches::Acts),
    special(
        "reject",
        "The command is refused for good, with a status such as 550: the sender learns that the mail failed.",
        REJECT,
        Returns::Never,
        Special::Respond,
    )
    .touches(Touches::Acts),
    special(
        "tempfail",
        "The command is refused for now, with a status such as 451: the client tries again later.",
        TEMPFAIL,
        Returns::Never,
        Special::Respond,
    )
    .touches(Touches::Acts),
];

fn phase<'a>(transaction: &Transaction<'a>) -> &'a [u8] {
    envelope(transaction).phase.word().as_bytes()
}

/// Returns the envelope.
fn envelope<'a>(transaction: &Transaction<'a>) -> &'a mail::Mail<'a> {
    transaction.message.mail.as_ref().unwrap_or(&mail::NO_MAIL)
}

/// Fails unless the mail is at a phase.
fn require(transaction: &Transaction<'_>, phase: Phase) -> Result<(), FailCode> {
    let is_there = transaction.message.mail.is_some_and(|mail| mail.phase == phase);
    if is_there { Ok(()) } else { Err(FailCode::Absent) }
}
