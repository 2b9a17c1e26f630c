//! How functions fail: in words of their own, with the code of one of a few issues.

use kukla_compiler::{Eval, Stop, issues};

/// Stops with what a function complains of.
pub(crate) fn fault<T>(message: impl Into<String>) -> Eval<T> {
    Err(failed(message))
}

/// Returns what a function complains of.
pub(crate) fn failed(message: impl Into<String>) -> Box<Stop> {
    Stop::fault(issues::function_failed(message))
}

/// Stops because arguments are too few, too many, or not of the types that a function takes.
pub(crate) fn wrong_arguments<T>(message: impl Into<String>) -> Eval<T> {
    kukla_compiler::fault(issues::argument_mismatch(message))
}
