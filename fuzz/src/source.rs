//! Properties that hold for every manifest and template.

use kukla_base::render::{self, FileReport, Kind, Report};
use kukla_base::{Diagnostic, DiagnosticPlace, Edition, Source, Span};
use kukla_syntax::ast::{Ast, Child};
use kukla_syntax::{Home, Language, Options, Strict, check_bytes, pn, tree};

/// The maximum size of trees in which the extent of every node is computed: each visits all nodes below.
const MAX_EXTENTS: usize = 500;

/// Parses the bytes after the first, with options from the first, and asserts the properties.
pub(crate) fn run(template: bool, bytes: &[u8]) {
    let Some((&how, bytes)) = bytes.split_first() else { return };
    let options = options(template, how);
    let diagnostics = match check_bytes(bytes, &options) {
        Err(diagnostic) => {
            assert!(diagnostic.span.end() as usize <= bytes.len(), "a place behind the end");
            vec![*diagnostic]
        }
        Ok(checked) => {
            let text = std::str::from_utf8(bytes).expect("only UTF-8 is parsed");
            for diagnostic in &checked.diagnostics {
                places_hold(text, diagnostic);
            }
            tree_holds(text, &checked.ast);
            checked.diagnostics
        }
    };
    if is_chosen(bytes) {
        render(template, bytes, diagnostics);
    }
}

/// Returns whether this is one of the few inputs whose diagnostics are rendered, which is the most expensive step.
fn is_chosen(bytes: &[u8]) -> bool {
    let mix = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811C_9DC5, mix) >> 16 & 0xF == 0
}

/// Spreads the bits of a byte over the options.
fn options(template: bool, how: u8) -> Options {
    let path = match how >> 3 & 3 {
        0 => None,
        1 => Some("a/manifests/init.pp"),
        2 => Some("a/functions/b/c.pp"),
        _ => Some("a/lib/b.pp"),
    };
    Options {
        language: if template { Language::Template } else { Language::Manifest },
        tasks: how & 1 != 0,
        strict: match how >> 1 & 3 {
            0 => Strict::Off,
            1 => Strict::Warning,
            _ => Strict::Error,
        },
        home: path.map_or(Home::Anywhere, |path| Home::Module { path: path.to_owned() }),
        file: path.unwrap_or_default().to_owned(),
        edition: Edition::ALL[usize::from(how >> 5) % Edition::ALL.len()],
    }
}

/// Asserts that underlined spans lie in the text, on character boundaries, and that Puppet's own place lies in the
/// text.
fn places_hold(text: &str, diagnostic: &Diagnostic) {
    let on_borders = |span: Span| text.get(span.range()).is_some();
    assert!(on_borders(diagnostic.span), "no text at the span: {diagnostic:?}");
    for label in &diagnostic.labels {
        assert!(on_borders(label.span), "no text at a label: {diagnostic:?}");
    }
    if let DiagnosticPlace::At(offset) = diagnostic.place {
        assert!(offset as usize <= text.len(), "a place behind the end: {diagnostic:?}");
    }
    assert!(!diagnostic.code.is_empty(), "no code: {diagnostic:?}");
}

/// Asserts that every node lies in the text, and that the tree can be written in all forms.
fn tree_holds(text: &str, ast: &Ast) {
    let nodes = ast.puppet_nodes();
    for (class, span) in &nodes {
        assert!(span.end() as usize <= text.len(), "{class} lies behind the end: {span:?}");
    }
    if nodes.len() <= MAX_EXTENTS {
        extents_hold(text, ast);
    }
    pn::pn(ast);
    pn::pn_pretty(ast);
    pn::json(ast);
    pn::json_pretty(ast);
    tree::tree(ast, &Source::new("", text));
}

fn extents_hold(text: &str, ast: &Ast) {
    let mut rest: Vec<Child> = ast.body().map(Child::Node).into_iter().collect();
    while let Some(child) = rest.pop() {
        let Some(id) = child.id() else { continue };
        let extent = ast.extent(id);
        assert!(extent.end() as usize <= text.len(), "an extent behind the end: {extent:?}");
        ast.push_children(id, &mut rest);
    }
}

/// Asserts that every renderer can show the diagnostics.
fn render(template: bool, bytes: &[u8], diagnostics: Vec<Diagnostic>) {
    if diagnostics.is_empty() {
        return;
    }
    let source = Source::new("a.pp", String::from_utf8_lossy(bytes));
    let kind = if template { Kind::Template } else { Kind::Manifest };
    let puppet_file = Some("/a.pp".to_owned());
    let report = Report { files: vec![FileReport { source, kind, puppet_file, diagnostics }] };
    let tool = render::sarif::Tool { name: "kukla", version: "0", explain: |_| None };
    render::text::render(&report, render::text::Style::PLAIN);
    render::concise::render(&report);
    render::json::render(&report);
    render::github::render(&report);
    render::sarif::render(&report, &tool);
    render::junit::render(&report);
}
