//! The type aliases that an environment knows.

use std::collections::BTreeMap;

use kukla_syntax::ast::{Expr, ExprId};
use kukla_syntax::{Ast, Options, parse};

use crate::manifests::Manifest;
use crate::pool::Pool;

/// All aliases, by their names in lower case.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    trees: Vec<Ast>,
    by_name: BTreeMap<String, Alias>,
}

/// An alias: where its definition is.
#[derive(Clone, Copy, Debug)]
struct Alias {
    tree: usize,
    definition: ExprId,
}

impl Aliases {
    /// Those that the given manifests define.
    pub(super) fn of(manifests: &[Manifest], pool: &Pool) -> Self {
        let defining: Vec<&Manifest> =
            manifests.iter().filter(|manifest| manifest.rest.starts_with("types")).collect();
        let trees = pool.map(&defining, |manifest| {
            let text = std::fs::read_to_string(&manifest.path).ok()?;
            Some(parse(&text, &Options::default()).ast)
        });
        let mut aliases = Self { trees: trees.into_iter().flatten().collect(), ..Self::default() };
        for (tree, ast) in aliases.trees.iter().enumerate() {
            for &definition in ast.definitions() {
                if let Expr::TypeAlias { name, .. } = ast[definition] {
                    let name = ast.text(name).to_lowercase();
                    aliases.by_name.insert(name, Alias { tree, definition });
                }
            }
        }
        aliases
    }

    /// The name as it was defined, and what it stands for.
    pub(super) fn find(&self, name: &str) -> Option<(&str, &Ast, ExprId)> {
        let Alias { tree, definition } = *self.by_name.get(&name.to_lowercase())?;
        let ast = &self.trees[tree];
        match ast[definition] {
            Expr::TypeAlias { name, type_ } => Some((ast.text(name), ast, type_)),
            _ => None,
        }
    }
}
