//! Diagnostics of the parser.

use kukla_base::{Diagnostic, DiagnosticPlace, Span};

/// A token that is not allowed in its place; `text` is Puppet's name of it.
pub(crate) fn syntax_error(span: Span, text: &str) -> Diagnostic {
    Diagnostic::parse_error("syntax-error", span, format!("Syntax error at '{text}'"))
        .label("unexpected here")
}

/// The end of the source where more was expected.
///
/// `unclosed` is the bracket that should have been closed.
pub(crate) fn syntax_error_at_end(end: u32, unclosed: Option<Span>) -> Diagnostic {
    let message = "Syntax error at end of input";
    let diagnostic = Diagnostic::parse_error("syntax-error", Span::new(end, 0), message)
        .place(DiagnosticPlace::File)
        .label("more was expected");
    match unclosed {
        Some(bracket) => diagnostic.label_at(bracket, "this is not closed"),
        None => diagnostic,
    }
}

/// `@notice`
pub(crate) fn virtual_not_resource(span: Span) -> Diagnostic {
    let message = "Virtual (@) can only be applied to a Resource Expression";
    Diagnostic::parse_error("virtual-not-resource", span, message)
}

/// `@@notice`
pub(crate) fn exported_not_resource(span: Span) -> Diagnostic {
    let message = "Exported (@@) can only be applied to a Resource Expression";
    Diagnostic::parse_error("exported-not-resource", span, message)
}

/// `file { mode +> '0644' }`
pub(crate) fn resource_without_title_or_hash(span: Span) -> Diagnostic {
    let message = "Syntax error resource body without title or hash with +>";
    Diagnostic::parse_error("resource-without-title-or-hash", span, message)
        .help("write the title and a colon first: `'title': …`")
}

/// `$x { mode => '0644' }`
pub(crate) fn not_a_resource(span: Span) -> Diagnostic {
    let message = "Expression is not valid as a resource, resource-default, or resource-override";
    Diagnostic::parse_error("not-a-resource", span, message)
        .label("attributes can't be given to this")
}

/// `class class { }`
pub(crate) fn class_keyword_as_name(span: Span) -> Diagnostic {
    let message = "'class' keyword not allowed at this location";
    Diagnostic::parse_error("class-keyword-as-name", span, message)
}

/// `class 'foo' { }`
pub(crate) fn quoted_name(span: Span) -> Diagnostic {
    let message = "A quoted string is not valid as a name here";
    Diagnostic::parse_error("quoted-name", span, message).help("remove the quotes")
}

/// `foo 1, 2`
pub(crate) fn arguments_without_parentheses(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "attempt to pass argument list to the function '{name}' which cannot be called without parentheses"
    );
    Diagnostic::parse_error("arguments-without-parentheses", span, message)
        .help(format!("write `{name}(…)`"))
}

/// `1, 2`
pub(crate) fn illegal_comma_list(span: Span) -> Diagnostic {
    Diagnostic::parse_error("illegal-comma-list", span, "illegal comma separated argument list")
}
