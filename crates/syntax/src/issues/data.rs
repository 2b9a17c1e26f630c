//! Diagnostics of PDL and `data_access`, in our own words: Puppet has neither.

use kukla_base::{Diagnostic, Span};

/// `server = 1`
pub(crate) fn pdl_statement(span: Span) -> Diagnostic {
    let message = "a line must start with `$name =`";
    Diagnostic::parse_error("pdl-statement", span, message).label("no name of a variable")
}

/// `$packages[0] = 'foo'`
pub(crate) fn pdl_element_assignment(span: Span, name: &str) -> Diagnostic {
    let message = format!("elements cannot be assigned: give `${name}` its whole value");
    Diagnostic::parse_error("pdl-element-assignment", span, message)
}

/// `$a = hello world`
pub(crate) fn pdl_end_of_line(span: Span) -> Diagnostic {
    let message = "the line goes on where it should end";
    Diagnostic::parse_error("pdl-end-of-line", span, message)
        .label("unexpected here")
        .help("only `where` and a condition may follow; put a text of several words in quotes")
}

/// The end of a line where more was expected; `unclosed` is the bracket that should have been closed.
pub(crate) fn syntax_error_at_line_end(span: Span, unclosed: Option<Span>) -> Diagnostic {
    let message = "Syntax error at end of line";
    let diagnostic =
        Diagnostic::parse_error("syntax-error", span, message).label("more was expected");
    match unclosed {
        Some(bracket) => diagnostic.label_at(bracket, "this is not closed"),
        None => diagnostic,
    }
}

/// `/abc`
pub(crate) fn unclosed_regexp(span: Span) -> Diagnostic {
    Diagnostic::parse_error("unclosed-regexp", span, "the regular expression is not closed")
        .label("it starts here")
        .help("end it with `/`; PDL has no division")
}

/// `$`
pub(crate) fn pdl_variable_name(span: Span) -> Diagnostic {
    Diagnostic::error("illegal-var-name", span, "a name must follow `$`")
}

/// `1 + 2`, `$a ? { … }`: `what` is the expression that PDL does not have.
pub(crate) fn pdl_unsupported(span: Span, what: &str, help: &'static str) -> Diagnostic {
    Diagnostic::error("pdl-unsupported", span, format!("{what} cannot be used in PDL")).help(help)
}

/// `keys 'db::*'`
pub(crate) fn access_statement(span: Span) -> Diagnostic {
    let message = "a line must start with `key` or `file`";
    Diagnostic::parse_error("data-access-statement", span, message)
}

/// `key db where …`
pub(crate) fn access_pattern(span: Span) -> Diagnostic {
    let message = "a pattern in quotes is expected here";
    Diagnostic::parse_error("data-access-statement", span, message)
}

/// `key 'db::*'`
pub(crate) fn access_without_condition(span: Span, pattern: &str) -> Diagnostic {
    let message = format!("`where` is missing: without a condition `{pattern}` is for all nodes");
    Diagnostic::error("data-access-condition", span, message)
}

/// `key 'db::*' where 'a' == 'a'`
pub(crate) fn access_without_trusted(span: Span) -> Diagnostic {
    let message = "the condition says nothing of `$trusted`, so it is the same for all nodes";
    Diagnostic::error("data-access-condition", span, message)
        .help("write `true` or `false` for a condition that is always or never met")
}

/// `key 'db::*' where fact('role') == 'db'`
pub(crate) fn access_call(span: Span, name: &str) -> Diagnostic {
    let message = format!("the function `{name}` cannot be called in a rule");
    Diagnostic::error("data-access-untrusted", span, message)
        .help("functions may read what a node says of itself")
}

/// `key 'db::*' where $facts['role'] == 'db'`
pub(crate) fn access_untrusted(span: Span, name: &str) -> Diagnostic {
    let message = format!("`${name}` cannot be relied on: only `$trusted` can");
    Diagnostic::error("data-access-untrusted", span, message)
        .help("a node may say what it likes in its facts")
}
