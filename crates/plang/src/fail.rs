//! Failures: the reason and the node.

use std::num::NonZeroU32;

use crate::program::NodeId;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $words:literal;)+) => {
        /// Reason of a failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum FailCode { $($(#[$doc])* $name,)+ }

        impl FailCode {
            const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the stable code.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// Returns a description for people.
            pub fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)+ }
            }
        }
    };
}

codes! {
    /// A limit was reached; not even `otherwise` catches it.
    Limit = "limit", "a limit was reached";
    /// `1 / 0`
    Division = "division-by-zero", "division by zero";
    /// `9223372036854775807 + 1`
    Overflow = "overflow", "the result does not fit in 64 bits";
    /// A header, parameter, cookie, segment, … is not there.
    Absent = "absent", "there is no such thing in the message";
    /// More than one value where one is expected.
    Several = "several", "there is more than one";
    /// A text that should be a number, an address, …
    Malformed = "malformed", "the text does not have the form that is needed";
    /// A name that has no value on this path.
    Unassigned = "unassigned", "the name has no value here";
    /// `interpreter.fail("…")`
    Forced = "forced", "the program called `interpreter.fail`";
    /// Another version of the language than this one.
    Version = "language-version", "this version of the language is not known";
    /// There is no response yet.
    Phase = "wrong-phase", "there is no response in this phase";
    /// The registry does not have the service.
    NoService = "unknown-service", "the registry has no such service";
    /// The service does not have the parameter, or it has another type.
    NoParameter = "unknown-parameter", "the service does not take this parameter";
    /// The service refused, or did not answer.
    Service = "service-failed", "the service failed";
    /// The host does not offer this.
    Host = "host", "the host can't do this";
}

/// A failure: its reason and node. Four bytes, since it is in the result of every evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fail(NonZeroU32);

impl Fail {
    /// Creates a failure of a node.
    pub fn new(code: FailCode, node: NodeId) -> Self {
        let packed = (node.index() as u32) << 5 | (code as u32 + 1);
        Self(NonZeroU32::new(packed).unwrap_or(NonZeroU32::MIN))
    }

    /// Returns the reason.
    pub fn code(self) -> FailCode {
        let index = (self.0.get() & 31).wrapping_sub(1);
        FailCode::ALL.get(index as usize).copied().unwrap_or(FailCode::Limit)
    }

    /// Returns the node that failed.
    pub fn node(self) -> NodeId {
        NodeId::new((self.0.get() >> 5) as usize)
    }

    /// Whether `otherwise`, `or` and the like can catch it.
    pub fn is_catchable(self) -> bool {
        self.code() != FailCode::Limit
    }
}
