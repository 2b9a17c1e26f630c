//! What can go wrong.

/// Something in a source that the interpreter does not know; found before anything runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} in line {line}")]
pub struct Unsupported {
    /// What it is, e.g. `method crypt`.
    pub reason: String,
    /// Where it stands.
    pub line: u32,
}

impl Unsupported {
    /// Something unknown in a line.
    pub fn new(reason: impl Into<String>, line: u32) -> Self {
        Self { reason: reason.into(), line }
    }
}

/// Why a template or function has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RubyError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// The class of the exception, e.g. `NoMethodError`.
    pub class: String,
    /// Ruby's message.
    pub message: String,
    /// The file that the innermost place is in.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The number that the host gave to its own error, if it is that.
    pub host_id: Option<u64>,
}

impl RubyError {
    /// Returns the name of the symbol that code threw and nothing caught: Ruby has it in the message only.
    pub fn thrown_symbol(&self) -> Option<&str> {
        let is_throw = self.class == "UncaughtThrowError";
        self.message.strip_prefix("uncaught throw :").filter(|_| is_throw)
    }
}

/// Why code can't be run without a real Ruby.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NeedsRuby(String);

impl NeedsRuby {
    /// Returns the error with a reason, which goes on after `the template needs a real Ruby: `.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Ruby would raise an exception too.
    Raised,
    /// The source came upon something that the interpreter does not know, though it looked fine.
    Unsupported,
    /// The same, after the code has already done something outside, so that it can't be run elsewhere instead.
    Halfway,
    /// The process with a real Ruby has failed.
    Worker,
    /// A limit on steps, depth or memory was met.
    Limit,
}
