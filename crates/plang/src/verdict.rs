//! Outcome of a run, and the verdict on the message that follows from it.

use crate::fail::Fail;
use crate::mail::Reply;
use crate::message::Message;
use crate::module::Protocol;
use crate::program::{NodeId, Program};
use crate::transaction::Transaction;

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The way in which it ended.
    pub ending: Ending<'a>,
    /// The node at which it ended; None: the end of the program.
    pub place: Option<NodeId>,
    /// The final state of the message.
    pub transaction: Transaction<'a>,
    /// Number of restarts.
    pub n_restarts: u32,
}

/// The way in which a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending<'a> {
    /// The last statement was reached.
    Completed,
    /// `interpreter.stop()`
    Stopped,
    /// `Access.allow()`
    Allowed,
    /// `Access.deny(reason)`
    Denied(&'a [u8]),
    /// `Access.challenge(scheme)`
    Challenged(&'a [u8]),
    /// `Http.respond(status, text)`
    Responded(i64, &'a [u8]),
    /// A service answered the request in place of the server.
    Answered,
    /// The program failed; the reason of `interpreter.fail(reason)`.
    Failed(Fail, Option<&'a [u8]>),
}

/// Verdict on a message. It is denied unless it is clearly allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// The program allowed it.
    Allow,
    /// The program makes no decisions about access, and did not fail.
    Pass,
    /// The program denied it, for this reason.
    Deny(&'a [u8]),
    /// The client must authenticate first.
    Challenge(&'a [u8]),
    /// The client gets this response at once.
    Respond(i64, &'a [u8]),
    /// The client gets the response that a service made.
    Answered,
    /// The program did not decide.
    NoDecision,
    /// The program failed.
    Fail(Fail),
}

impl<'a> Outcome<'a> {
    /// Derives the verdict from the ending.
    pub fn verdict(&self, program: &Program) -> Verdict<'a> {
        match self.ending {
            Ending::Allowed => Verdict::Allow,
            Ending::Denied(reason) => Verdict::Deny(reason),
            Ending::Challenged(scheme) => Verdict::Challenge(scheme),
            Ending::Responded(status, text) => Verdict::Respond(status, text),
            Ending::Answered => Verdict::Answered,
            Ending::Failed(fail, _) => Verdict::Fail(fail),
            Ending::Completed | Ending::Stopped if program.decides => Verdict::NoDecision,
            Ending::Completed | Ending::Stopped => Verdict::Pass,
        }
    }
}

impl Verdict<'_> {
    /// Returns the verdict as one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Pass => "pass",
            Self::Deny(_) => "deny",
            Self::Challenge(_) => "challenge",
            Self::Respond(..) => "respond",
            Self::Answered => "answer",
            Self::NoDecision => "deny (no decision)",
            Self::Fail(_) => "deny (failed)",
        }
    }

    /// Returns the verdict on a message as one word; a mail is accepted or refused, now or for good.
    pub fn word_for(self, message: &Message<'_>) -> &'static str {
        match (message.protocol(), self, Reply::of(self)) {
            (Protocol::Http, ..) => self.word(),
            (Protocol::Smtp, Self::Allow, _) => "accept",
            (Protocol::Smtp, Self::Respond(..), Some(reply)) => reply.word(),
            (Protocol::Smtp, Self::Deny(_), _) => "reject",
            (Protocol::Smtp, Self::NoDecision, _) => "reject (no decision)",
            (Protocol::Smtp, Self::Fail(_), _) => "tempfail (failed)",
            (Protocol::Smtp, verdict, _) => verdict.word(),
        }
    }

    /// Whether the message may proceed.
    pub fn is_allowed(self) -> bool {
        matches!(self, Self::Allow | Self::Pass)
    }
}
