//! Definitions that can't be registered together.
//!
//! Puppet does this after validation: it interprets the parameters of classes and defines, passes functions and types to its
//! loaders, and then adds classes, defines and nodes one by one.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use kukla_base::{Diagnostic, Edition, LineColumn, Source, Span};

use super::builtin;
use crate::ast::{Ast, Expr, ExprId, Named, NamedKind};
use crate::{Options, issues, node_regexp_name};

/// Returns the diagnostics of the definitions of `ast`, which is valid.
pub(crate) fn load(ast: &Ast, options: &Options) -> Vec<Diagnostic> {
    let mut loading = Loading {
        ast,
        file: &options.file,
        edition: options.edition,
        source: OnceCell::new(),
        entities: HashMap::new(),
        classes: HashMap::new(),
        defines: HashMap::new(),
        nodes: HashMap::new(),
        warned: HashSet::new(),
        diagnostics: Vec::new(),
    };
    for &id in ast.definitions() {
        loading.instantiate(id);
    }
    // Most files define one thing, which clashes with nothing.
    if let [single] = ast.definitions()
        && !matches!(ast[*single], Expr::Node { .. })
    {
        return loading.diagnostics;
    }
    for &id in ast.definitions() {
        loading.add(id);
    }
    loading.diagnostics
}

struct Loading<'a> {
    ast: &'a Ast,
    file: &'a str,
    edition: Edition,
    /// The source with its lines, created for the first diagnostic.
    source: OnceCell<Source>,
    /// Functions, plans, defines and type aliases by kind and name.
    entities: HashMap<(&'static str, String), Span>,
    classes: HashMap<String, Span>,
    defines: HashMap<String, Span>,
    nodes: HashMap<String, Span>,
    warned: HashSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Loading<'_> {
    fn instantiate(&mut self, id: ExprId) {
        let span = self.ast.span(id);
        match self.ast[id] {
            Expr::Named(named) => {
                let named = *self.ast.named(named);
                let name = self.ast.text(named.name).to_lowercase();
                match named.kind {
                    NamedKind::Class => self.metaparameters(&named),
                    NamedKind::Define => {
                        self.metaparameters(&named);
                        self.register("type", name, span);
                    }
                    NamedKind::Function => self.register("function", name, span),
                    NamedKind::Plan => self.register("plan", name, span),
                }
            }
            Expr::TypeAlias { name, type_: _ } => {
                let name = self.ast.text(name).to_lowercase();
                if let Some(origin) = builtin::type_origin(&name) {
                    let entity = format!("type/{name}");
                    self.diagnostics.push(issues::redefined_builtin(span, &entity, origin));
                } else if let Some(&first) = self.entities.get(&("type", name.clone())) {
                    self.redefined(span, first, "type", &name);
                } else {
                    // A define may have the name of an alias, so they are kept apart.
                    self.register("alias", name, span);
                }
            }
            _ => (),
        }
    }

    /// Registers a function, plan, define or alias.
    fn register(&mut self, kind: &'static str, name: String, span: Span) {
        match self.entities.get(&(kind, name.clone())) {
            Some(&first) => {
                let entity = if kind == "alias" { "type" } else { kind };
                self.redefined(span, first, entity, &name);
            }
            None => drop(self.entities.insert((kind, name), span)),
        }
    }

    fn redefined(&mut self, span: Span, first: Span, kind: &str, name: &str) {
        let place = self.place(first);
        let (line, column) = (place.line, place.column);
        let origin = format!("{}?line={line}&pos={column}", uri(self.file));
        let entity = format!("{kind}/{name}");
        self.diagnostics.push(issues::redefined_entity(span, first, &entity, &origin));
    }

    fn metaparameters(&mut self, named: &Named) {
        let definition = self.ast.text(named.name).to_lowercase();
        for &parameter in self.ast.list(named.parameters) {
            let Expr::Parameter { name, value, .. } = self.ast[parameter] else { continue };
            let (name, span) = (self.ast.text(name), self.ast.span(parameter));
            if !builtin::is_metaparameter(name) {
                continue;
            }
            if value.is_none() {
                self.diagnostics.push(issues::metaparameter(span, name, &definition));
            } else if self.warned.insert(format!("{name} {definition}")) {
                let warning = issues::metaparameter_with_default(span, name, &definition);
                self.diagnostics.push(warning);
            }
        }
    }

    fn add(&mut self, id: ExprId) {
        let span = self.ast.span(id);
        match self.ast[id] {
            Expr::Named(named) => {
                let named = self.ast.named(named);
                let name = self.ast.text(named.name).to_lowercase();
                match named.kind {
                    NamedKind::Class => self.add_class(name, span),
                    NamedKind::Define => self.add_define(name, span),
                    NamedKind::Function | NamedKind::Plan => (),
                }
            }
            Expr::Node { matches, .. } => {
                for &hostname in self.ast.list(matches) {
                    if let Some(name) = self.node_name(hostname) {
                        self.add_node(name, span);
                    }
                }
            }
            _ => (),
        }
    }

    fn add_class(&mut self, name: String, span: Span) {
        if let Some(&first) = self.classes.get(&name) {
            let at = self.error_context(first);
            self.clash(
                span,
                first,
                format!("Class '{name}' is already defined{at}; cannot redefine"),
            );
        } else if let Some(&first) = self.nodes.get(&name) {
            let at = self.error_context(first);
            let sentence =
                format!("Node '{name}' is already defined{at}; cannot be redefined as a class");
            self.clash(span, first, sentence);
        } else if let Some(&first) = self.defines.get(&name) {
            let at = self.error_context(first);
            let sentence = format!(
                "Definition '{name}' is already defined{at}; cannot be redefined as a class"
            );
            self.clash(span, first, sentence);
        } else {
            self.classes.insert(name, span);
        }
    }

    fn add_define(&mut self, name: String, span: Span) {
        if let Some(&first) = self.classes.get(&name) {
            let at = self.error_context(first);
            let sentence = format!(
                "'{name}' is already defined{at} as a class; cannot redefine as a definition"
            );
            self.clash(span, first, sentence);
        } else {
            // An earlier check reports two defines of one name.
            self.defines.entry(name).or_insert(span);
        }
    }

    fn add_node(&mut self, name: String, span: Span) {
        if name.is_empty() {
            self.diagnostics.push(issues::node_without_name(span));
        } else if let Some(&first) = self.nodes.get(&name) {
            let at = self.error_context(first);
            self.clash(
                span,
                first,
                format!("Node '{name}' is already defined{at}; cannot redefine"),
            );
        } else if let Some(&first) = self.classes.get(&name) {
            let at = self.error_context(first);
            let sentence =
                format!("Class '{name}' is already defined{at}; cannot be redefined as a node");
            self.clash(span, first, sentence);
        } else {
            self.nodes.insert(name, span);
        }
    }

    fn clash(&mut self, span: Span, first: Span, sentence: String) {
        self.diagnostics.push(issues::redefinition(span, first, sentence));
    }

    /// Returns line and column of a definition.
    fn place(&self, span: Span) -> LineColumn {
        let source = self.source.get_or_init(|| Source::new("", self.ast.source()));
        source.line_column(span.start)
    }

    /// Returns the location of a definition, as Puppet's messages name it.
    fn error_context(&self, first: Span) -> String {
        let line = self.place(first).line;
        match self.file {
            "" => format!(" (line: {line})"),
            file => format!(" (file: {file}, line: {line})"),
        }
    }

    /// Returns the name under which Puppet stores a node.
    fn node_name(&self, hostname: ExprId) -> Option<String> {
        match self.ast[hostname] {
            Expr::String(name) => Some(self.ast.text(name).to_lowercase()),
            Expr::Default => Some("default".to_owned()),
            Expr::Regexp(source) => Some(node_regexp_name(self.ast.text(source), self.edition)),
            _ => None,
        }
    }
}

/// Converts a path to a URI; text without a file is `string:`.
fn uri(file: &str) -> String {
    if file.is_empty() {
        return "string:".to_owned();
    }
    let mut uri = "file://".to_owned();
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
