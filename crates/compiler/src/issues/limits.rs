//! Limits on depth, steps and size.

use kukla_pcore::elements::{MAX_ELEMENTS, MAX_TEXT};

use super::{Code, Issue};

/// Too many calls within calls.
pub(crate) fn too_deep(depth: u32) -> Issue {
    let message = format!("stack level too deep: more than {depth} calls within calls");
    Issue::new(Code::TOO_DEEP_CALLS, message)
}

/// A value that was nested by calls without end.
pub(crate) fn nested_too_deeply(levels: usize) -> Issue {
    let message = format!("the value is nested too deeply: more than {levels} levels");
    Issue::new(Code::TOO_DEEP_VALUE, message)
}

/// A text or an array that would fill the memory: Ruby's words, and the limit.
pub(crate) fn too_large() -> Issue {
    let message = format!(
        "failed to allocate memory: the limit is {MAX_ELEMENTS} elements or {} MB of text",
        MAX_TEXT >> 20
    );
    Issue::new(Code::TOO_LARGE_VALUE, message)
}

/// Too many steps.
pub(crate) fn too_many_steps(steps: u64) -> Issue {
    Issue::new(Code::TOO_MANY_STEPS, format!("the evaluation takes more than {steps} steps"))
}

/// A compilation that takes too long, or that its caller no longer wants.
pub(crate) fn cancelled(reason: &dyn std::fmt::Display) -> Issue {
    Issue::new(Code::CANCELLED, reason.to_string())
}

/// Too many resources.
pub(crate) fn too_many_resources(n: usize) -> Issue {
    Issue::new(Code::TOO_MANY_RESOURCES, format!("the catalog has more than {n} resources"))
}

/// Definitions that make new definitions necessary without end.
pub(crate) fn too_many_rounds() -> Issue {
    let message = "Somehow looped more than 1000 times while evaluating host catalog";
    Issue::new(Code::TOO_MANY_ROUNDS, message)
}
