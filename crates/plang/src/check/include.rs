//! `import "file:…"`: the statements of a file run where it is imported, once; its names are members.

use std::collections::HashMap;

use super::build::{Checker, Code};
use crate::ast::{Expr, ExprId};
use crate::files::path_of;
use crate::issues;
use crate::module::Module;
use crate::program::{Node, NodeId};

/// What words mean in one file. That of the file which is being checked is empty here.
#[derive(Debug, Default)]
pub(super) struct Unit<'s> {
    pub(super) by_text: HashMap<&'s str, usize>,
    pub(super) searched: Vec<&'static Module>,
    pub(super) searched_files: Vec<usize>,
    pub(super) has_lookup: bool,
    pub(super) progress: Progress,
}

/// How far a file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    Fresh,
    Running,
    Done,
}

impl Checker<'_> {
    /// The statements of the file that a statement of the program imports, unless they ran before.
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

    /// Lets words mean what they do in another file.
    fn enter(&mut self, unit: usize) {
        for unit in [self.unit, unit] {
            let known = &mut self.units[unit];
            std::mem::swap(&mut self.by_text, &mut known.by_text);
            std::mem::swap(&mut self.searched, &mut known.searched);
            std::mem::swap(&mut self.searched_files, &mut known.searched_files);
            std::mem::swap(&mut self.has_lookup, &mut known.has_lookup);
        }
        self.unit = unit;
    }

    /// The file that an expression imports; of several with `otherwise` between, the first that there is.
    fn imported_file(&self, id: ExprId) -> Option<usize> {
        let operand = match &self.ast[id] {
            Expr::Import(operand) => *operand,
            Expr::Otherwise { left, right } => {
                let is_there = self.is_there(*left)?;
                return self.imported_file(if is_there { *left } else { *right });
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

    /// Whether what an expression imports is there; None: it is no import of a constant.
    pub(super) fn is_there(&self, id: ExprId) -> Option<bool> {
        let Expr::Import(operand) = &self.ast[id] else { return None };
        let Expr::Text(text) = &self.ast[*operand] else { return None };
        let text = String::from_utf8_lossy(text);
        let is_file = path_of(&text).is_some_and(|path| self.trees.find(path).is_some());
        Some(is_file || self.find_module(&text).is_some())
    }

    /// The object that stands for a file; its statements ran before.
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
