//! Errors of functions: messages of their own, with the code of one of a few issues.

use kukla_compiler::{Eval, Stop, issues};

/// Stops with the message of a function.
pub(crate) fn fault<T>(message: impl Into<String>) -> Eval<T> {
    Err(failed(message))
}

/// Returns the error of a function.
pub(crate) fn failed(message: impl Into<String>) -> Box<Stop> {
    Stop::fault(issues::function_failed(message))
}

/// Stops because arguments are too few, too many, or of the wrong types.
pub(crate) fn wrong_arguments<T>(message: impl Into<String>) -> Eval<T> {
    kukla_compiler::fault(issues::argument_mismatch(message))
}
