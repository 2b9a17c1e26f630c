//! Every renderer on the same few reports.

use expect_test::{Expect, expect};

use super::text::Style;
use super::*;
use crate::{DiagnosticPlace, Span};

mod drawing;
mod machines;

fn file(name: &str, text: &str, diagnostics: Vec<Diagnostic>) -> FileReport {
    let puppet_file = Some(format!("/home/me/{name}"));
    FileReport { source: Source::new(name, text), kind: Kind::Manifest, puppet_file, diagnostics }
}

/// Returns the span of the first occurrence of `part`.
fn span(text: &str, part: &str) -> Span {
    let start = text.find(part).expect("the part is in the text");
    Span::new(u32::try_from(start).unwrap(), u32::try_from(part.len()).unwrap())
}

/// Returns a file with an error that has everything, and a warning.
fn sample() -> Report {
    let text = "class a(\n  $x,\n  $x,\n) {\n  1\n}\n";
    let second = Span::new(17, 2);
    let error = Diagnostic::error(
        "duplicate-parameter",
        second,
        "The parameter 'x' is declared more than once in the parameter list",
    )
    .label("declared again")
    .label_at(span(text, "$x"), "first declared here")
    .help("remove one of the two");
    let warning =
        Diagnostic::error("idem", span(text, "1"), "This has no effect: 100 %, \"quoted\" <tag>")
            .severity(Severity::Warning);
    Report {
        files: vec![file("a,b/x.pp", text, vec![error, warning]), file("fine.pp", "", vec![])],
    }
}

fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(actual);
}

#[test]
fn names_can_not_make_lines_of_their_own() {
    assert_eq!(super::printable("a/b ä.pp"), "a/b ä.pp");
    assert_eq!(
        super::printable("x\n::error file=y::z\u{1b}[31m"),
        "x\\n::error file=y::z\\u{1b}[31m"
    );
}
