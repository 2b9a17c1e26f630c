//! Diagnostics of the lexer.

use kukla_base::{Diagnostic, DiagnosticPlace, Severity, Span};

/// Quotes text before an unclosed string as Puppet does.
pub(crate) fn quoted(text: &str) -> String {
    if text == "'" { "\"'\"".to_owned() } else { format!("'{text}'") }
}

/// A byte order mark.
pub(crate) fn illegal_bom(name: &str, bytes: &[u8]) -> Diagnostic {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:X}")).collect();
    let message = format!(
        "Illegal {name} Byte Order mark at beginning of input: [{}] - remove these from the puppet source",
        bytes.join(" ")
    );
    Diagnostic::parse_error("illegal-bom", Span::default(), message)
        .place(DiagnosticPlace::Nowhere)
        .help("save the file as UTF-8 without a byte order mark")
}

/// Bytes that are not UTF-8.
pub(crate) fn not_utf_8(at: Span) -> Diagnostic {
    Diagnostic::parse_error("not-utf-8", at, "invalid byte sequence in UTF-8")
        .place(DiagnosticPlace::Nowhere)
        .label("here the text stops being UTF-8")
        .help("save the file as UTF-8")
}

/// A source that exceeds the maximum size.
pub(crate) fn too_large(limit: usize) -> Diagnostic {
    let message = format!("the source is larger than {} MiB", limit >> 20);
    Diagnostic::parse_error("too-large", Span::default(), message).place(DiagnosticPlace::File)
}

/// A source that is nested too deeply.
pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::parse_error("too-deep", span, "this is nested too deeply")
        .help("split the expression, for example with variables for its parts")
}

/// `/* …`
pub(crate) fn unclosed_mlcomment(span: Span) -> Diagnostic {
    Diagnostic::parse_error("unclosed-mlcomment", span, "Unclosed multiline comment")
        .label("the comment starts here")
        .help("end the comment with `*/`")
}

/// `/(/`
pub(crate) fn invalid_regexp(span: Span, message: &str) -> Diagnostic {
    Diagnostic::parse_error("invalid-regexp", span, message)
        .place(DiagnosticPlace::Nowhere)
        .label("this regular expression can't be understood")
}

/// `Foo::bar`
pub(crate) fn illegal_class_reference(span: Span, place: u32) -> Diagnostic {
    Diagnostic::parse_error("illegal-class-reference", span, "Illegal class reference")
        .place(DiagnosticPlace::At(place))
        .help("every part of a type name starts with a capital letter: `Foo::Bar`")
}

/// `::Foo::bar`
pub(crate) fn illegal_fully_qualified_class_reference(span: Span, place: u32) -> Diagnostic {
    let message = "Illegal fully qualified class reference";
    Diagnostic::parse_error("illegal-fully-qualified-class-reference", span, message)
        .place(DiagnosticPlace::At(place))
        .help("every part of a type name starts with a capital letter: `::Foo::Bar`")
}

/// `::Foo::` at the very end, where Puppet fails while it computes the location.
pub(crate) fn unfinished_class_reference(span: Span) -> Diagnostic {
    Diagnostic {
        message: "index out of range".to_owned(),
        place: DiagnosticPlace::Nowhere,
        ..illegal_fully_qualified_class_reference(span, 0)
    }
    .label("a type name can't end with `::`")
}

/// `::` without a name
pub(crate) fn illegal_fully_qualified_name(span: Span) -> Diagnostic {
    let message = "Illegal fully qualified name";
    Diagnostic::parse_error("illegal-fully-qualified-name", span, message)
        .place(DiagnosticPlace::At(span.end()))
        .label("a name must follow")
}

/// `123abc`
pub(crate) fn illegal_number(span: Span, place: u32, value: &str) -> Diagnostic {
    Diagnostic::parse_error("illegal-number", span, format!("Illegal number '{value}'"))
        .place(DiagnosticPlace::At(place))
        .help("a word that starts with a digit must be quoted")
}

/// `0xZZ`
pub(crate) fn invalid_hex_number(span: Span, value: &str) -> Diagnostic {
    let message = format!("Not a valid hex number {value}");
    Diagnostic::parse_error("invalid-hex-number", span, message)
        .help("after `0x` only the digits 0-9 and a-f may follow; quote it if it is a string")
}

/// `089`
pub(crate) fn invalid_octal_number(span: Span, value: &str) -> Diagnostic {
    let message = format!("Not a valid octal number {value}");
    Diagnostic::parse_error("invalid-octal-number", span, message)
        .help("a number that starts with 0 is octal: remove the 0, or quote it if it is a string")
}

/// `1.5abc`
pub(crate) fn invalid_decimal_number(span: Span, value: &str) -> Diagnostic {
    let message = format!("Not a valid decimal number {value}");
    Diagnostic::parse_error("invalid-decimal-number", span, message)
        .help("quote it if it is a string")
}

/// `"…` or `'…`
pub(crate) fn unclosed_quote(
    opening: Span,
    place: u32,
    after: &str,
    followed_by: &str,
) -> Diagnostic {
    let message = format!("Unclosed quote after {after} followed by '{followed_by}'");
    Diagnostic::parse_error("unclosed-quote", opening, message)
        .place(DiagnosticPlace::At(place))
        .label("the closing quote is missing")
}

/// `"\q"` and `"\uXY"`
pub(crate) fn unrecognized_escape(span: Span, place: u32, char: char) -> Diagnostic {
    let (code, message) = if char == 'u' {
        let message = "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff";
        ("illegal-unicode-escape", message.to_owned())
    } else {
        ("unrecognized-escape", format!("Unrecognized escape sequence '\\{char}'"))
    };
    Diagnostic::parse_error(code, span, message)
        .severity(Severity::Warning)
        .place(DiagnosticPlace::At(place))
        .help("write `\\\\` for a backslash, or use single quotes")
}

/// `\uXY` in a heredoc that allows `\u`
pub(crate) fn illegal_heredoc_escape(span: Span) -> Diagnostic {
    Diagnostic { severity: Severity::Error, ..unrecognized_escape(span, span.start, 'u') }
}

/// `"\u{110000}"`
pub(crate) fn illegal_code_point(span: Span) -> Diagnostic {
    Diagnostic::parse_error("illegal-unicode-escape", span, "invalid byte sequence in UTF-8")
        .place(DiagnosticPlace::Nowhere)
        .label("a `\\u` escape in this text is no Unicode character")
}

/// `@("OUTER")` with `${@(INNER)}` in its text, at which Puppet fails
pub(crate) fn nested_heredoc(span: Span) -> Diagnostic {
    let message = "a heredoc cannot stand in the interpolation of another heredoc";
    Diagnostic::parse_error("nested-heredoc", span, message)
        .help("give the inner text to a variable first")
}

/// `1e999`, at which Puppet fails
pub(crate) fn number_out_of_range(span: Span, value: &str) -> Diagnostic {
    let message = format!("Internal Error, NUMBER token does not contain a valid number, {value}");
    Diagnostic::parse_error("invalid-decimal-number", span, message)
        .place(DiagnosticPlace::Nowhere)
        .label("no floating point number has this value or form")
}

/// `@(END`
pub(crate) fn heredoc_unclosed_parenthesis(span: Span, followed_by: &str) -> Diagnostic {
    let message = format!("Unclosed parenthesis after '@(' followed by '{followed_by}'");
    Diagnostic::parse_error("heredoc-unclosed-parenthesis", span, message)
}

/// `@(END:x y)`
pub(crate) fn heredoc_invalid_syntax(span: Span, place: u32) -> Diagnostic {
    let message = "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])";
    Diagnostic::parse_error("heredoc-invalid-syntax", span, message)
        .place(DiagnosticPlace::At(place))
}

/// `@("")`
pub(crate) fn heredoc_empty_endtag(span: Span, place: u32) -> Diagnostic {
    let message = "Heredoc with an empty endtag";
    Diagnostic::parse_error("heredoc-empty-endtag", span, message).place(DiagnosticPlace::At(place))
}

/// `@(END/tt)`
pub(crate) fn heredoc_multiple_at_escapes(span: Span, place: u32, escapes: &str) -> Diagnostic {
    let message = format!("An escape char for @() may only appear once. Got '{escapes}'");
    Diagnostic::parse_error("heredoc-multiple-at-escapes", span, message)
        .place(DiagnosticPlace::At(place))
}

/// `@(END/x)`
pub(crate) fn heredoc_invalid_escape(span: Span, place: u32, escape: char) -> Diagnostic {
    let message =
        format!("Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{escape}'");
    Diagnostic::parse_error("heredoc-invalid-escape", span, message)
        .place(DiagnosticPlace::At(place))
}

/// `@(END)` on the last line
pub(crate) fn heredoc_without_text(span: Span, place: u32) -> Diagnostic {
    let message = "Heredoc without any following lines of text";
    Diagnostic::parse_error("heredoc-without-text", span, message).place(DiagnosticPlace::At(place))
}

/// `@(END)` without a line that ends it
pub(crate) fn heredoc_without_end_tagged_line(span: Span, place: u32, tag: &str) -> Diagnostic {
    let message = "Heredoc without end-tagged line";
    Diagnostic::parse_error("heredoc-without-end-tagged-line", span, message)
        .place(DiagnosticPlace::At(place))
        .label("this heredoc has no end")
        .help(format!("end the text with a line `| {tag}`"))
}

/// `<% …` up to the end
pub(crate) fn epp_unbalanced_tag(span: Span) -> Diagnostic {
    let message = "Unbalanced epp tag, reached <eof> without closing tag.";
    Diagnostic::parse_error("epp-unbalanced-tag", span, message)
        .help("end the code with `%>` or `-%>`")
}

/// `<%# …` up to the end
pub(crate) fn epp_unbalanced_comment(span: Span) -> Diagnostic {
    let message = "Reaching end after opening <%# without seeing %>";
    Diagnostic::parse_error("epp-unbalanced-comment", span, message)
}

/// `<%` at the end
pub(crate) fn epp_unbalanced_expression(span: Span) -> Diagnostic {
    let message = "Unbalanced embedded expression - opening <% and reaching end of input";
    Diagnostic::parse_error("epp-unbalanced-expression", span, message)
}
