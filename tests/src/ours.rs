//! Kukla's view of a source.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kukla_base::{Phase, Source};
use kukla_syntax::{Checked, check_bytes, parse, pn};

use crate::{Case, Issue, View};

/// Returns Kukla's view of a source; a panic is part of it.
pub fn ours(case: &Case) -> View {
    match catch_unwind(AssertUnwindSafe(|| look(case))) {
        Ok(view) => view,
        Err(panic) => View { failure: Some(panic_message(&*panic)), ..View::default() },
    }
}

fn look(case: &Case) -> View {
    let source = Source::new(case.file_name(), case.text());
    let checked = match check_bytes(&case.bytes, &case.options()) {
        Ok(checked) => checked,
        Err(diagnostic) => return View::with_issues(vec![Issue::of(&diagnostic, &source)]),
    };
    let issues = checked.diagnostics.iter().map(|found| Issue::of(found, &source)).collect();
    let view = View::with_issues(issues);
    if does_parse(&checked) {
        return with_tree(view, &checked);
    }
    // An error that stops validation, such as in the text of a heredoc, need not stop the parser.
    let parsed = parse(source.text(), &case.options());
    if does_parse(&parsed) { with_tree(view, &parsed) } else { view }
}

fn does_parse(checked: &Checked) -> bool {
    !checked.diagnostics.iter().any(|found| found.is_error() && found.phase == Phase::Parse)
}

fn with_tree(view: View, checked: &Checked) -> View {
    let nodes = checked.ast.puppet_nodes();
    let node_line =
        |(kind, span): &(&str, kukla_base::Span)| format!("{kind} {} {}\n", span.start, span.len);
    View {
        pn: Some(pn::pn(&checked.ast)),
        json: Some(pn::json(&checked.ast)),
        nodes: Some(nodes.iter().map(node_line).collect()),
        ..view
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", words.unwrap_or("without words"))
}
