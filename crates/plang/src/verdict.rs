//! How a run ended, and what that means for the message.

use crate::fail::Fail;
use crate::program::{NodeId, Program};
use crate::transaction::Transaction;

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// How.
    pub ending: Ending<'a>,
    /// The node at which it ended; None: the end of the program.
    pub place: Option<NodeId>,
    /// What has become of the message.
    pub transaction: Transaction<'a>,
    /// How often the program was restarted.
    pub n_restarts: u32,
}

/// How a run ended.
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
    /// The program failed; the reason of `interpreter.fail(reason)`.
    Failed(Fail, Option<&'a [u8]>),
}

/// What that means for the message. Whatever is not clearly allowed is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// The program allowed it.
    Allow,
    /// The program has no say in who may do what, and did not fail.
    Pass,
    /// It was denied, for the reason given.
    Deny(&'a [u8]),
    /// The client must authenticate first.
    Challenge(&'a [u8]),
    /// The client is answered at once.
    Respond(i64, &'a [u8]),
    /// The program did not decide.
    NoDecision,
    /// The program failed.
    Fail(Fail),
}

impl<'a> Outcome<'a> {
    /// What the ending means for the message.
    pub fn verdict(&self, program: &Program) -> Verdict<'a> {
        match self.ending {
            Ending::Allowed => Verdict::Allow,
            Ending::Denied(reason) => Verdict::Deny(reason),
            Ending::Challenged(scheme) => Verdict::Challenge(scheme),
            Ending::Responded(status, text) => Verdict::Respond(status, text),
            Ending::Failed(fail, _) => Verdict::Fail(fail),
            Ending::Completed | Ending::Stopped if program.decides => Verdict::NoDecision,
            Ending::Completed | Ending::Stopped => Verdict::Pass,
        }
    }
}

impl Verdict<'_> {
    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Pass => "pass",
            Self::Deny(_) => "deny",
            Self::Challenge(_) => "challenge",
            Self::Respond(..) => "respond",
            Self::NoDecision => "deny (no decision)",
            Self::Fail(_) => "deny (failed)",
        }
    }

    /// Whether the message goes on its way.
    pub fn is_allowed(self) -> bool {
        matches!(self, Self::Allow | Self::Pass)
    }
}
