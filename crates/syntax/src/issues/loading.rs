//! Diagnostics of definitions that can't be registered.

use kukla_base::{Diagnostic, DiagnosticPlace, Severity, Span};

/// `class a { } class a { }`; `sentence` is Puppet's, with the place of the first in it.
pub(crate) fn redefinition(span: Span, first: Span, sentence: String) -> Diagnostic {
    Diagnostic::load_error("redefinition", span, sentence)
        .place(DiagnosticPlace::Line(span.start))
        .label_at(first, "first defined here")
        .help("rename one of them, or remove it")
}

/// `node '' { }`: the class without a name is the top of the catalog.
pub(crate) fn node_without_name(span: Span) -> Diagnostic {
    let message = "Class '' is already defined; cannot be redefined as a node";
    Diagnostic::load_error("redefinition", span, message)
        .place(DiagnosticPlace::Line(span.start))
        .help("name the node, or use `default`")
}

/// `function f() { } function f() { }`
pub(crate) fn redefined_entity(span: Span, first: Span, entity: &str, origin: &str) -> Diagnostic {
    Diagnostic::load_error(
        "redefinition",
        span,
        redefine_message(entity, &format!("Originally set at {origin}.")),
    )
    .place(DiagnosticPlace::Nowhere)
    .label_at(first, "first defined here")
    .help("rename one of them, or remove it")
}

/// `type Integer = String`
pub(crate) fn redefined_builtin(span: Span, entity: &str, origin: &str) -> Diagnostic {
    let message = redefine_message(entity, origin);
    Diagnostic::load_error("redefinition", span, message)
        .place(DiagnosticPlace::Nowhere)
        .help("Puppet has a type of this name: choose another")
}

fn redefine_message(entity: &str, origin: &str) -> String {
    format!("Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{entity}'. {origin}")
}

/// `define d($before) { }`
pub(crate) fn metaparameter(span: Span, name: &str, definition: &str) -> Diagnostic {
    let message = format!(
        "{name} is a metaparameter; please choose another parameter name in the {definition} definition"
    );
    Diagnostic::load_error("metaparameter", span, message).place(DiagnosticPlace::Nowhere)
}

/// `define d($before = undef) { }`
pub(crate) fn metaparameter_with_default(span: Span, name: &str, definition: &str) -> Diagnostic {
    let message = format!(
        "{name} is a metaparam; this value will inherit to all contained resources in the {definition} definition"
    );
    Diagnostic::load_error("metaparameter", span, message)
        .severity(Severity::Warning)
        .place(DiagnosticPlace::Nowhere)
}
