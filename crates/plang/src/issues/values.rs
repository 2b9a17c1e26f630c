//! Diagnostics about types, arguments and costs.

use kukla_base::{Diagnostic, Span};

use crate::types::{Plain, Type};

/// Reports a value of the wrong type.
pub fn wrong_type(span: Span, wanted: &str, found: Type, context: &str) -> Diagnostic {
    let message = format!("{context} must be a {wanted}, but this is {}", described(found));
    let issue = Diagnostic::error("type", span, message);
    match found {
        Type::Code(_) => {
            issue.help("a block in an expression is run by `try`, `otherwise`, `and`, `or`")
        }
        Type::Function => issue.help("call it: write `()` behind it"),
        Type::Plain(_) | Type::Unknown => issue,
    }
}

/// Reports an operator that is not defined for its operands.
pub fn bad_operands(span: Span, op: &str, left: Type, right: Type) -> Diagnostic {
    let (left_words, right_words) = (described(left), described(right));
    let message = if left == right {
        format!("`{op}` is not defined for {left_words}")
    } else {
        format!("`{op}` is not defined for {left_words} and {right_words}")
    };
    let issue = Diagnostic::error("type", span, message);
    match (left, right) {
        (Type::Plain(Plain::Text), Type::Plain(Plain::Number))
        | (Type::Plain(Plain::Number), Type::Plain(Plain::Text)) => issue.help(
            "nothing is converted by itself: `Core.number(text)` and `Core.text(number)` do it",
        ),
        _ => issue,
    }
}

fn described(type_: Type) -> String {
    match type_ {
        Type::Plain(plain) => match plain.to_string().as_str() {
            "nothing" => "no value".to_owned(),
            words if words.starts_with("module") => words.to_owned(),
            words if words.starts_with(['A', 'I']) => format!("an {words}"),
            words => format!("a {words}"),
        },
        Type::Code(_) => "code".to_owned(),
        Type::Function => "a method that is not called".to_owned(),
        Type::Unknown => "unknown".to_owned(),
    }
}

/// Reports arms that give a name values of different types.
pub fn different_types(span: Span, name: &str, one: Type, other: Type, first: Span) -> Diagnostic {
    let message =
        format!("`{name}` is {} here, but {} elsewhere", described(one), described(other));
    Diagnostic::error("type", span, message).label_at(first, "the other assignment")
}

/// Reports `name := Core.log("x")`.
pub fn no_value(span: Span, context: &str) -> Diagnostic {
    Diagnostic::error("type", span, format!("{context} has no value"))
}

/// Reports too few or too many arguments.
pub fn arity(span: Span, signature: &str, n_args: usize) -> Diagnostic {
    let given =
        if n_args == 1 { "1 argument is".to_owned() } else { format!("{n_args} arguments are") };
    Diagnostic::error("arity", span, format!("{given} given to `{signature}`"))
}

/// Reports `x(1)` where `x` is a value.
pub fn not_callable(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("not-callable", span, format!("`{name}` takes no arguments: it is a value"))
}

/// Reports an argument that must be a compile-time constant.
pub fn not_constant(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("not-constant", span, format!("{what} must be a constant"))
        .help("it is built once, when the program is checked, so that messages cost nothing")
}

/// Reports an argument that violates the form of its parameter.
pub fn bad_argument(span: Span, code: &'static str, message: String, help: &str) -> Diagnostic {
    let issue = Diagnostic::error(code, span, message);
    if help.is_empty() { issue } else { issue.help(help) }
}

/// Reports an invalid pattern.
pub fn bad_pattern(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error("bad-pattern", span, format!("the pattern can't be used: {reason}"))
        .help("patterns are those of RE2: no back-references, no look-around")
}

/// Reports `Core.capture(text, "(a)", 2)`.
pub fn no_such_group(span: Span, n_groups: usize) -> Diagnostic {
    Diagnostic::error("out-of-range", span, format!("the pattern has only {n_groups} groups"))
}

/// Reports `1 / 0;`.
pub fn always_fails(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error("always-fails", span, format!("this always fails: {reason}"))
}

/// Reports a program whose worst case exceeds the limit of steps.
pub fn too_many_steps(span: Span, steps: u64, limit: u64) -> Diagnostic {
    let message = format!("one message may take {steps} steps; the limit is {limit}");
    Diagnostic::error("too-costly", span, message)
        .help("blocks that run blocks multiply; `--max-steps` sets another limit")
}

/// Reports a program whose worst case exceeds the limit of memory.
pub fn too_much_memory(span: Span, memory: u64, limit: u64) -> Diagnostic {
    let message =
        format!("one message may take {memory} bytes of made strings; the limit is {limit}");
    Diagnostic::error("too-costly", span, message)
}

/// Reports sets with too many or too long members.
pub fn sets_too_large(span: Span, limit: u64) -> Diagnostic {
    let message = format!("the members of all sets together need more than {limit} bytes");
    Diagnostic::error("set-too-large", span, message)
        .help("`Core.list` takes them from the registry")
}

/// Reports `a := {…}; b := { a; }; c := { b; }; …`.
pub fn too_deep_blocks(span: Span, limit: u32) -> Diagnostic {
    let message = format!("blocks that run each other are more than {limit} levels deep here");
    Diagnostic::error("too-deep", span, message)
}
