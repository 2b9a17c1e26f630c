//! Warnings about programs that run but are probably mistakes.

use kukla_base::{Diagnostic, Span};

use super::warning;

/// Reports a name that is never used.
pub fn unused_name(span: Span, name: &str) -> Diagnostic {
    warning("unused-name", span, format!("`{name}` is never used"))
        .help("take it away; what it stands for is never computed")
}

/// Reports `1 + 2;`.
pub fn useless_statement(span: Span, is_method: bool) -> Diagnostic {
    let issue = warning("useless-statement", span, "this statement does nothing");
    if is_method { issue.help("a method is called with `()` behind it") } else { issue }
}

/// Reports `if (true)`, `false and x`.
pub fn constant_condition(span: Span, value: bool) -> Diagnostic {
    warning("constant-condition", span, format!("this is always {value}"))
}

/// Reports statements behind `stop()`.
pub fn unreachable(span: Span, because: Span) -> Diagnostic {
    warning("unreachable", span, "this is never reached")
        .label_at(because, "the program always ends here")
}

/// Reports two arms with the same condition.
pub fn duplicate_condition(span: Span, first: Span) -> Diagnostic {
    warning(
        "unreachable",
        span,
        "this arm is never reached: an arm before it has the same condition",
    )
    .label_at(first, "the same condition")
}

/// Reports an unreachable arm: an earlier `if` ended the program for all messages that it matches.
pub fn decided_before(span: Span, first: Span) -> Diagnostic {
    warning("unreachable", span, "this is never true here: a statement above ends the program then")
        .label_at(first, "the same condition")
}

/// Reports `a := 1/0;`.
pub fn will_fail(span: Span, reason: &str) -> Diagnostic {
    warning("always-fails", span, format!("this always fails when it is used: {reason}"))
}

/// Reports `code or code;`.
pub fn swallowed_failure(span: Span) -> Diagnostic {
    warning("swallowed-failure", span, "if all of these blocks fail, the failure goes unnoticed")
        .help("`otherwise` in place of `or` lets the last failure pass on")
}

/// Reports `a or b xor c`.
pub fn mixed_xor(span: Span) -> Diagnostic {
    warning("mixed-xor", span, "`xor` binds looser than `or` and `and`")
        .help("write parentheses to say which is meant")
}

/// Reports `Services.find`.
pub fn find_alias(span: Span) -> Diagnostic {
    warning("find-alias", span, "`find` is an old name of `findOne`").help("write `findOne`")
}

/// Reports `request := …` where Http has a `request`.
pub fn shadowed_member(span: Span, name: &str, module: &str) -> Diagnostic {
    let message = format!("`{name}` hides the member `{module}.{name}`");
    warning("shadowed-member", span, message)
        .help(format!("without the module's name, `{name}` means this name from now on"))
}

/// Reports `Services := import("Services")`.
pub fn redundant_import(span: Span, name: &str) -> Diagnostic {
    warning("redundant-import", span, format!("`{name}` is known without an import"))
}

/// Reports a comparison that can't be true, or with `!=` can't be false.
pub fn never_true(span: Span, is_negated: bool, reason: &str, help: &str) -> Diagnostic {
    let words = if is_negated { "always" } else { "never" };
    let issue = warning("never-true", span, format!("this is {words} true: {reason}"));
    if help.is_empty() { issue } else { issue.help(help) }
}

/// Reports a failure that is not caught and ends the program.
pub fn unhandled_failure(span: Span, when: &str) -> Diagnostic {
    warning("unhandled-failure", span, format!("the program fails here when {when}"))
        .help("say what then with `otherwise`")
}

/// Reports a program that decides on some paths only.
pub fn no_decision(span: Span) -> Diagnostic {
    warning("no-decision", span, "the program never allows anything")
        .help("without a decision access is denied")
}

/// Reports `1 otherwise 2`.
pub fn needless_otherwise(span: Span, left: Span) -> Diagnostic {
    warning(
        "unreachable",
        span,
        "this is never reached: what stands before `otherwise` never fails",
    )
    .label_at(left, "this never fails")
}

/// Reports `Core.set("GET", "GET")`.
pub fn duplicate_member(span: Span) -> Diagnostic {
    warning("duplicate-member", span, "this is in the set already")
}

/// Reports `a and a`.
pub fn repeated_operand(span: Span, first: Span) -> Diagnostic {
    warning("repeated-operand", span, "this operand is repeated").label_at(first, "first used here")
}

/// Reports `a and not a`.
pub fn opposite_operand(span: Span, first: Span, is_true: bool) -> Diagnostic {
    let always =
        if is_true { "one of these two is always true" } else { "these two are never both true" };
    warning("constant-condition", span, always).label_at(first, "the other")
}
