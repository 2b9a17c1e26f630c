//! Type aliases of an environment.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kukla_syntax::Ast;
use kukla_syntax::ast::{Expr, ExprId};

use super::Trees;
use crate::load::Unusable;
use kukla_world::Pool;
use kukla_xpp::tree::Manifest;

/// All aliases, keyed by name in lower case.
#[derive(Debug, Default)]
pub(super) struct Aliases<'a> {
    trees: Vec<Cow<'a, Ast>>,
    by_name: BTreeMap<String, Alias>,
}

/// An alias and the location of its definition.
#[derive(Clone, Copy, Debug)]
struct Alias {
    tree: usize,
    definition: ExprId,
}

impl<'a> Aliases<'a> {
    /// Returns the aliases that the given manifests define, and the files that could not be used.
    pub(super) fn of(
        trees: &Trees<'a>,
        manifests: &[Manifest],
        pool: &Pool,
    ) -> (Self, Vec<Unusable>) {
        let defining: Vec<&Manifest> =
            manifests.iter().filter(|manifest| manifest.rest.starts_with("types")).collect();
        let loaded = pool.map(&defining, |manifest| trees.load(manifest).ok());
        let mut aliases = Self::default();
        let mut unusable = Vec::new();
        for (ast, _, failed) in loaded.into_iter().flatten() {
            aliases.trees.push(ast);
            unusable.extend(failed);
        }
        for (tree, ast) in aliases.trees.iter().enumerate() {
            for &definition in ast.definitions() {
                if let Expr::TypeAlias { name, .. } = ast[definition] {
                    let name = ast.text(name).to_lowercase();
                    aliases.by_name.insert(name, Alias { tree, definition });
                }
            }
        }
        (aliases, unusable)
    }

    /// Returns the name as it was defined, and the type that it stands for.
    pub(super) fn find(&self, name: &str) -> Option<(&str, &Ast, ExprId)> {
        let Alias { tree, definition } = *self.by_name.get(&name.to_lowercase())?;
        let ast = &self.trees[tree];
        match ast[definition] {
            Expr::TypeAlias { name, type_ } => Some((ast.text(name), ast, type_)),
            _ => None,
        }
    }
}
