//! Definitions in files of a module.

use super::Validator;
use crate::ast::{Expr, ExprId};
use crate::{Home, Options, issues};

/// The names that a file may define.
pub(super) enum Namespace {
    /// Any.
    Any,
    /// None: the file is in a module, but not in a directory of definitions.
    Nothing,
    /// Those with this prefix.
    Prefix(String),
}

impl Namespace {
    pub(super) fn of(options: &Options) -> Self {
        match &options.home {
            Home::Module { path } if path.ends_with(".pp") => Self::of_path(path),
            Home::Module { .. } | Home::Anywhere => Self::Any,
        }
    }

    /// Returns the namespace of a path: `apache::mod::ssl` for `apache/manifests/mod/ssl.pp`, `apache` for
    /// `apache/manifests/init.pp`.
    fn of_path(path: &str) -> Self {
        let path = path.to_lowercase();
        let parts: Vec<&str> = path.split('/').collect();
        let [module, folder, inner @ .., file] = parts.as_slice() else { return Self::Nothing };
        if !matches!(*folder, "manifests" | "functions" | "types" | "plans") {
            return Self::Nothing;
        }
        let mut names = vec![*module];
        names.extend(inner);
        if !(inner.is_empty() && *file == "init.pp") {
            names.push(file.strip_suffix(".pp").unwrap_or(file));
        }
        Self::Prefix(names.join("::"))
    }
}

impl Validator<'_> {
    /// Checks that a file of a module holds nothing but definitions.
    pub(super) fn top_constructs(&mut self) {
        let Some(body) = self.ast.body() else { return };
        if matches!(self.namespace, Namespace::Any) {
            return;
        }
        match self.ast[body] {
            Expr::Nop => (),
            Expr::Block(statements) => {
                for &statement in self.ast.list(statements) {
                    self.top_construct(statement);
                }
            }
            _ => self.top_construct(body),
        }
    }

    fn top_construct(&mut self, id: ExprId) {
        let what = match self.ast[id] {
            Expr::Named(_)
            | Expr::TypeAlias { .. }
            | Expr::TypeMapping { .. }
            | Expr::TypeDefinition(_)
            | Expr::Error => return,
            _ => format!("This {}", self.label(id)),
        };
        let issue = issues::illegal_top_construct_location(self.span(id), &what);
        self.report(issue.underline(self.extent(id)));
    }

    /// Checks that the name of a definition matches the path of its file.
    pub(super) fn location(&mut self, id: ExprId, name: &str) {
        let fits = match &self.namespace {
            Namespace::Any => true,
            Namespace::Nothing => false,
            Namespace::Prefix(prefix) => name.to_lowercase().starts_with(prefix.as_str()),
        };
        if !fits {
            let file = &self.options.file;
            self.report(issues::illegal_definition_location(self.span(id), name, file));
        }
    }
}
