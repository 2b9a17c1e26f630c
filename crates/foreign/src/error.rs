//! Errors of code in another language, and of reading it.

/// A construct that the interpreter does not implement, found before the code runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} in line {line}")]
pub struct Unsupported {
    /// The construct, e.g. `method crypt`.
    pub reason: String,
    /// The line of the construct in its file.
    pub line: u32,
}

impl Unsupported {
    /// Returns an error for the construct `reason` in a line.
    pub fn new(reason: impl Into<String>, line: u32) -> Self {
        Self { reason: reason.into(), line }
    }
}

/// The error of a template or function that ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RubyError {
    /// Tells exceptions of Ruby from failures of the interpreter or worker.
    pub kind: ErrorKind,
    /// The exception class, e.g. `NoMethodError`.
    pub class: String,
    /// Ruby's message.
    pub message: String,
    /// The file of the innermost frame.
    pub file: String,
    /// The line of the innermost frame.
    pub line: u32,
    /// The host's key of its original error, if the host raised it: see [`HostError::id`](crate::HostError::id).
    pub host_id: Option<u64>,
}

impl RubyError {
    /// Returns the name of an uncaught thrown symbol. Ruby has it in the message only.
    pub fn thrown_symbol(&self) -> Option<&str> {
        let is_throw = self.class == "UncaughtThrowError";
        self.message.strip_prefix("uncaught throw :").filter(|_| is_throw)
    }
}

/// The reason why only a real Ruby can run some code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NeedsRuby(String);

impl NeedsRuby {
    /// Returns the error with a reason that continues `the template needs a real Ruby: `.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// The kind of a [`RubyError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Ruby raises this exception too.
    Raised,
    /// The code reached something that the interpreter does not implement and that could not be seen before it ran.
    Unsupported,
    /// Like [`Unsupported`](Self::Unsupported), but after an effect on the host, so that a retry in a real Ruby would repeat it.
    Halfway,
    /// The co-process with a real Ruby failed.
    Worker,
    /// The code exceeded its limit of steps, depth or memory.
    Limit,
}
