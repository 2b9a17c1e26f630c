//! Syntax trees of a program and of its imported files.

use kukla_base::{Diagnostic, Span};

use super::Options;
use crate::ast::{Ast, Expr, ExprId};
use crate::files::{Included, MOST_FILES, path_of};
use crate::issues;
use crate::parser::{Parsed, parse_from};

/// Syntax tree of a program or of an imported file.
#[derive(Debug)]
pub(super) struct Tree {
    /// The path of a file; empty for the program.
    pub(super) path: String,
    pub(super) ast: Ast,
    start: usize,
    end: usize,
}

/// All trees; the program's is the first.
#[derive(Debug)]
pub(super) struct Trees {
    /// The text of all files, concatenated.
    pub(super) text: String,
    pub(super) trees: Vec<Tree>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Trees {
    /// Parses a program and all files that it imports.
    pub(super) fn read(text: &str, options: &Options) -> Self {
        let mut trees = Self { text: String::new(), trees: Vec::new(), diagnostics: Vec::new() };
        trees.add("", text, options);
        let mut next = 0;
        while next < trees.trees.len() {
            for (path, span) in trees.trees[next].imports() {
                trees.import(&path, span, options);
            }
            next += 1;
        }
        trees
    }

    fn add(&mut self, path: &str, text: &str, options: &Options) {
        let start = self.text.len();
        self.text.push_str(text);
        let Parsed { ast, diagnostics } = parse_from(&self.text, start, &options.limits);
        self.diagnostics.extend(diagnostics);
        self.trees.push(Tree { path: path.to_owned(), ast, start, end: self.text.len() });
    }

    fn import(&mut self, path: &str, span: Span, options: &Options) {
        let Some(files) = &options.files else { return };
        if self.find(path).is_some() {
            return;
        }
        if self.trees.len() > MOST_FILES {
            self.diagnostics.push(issues::too_many_files(span, MOST_FILES));
            return;
        }
        // A missing file may have an alternative: see `import_choice`.
        let Ok(bytes) = files.read(path) else { return };
        match String::from_utf8(bytes) {
            Ok(text) => self.add(path, &text, options),
            Err(_) => {
                self.diagnostics.push(issues::file_unreadable(span, path, "it is not in UTF-8"))
            }
        }
    }

    /// Returns the index of the file with that path.
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        self.trees.iter().skip(1).position(|tree| tree.path == path).map(|index| index + 1)
    }

    /// Returns an empty span at the end of the program's text.
    pub(super) fn end(&self) -> Span {
        let end = self.trees.first().map_or(0, |tree| tree.end);
        Span::new(u32::try_from(end).unwrap_or(u32::MAX), 0)
    }

    /// Returns the imported files with their texts.
    pub(super) fn included(&self) -> Vec<Included> {
        let included = self.trees.iter().skip(1).map(|tree| Included {
            path: tree.path.clone(),
            start: u32::try_from(tree.start).unwrap_or(u32::MAX),
            text: self.text[tree.start..tree.end].to_owned(),
        });
        included.collect()
    }
}

impl Tree {
    /// Returns the imported files that are visible without name resolution.
    fn imports(&self) -> Vec<(String, Span)> {
        let operands = self.ast.iter().filter_map(|(_, expr)| match expr {
            Expr::Import(operand) => Some(*operand),
            Expr::Call { callee, args } => match args.as_slice() {
                [arg] if self.is_import(*callee) => Some(*arg),
                _ => None,
            },
            _ => None,
        });
        let paths = operands.filter_map(|operand| {
            let Expr::Text(text) = &self.ast[operand] else { return None };
            let path = path_of(std::str::from_utf8(text).ok()?)?;
            Some((path.to_owned(), self.ast.span(operand)))
        });
        paths.collect()
    }

    fn is_import(&self, callee: ExprId) -> bool {
        matches!(&self.ast[callee], Expr::Member { member, .. } if &*member.text == "import")
    }
}
