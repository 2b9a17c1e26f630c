//! `import "file:…"`: the statements of a file run where it is imported, once; its names are members.

use std::collections::HashMap;

use super::build::{Checker, Code};
use crate::ast::{Expr, ExprId};
use crate::files::path_of;
use crate::issues;
use crate::module::Module;
use crate::program::{Node, NodeId};

/// Scope of one file. The scope of the file being checked is moved out of here meanwhile.
#[derive(Debug, Default)]
pub(super) struct Unit<'s> {
    pub(super) by_text: HashMap<&'s str, usize>,
    pub(super) searched: Vec<&'static Module>,
    pub(super) searched_files: Vec<usize>,
    pub(super) has_lookup: bool,
    pub(super) progress: Progress,
}

/// How much of a file has been checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    Fresh,
    Running,
    Done,
}

impl Checker<'_> {
    /// Returns the statements of the file that a statement imports, unless they ran before.
    pub(super) fn include(&mut self, statement: ExprId) -> Option<NodeId> {
        let value = match &self.ast[statement] {
            Expr::Assign { name: _, value } => *value,
            _ => statement,
        };
        let file = self.imported_file(value)?;
        if self.units[file].progress != Progress::Fresh {
            return None;
        }
        let (ast, before) = (self.ast, self.unit);
        self.units[file].progress = Progress::Running;
        self.enter(file);
        self.ast = &self.trees.trees[file].ast;
        let block = self.statements(&self.ast.program.clone(), false);
        self.enter(before);
        self.ast = ast;
        self.units[file].progress = Progress::Done;
        let code = Code {
            assigns: self.flow.definite.clone(),
            ends: self.flow.ends,
            fails: self.block_fails(block),
            cost: self.block_cost(block),
            depth: self.block_depth(block),
        };
        let node = self.block_node(statement, block, code);
        Some(self.run(node, Node::Run, None))
    }

    /// Switches to the scope of another file.
    fn enter(&mut self, unit: usize) {
        for unit in [self.unit, unit] {
            let other = &mut self.units[unit];
            std::mem::swap(&mut self.by_text, &mut other.by_text);
            std::mem::swap(&mut self.searched, &mut other.searched);
            std::mem::swap(&mut self.searched_files, &mut other.searched_files);
            std::mem::swap(&mut self.has_lookup, &mut other.has_lookup);
        }
        self.unit = unit;
    }

    /// Returns the file that an expression imports; with `otherwise`, the first that exists.
    fn imported_file(&self, id: ExprId) -> Option<usize> {
        let operand = match &self.ast[id] {
            Expr::Import(operand) => *operand,
            Expr::Otherwise { left, right } => {
                let exists = self.import_exists(*left)?;
                return self.imported_file(if exists { *left } else { *right });
            }
            Expr::Call { callee, args } => match (&self.ast[*callee], args.as_slice()) {
                (Expr::Member { member, .. }, [arg]) if &*member.text == "import" => *arg,
                _ => return None,
            },
            _ => return None,
        };
        let Expr::Text(text) = &self.ast[operand] else { return None };
        self.trees.find(path_of(std::str::from_utf8(text).ok()?)?)
    }

    /// Whether the import expression's target exists; None: the expression is not an import of a constant.
    pub(super) fn import_exists(&self, id: ExprId) -> Option<bool> {
        let Expr::Import(operand) = &self.ast[id] else { return None };
        let Expr::Text(text) = &self.ast[*operand] else { return None };
        let text = String::from_utf8_lossy(text);
        let is_file = path_of(&text).is_some_and(|path| self.trees.find(path).is_some());
        Some(is_file || self.find_module(&text).is_some())
    }

    /// Returns the object of an imported file, whose statements ran before.
    pub(super) fn file_node(&mut self, uri: &str, at: NodeId, span: kukla_base::Span) -> NodeId {
        let uri_span = self.span_of(at);
        let file = path_of(uri).and_then(|path| self.trees.find(path));
        let progress = file.map(|file| self.units[file].progress);
        let issue = match (file, progress) {
            (Some(file), Some(Progress::Done)) => {
                if !self.has_lookup {
                    self.add_searched_file(file);
                }
                return self.file_object(file, span);
            }
            (_, Some(Progress::Running)) => issues::import_cycle(uri_span, uri),
            (_, Some(_)) => issues::file_import_place(uri_span),
            (_, None) if self.options.files.is_none() => issues::file_import(uri_span),
            (_, None) => match path_of(uri) {
                None => issues::file_outside(uri_span),
                Some(path) => {
                    let error =
                        self.options.files.as_ref().and_then(|files| files.read(path).err());
                    let reason =
                        error.map_or("it is left out".to_owned(), |error| error.to_string());
                    issues::file_unreadable(uri_span, path, &reason)
                }
            },
        };
        self.diagnostics.push(issue);
        self.unknown(span)
    }

    pub(super) fn add_searched_file(&mut self, file: usize) {
        if !self.searched_files.contains(&file) {
            self.searched_files.push(file);
        }
    }
}
