//! Classes, defined types and nodes as they are written.

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::{Edition, Symbol};
use kukla_pcore::regex::Regex;
use kukla_pcore::types::capitalize_segments;
use kukla_syntax::ast::{Expr, ExprId, NamedKind};
use kukla_syntax::node_regexp_name;

use crate::Program;
use crate::place::At;

/// A class, a defined type or a node.
#[derive(Debug)]
pub struct Definition {
    /// Which.
    pub kind: DefinitionKind,
    /// Its name in lower case; of a node that is a pattern, Puppet's name for it.
    pub name: EcoString,
    /// The pattern of a node.
    pub(crate) pattern: Option<Regex>,
    /// The source that has it.
    pub program: Arc<Program>,
    /// Its node there.
    pub id: ExprId,
    /// The module that the source belongs to; empty for main manifests.
    pub module: EcoString,
    /// The class that a class inherits, without colons before it.
    pub parent: Option<EcoString>,
    /// The line of the definition.
    pub line: u32,
    /// Its name, as scopes know it.
    pub(crate) symbol: Symbol,
    /// Its name with capital letters: the type of a defined type's resources.
    pub(crate) type_: Symbol,
}

/// The kind of a [`Definition`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefinitionKind {
    /// `class name { }`
    Class,
    /// `define name { }`
    Define,
    /// `node name { }`
    Node,
}

impl Definition {
    /// All definitions of a program that belongs to a module, in the order in which Puppet makes them known.
    pub fn all_of(program: &Arc<Program>, module: &str, edition: Edition) -> Vec<Arc<Self>> {
        let ast = program.ast();
        let mut found = Vec::new();
        for &id in ast.definitions() {
            match ast[id] {
                Expr::Named(named) => {
                    let named = ast.named(named);
                    let kind = match named.kind {
                        NamedKind::Class => DefinitionKind::Class,
                        NamedKind::Define => DefinitionKind::Define,
                        NamedKind::Function | NamedKind::Plan => continue,
                    };
                    let parent = named.parent_class;
                    let parent = parent.map(|parent| relative(&ast.text(parent).to_lowercase()));
                    let name = relative(&ast.text(named.name).to_lowercase());
                    found.push(Self::new(kind, name, None, program, id, module, parent));
                }
                Expr::Node { matches, .. } => {
                    for &at in ast.list(matches) {
                        let (name, pattern) = node_name(program, at, edition);
                        let kind = DefinitionKind::Node;
                        found.push(Self::new(kind, name, pattern, program, id, module, None));
                    }
                }
                _ => (),
            }
        }
        found
    }

    fn new(
        kind: DefinitionKind,
        name: EcoString,
        pattern: Option<Regex>,
        program: &Arc<Program>,
        id: ExprId,
        module: &str,
        parent: Option<EcoString>,
    ) -> Arc<Self> {
        let line = program.place(id).line;
        let program = Arc::clone(program);
        let module = module.into();
        let symbol = Symbol::new(&name);
        let type_ = Symbol::new(&capitalize_segments(&name));
        Arc::new(Self { kind, name, pattern, program, id, module, parent, line, symbol, type_ })
    }

    /// The statements.
    pub(crate) fn body(&self) -> Option<ExprId> {
        let ast = self.program.ast();
        match ast[self.id] {
            Expr::Named(named) => ast.named(named).body,
            Expr::Node { body, .. } => body,
            _ => None,
        }
    }

    /// Where it is written.
    pub(crate) fn at(&self) -> At {
        At { file: Some(Arc::clone(self.program.file())), line: Some(self.line) }
    }
}

fn relative(name: &str) -> EcoString {
    name.strip_prefix("::").unwrap_or(name).into()
}

/// The name of a node as Puppet knows it.
fn node_name(program: &Program, at: ExprId, edition: Edition) -> (EcoString, Option<Regex>) {
    let ast = program.ast();
    match ast[at] {
        Expr::Regexp(source) => {
            let source = ast.text(source);
            (node_regexp_name(source, edition).into(), Regex::new(source).ok())
        }
        Expr::Default => ("default".into(), None),
        Expr::String(text) | Expr::QualifiedName(text) => {
            (ast.text(text).to_lowercase().into(), None)
        }
        Expr::Concat(_) => (concat_text(program, at).to_lowercase().into(), None),
        _ => (EcoString::new(), None),
    }
}

/// The literal text of a string with segments; validation has refused expressions in it.
fn concat_text(program: &Program, at: ExprId) -> String {
    let ast = program.ast();
    let Expr::Concat(segments) = ast[at] else { return String::new() };
    let texts = ast.list(segments).iter().filter_map(|&segment| match ast[segment] {
        Expr::String(text) => Some(ast.text(text)),
        _ => None,
    });
    texts.collect()
}
