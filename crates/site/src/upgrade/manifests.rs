//! Places of manifests that an upgrade affects.

use std::collections::HashSet;

use kukla_base::{Diagnostic, DiagnosticPlace, EditionChange, Severity, Source, Span};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId};
use kukla_syntax::{Ast, Checked, Options, check_bytes, node_regexp_name};
use kukla_world::{Disk, MAX_FILE, World};
use kukla_xpp::tree::Manifest;

use super::{Upgrade, UpgradeFinding, legacy_facts};
use crate::open::OpenEnvironment;

/// The function with a fifth argument that an edition removed.
const REGSUBST: &str = "regsubst";

/// Digests that the content of a file could name instead of text.
const CHECKSUMS: [&str; 2] = ["{md5}", "{sha256}"];

/// A manifest that is being examined.
struct Examined<'a> {
    upgrade: Upgrade<'a>,
    manifest: &'a Manifest,
    ast: &'a Ast,
    source: Source,
    /// Variables and parameters that the manifest sets itself.
    own: HashSet<&'a str>,
    findings: Vec<UpgradeFinding>,
}

impl Upgrade<'_> {
    /// Returns the places of a manifest; empty if it can't be read or is invalid in both editions.
    pub(super) fn manifest(&self, manifest: &Manifest) -> Vec<UpgradeFinding> {
        let Ok(read) = Disk.read(&manifest.path.to_string_lossy(), MAX_FILE) else {
            return Vec::new();
        };
        let checked = |side: &OpenEnvironment| {
            let options = Options {
                strict: side.strictness.strict,
                edition: side.strictness.editions.puppet,
                home: manifest.home.clone(),
                file: manifest.path.to_string_lossy().into_owned(),
                ..Options::default()
            };
            check_bytes(&read.bytes, &options).ok()
        };
        let (Some(from), Some(to)) = (checked(self.from), checked(self.to)) else {
            return Vec::new();
        };
        let mut examined = Examined {
            upgrade: *self,
            manifest,
            ast: &to.ast,
            source: Source::new("", to.ast.source()),
            own: own_variables(&to.ast),
            findings: Vec::new(),
        };
        examined.diagnostics(&from, &to);
        to.ast.ids().for_each(|id| examined.expression(id));
        examined.findings
    }
}

impl Examined<'_> {
    /// Adds the diagnostics that only the later edition has, or that it has as errors.
    fn diagnostics(&mut self, from: &Checked, to: &Checked) {
        for diagnostic in &to.diagnostics {
            let is_old =
                |old: &&Diagnostic| old.code == diagnostic.code && old.span == diagnostic.span;
            let old = from.diagnostics.iter().find(is_old).map(|old| old.severity);
            let change = match (diagnostic.code, old) {
                (_, Some(Severity::Error)) => continue,
                (_, Some(_)) if !diagnostic.is_error() => continue,
                ("illegal-nonliteral-parameter-type", None) => EditionChange::LiteralParameterTypes,
                ("duplicate-key", None) if self.is_wide_only(diagnostic) => {
                    EditionChange::WideDuplicateKeys
                }
                _ => EditionChange::StrictByDefault,
            };
            self.add(change, place(diagnostic), &diagnostic.message, None);
        }
    }

    /// Returns whether the rules of the earlier edition find no duplicate key here, at any strictness.
    fn is_wide_only(&self, diagnostic: &Diagnostic) -> bool {
        let (from, _) = self.upgrade.editions();
        let options =
            Options { edition: from, home: self.manifest.home.clone(), ..Options::default() };
        let strict = kukla_syntax::check(self.ast.source(), &options);
        !strict
            .diagnostics
            .iter()
            .any(|old| old.code == diagnostic.code && old.span == diagnostic.span)
    }

    fn expression(&mut self, id: ExprId) {
        let ast = self.ast;
        match ast[id] {
            Expr::Node { matches, .. } => {
                for &name in ast.list(matches) {
                    if let Expr::Regexp(source) = ast[name] {
                        self.node(name, ast.text(source));
                    }
                }
            }
            Expr::Call { functor, arguments, .. } => {
                self.call(id, functor, ast.list(arguments).len());
            }
            Expr::Variable(name) => self.variable(id, ast.text(name)),
            Expr::Access { left, keys } => {
                let is_facts = matches!(ast[left], Expr::Variable(name)
                    if matches!(ast.text(name), "facts" | "::facts"));
                if let ([key], true) = (ast.list(keys), is_facts)
                    && let Expr::String(name) | Expr::QualifiedName(name) = ast[*key]
                {
                    self.legacy_fact(*key, ast.text(name));
                }
            }
            Expr::AttributeOperation { name, value, .. } if ast.text(name) == "content" => {
                if let Expr::String(text) = ast[value]
                    && CHECKSUMS.iter().any(|start| ast.text(text).starts_with(start))
                {
                    let subject = "content => '{…}…'";
                    self.add(EditionChange::LiteralChecksumContent, ast.span(id), subject, None);
                }
            }
            _ => (),
        }
    }

    fn node(&mut self, id: ExprId, source: &str) {
        let (from, to) = self.upgrade.editions();
        let (old, new) = (node_regexp_name(source, from), node_regexp_name(source, to));
        if old != new {
            let subject = format!("Node[{old}] becomes Node[{new}]");
            self.add(EditionChange::NodeGroupNames, self.ast.span(id), &subject, None);
        }
    }

    fn call(&mut self, id: ExprId, functor: ExprId, n_arguments: usize) {
        let ast = self.ast;
        let (name, n_arguments) = match ast[functor] {
            Expr::QualifiedName(name) => (ast.text(name), n_arguments),
            Expr::NamedAccess { name, .. } => (ast.text(name), n_arguments + 1),
            _ => return,
        };
        if name == REGSUBST && n_arguments >= 5 {
            let subject = format!("{REGSUBST} with {n_arguments} arguments");
            for change in
                [EditionChange::RegsubstEncodingDeprecated, EditionChange::RegsubstEncodingRemoved]
            {
                self.add(change, ast.span(id), &subject, None);
            }
        }
    }

    fn variable(&mut self, id: ExprId, name: &str) {
        match name.strip_prefix("::") {
            Some(top) => self.legacy_fact(id, top),
            None if !self.own.contains(name) => self.legacy_fact(id, name),
            None => (),
        }
    }

    fn legacy_fact(&mut self, id: ExprId, name: &str) {
        if let Some(fact) = legacy_facts::replacement(name) {
            let instead = Some(legacy_facts::expression(fact));
            let subject = format!("the legacy fact `{name}`");
            self.add(EditionChange::NoLegacyFacts, self.ast.span(id), &subject, instead);
        }
    }

    fn add(&mut self, change: EditionChange, span: Span, subject: &str, instead: Option<String>) {
        if !self.upgrade.brings(change) {
            return;
        }
        let at = self.source.line_column(span.start);
        self.findings.push(UpgradeFinding {
            change: change.row(),
            path: self.manifest.path.clone(),
            line: at.line,
            column: at.column,
            subject: subject.to_owned(),
            instead,
        });
    }
}

/// Returns the location that Puppet reports.
fn place(diagnostic: &Diagnostic) -> Span {
    match diagnostic.place {
        DiagnosticPlace::At(offset) | DiagnosticPlace::Line(offset) => Span::new(offset, 0),
        DiagnosticPlace::File | DiagnosticPlace::Nowhere => diagnostic.span,
    }
}

/// Returns the names of variables that a manifest assigns and of parameters that it declares.
fn own_variables(ast: &Ast) -> HashSet<&str> {
    let mut own = HashSet::new();
    for id in ast.ids() {
        match ast[id] {
            Expr::Parameter { name, .. } => drop(own.insert(ast.text(name))),
            Expr::Binary { op: BinaryOp::Assign(_), left, .. } => assigned(ast, left, &mut own),
            _ => (),
        }
    }
    own
}

fn assigned<'a>(ast: &'a Ast, target: ExprId, own: &mut HashSet<&'a str>) {
    match ast[target] {
        Expr::Variable(name) => drop(own.insert(ast.text(name))),
        Expr::List(targets) => {
            for &target in ast.list(targets) {
                if let Expr::Variable(name) = ast[target] {
                    own.insert(ast.text(name));
                }
            }
        }
        _ => (),
    }
}
