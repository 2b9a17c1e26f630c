//! Reads types that `puppet generate types` wrote: `.resource_types/NAME.pp` of an environment.
//!
//! Such a file is one call in Puppet's language. It takes precedence over types written in Ruby.

use std::sync::Arc;

use kukla_regex::Regex;
use kukla_syntax::ast::{Ast, Expr, ExprId};

use crate::read::Unreadable;
use kukla_catalog::types::ResourceType;
use kukla_catalog::types::{Leniency, TypeDeclaration};
use kukla_catalog::types::{TitlePart, TitlePattern, TitlePatterns};

use crate::SourceFile;

/// Reads a generated type.
pub(crate) fn read_generated(file: &SourceFile) -> Result<Arc<ResourceType>, Unreadable> {
    let unreadable = |line: u32, reason: String| Unreadable {
        path: file.path.clone(),
        line,
        reason,
        guess: None,
    };
    let checked = kukla_syntax::parse(&file.text, &kukla_syntax::Options::default());
    if let Some(fault) = checked.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        return Err(unreadable(1, fault.message.clone()));
    }
    let declaration = GeneratedType { ast: &checked.ast }.declaration();
    declaration.map(|declaration| Arc::new(declaration.into())).ok_or_else(|| {
        unreadable(1, "it does not have the form that `puppet generate types` writes".to_owned())
    })
}

/// The tree of a generated file.
struct GeneratedType<'a> {
    ast: &'a Ast,
}

impl<'a> GeneratedType<'a> {
    fn declaration(&self) -> Option<TypeDeclaration> {
        let arguments = self.arguments(self.ast.body()?)?;
        let &[name, properties, parameters, patterns, isomorphic, ..] = arguments else {
            return None;
        };
        let (properties, mut keys) = self.attributes(properties)?;
        let (parameters, more) = self.attributes(parameters)?;
        keys.extend(more);
        let title_patterns = match (keys.len(), self.patterns(patterns)?) {
            (0, _) => TitlePatterns::Name,
            // `TitlePatterns::Default` makes the error that Puppet has for such a type in Ruby too.
            (2.., patterns) if patterns.is_empty() => TitlePatterns::Default,
            (_, patterns) => TitlePatterns::List(patterns),
        };
        Some(TypeDeclaration {
            name: self.string(name)?.to_owned(),
            properties,
            parameters,
            keys,
            title_patterns,
            is_not_isomorphic: matches!(self.ast[isomorphic], Expr::Boolean(false)),
            leniency: Leniency::Nothing,
            ..TypeDeclaration::default()
        })
    }

    /// Returns the arguments of a call, which may be the only statement of a block.
    fn arguments(&self, id: ExprId) -> Option<&'a [ExprId]> {
        match self.ast[id] {
            Expr::Call { arguments, .. } => Some(self.ast.list(arguments)),
            Expr::Block(statements) => match self.ast.list(statements) {
                &[only] => self.arguments(only),
                _ => None,
            },
            _ => None,
        }
    }

    fn list(&self, id: ExprId) -> Option<&'a [ExprId]> {
        match self.ast[id] {
            Expr::List(items) => Some(self.ast.list(items)),
            _ => None,
        }
    }

    fn string(&self, id: ExprId) -> Option<&'a str> {
        match self.ast[id] {
            Expr::String(text) => Some(self.ast.text(text)),
            _ => None,
        }
    }

    /// Reads a list of `Puppet::Resource::Param(Type, 'name', is_namevar)`: all names, and those of namevars.
    fn attributes(&self, id: ExprId) -> Option<(Vec<String>, Vec<String>)> {
        let (mut names, mut keys) = (Vec::new(), Vec::new());
        for &attribute in self.list(id)? {
            let arguments = self.arguments(attribute)?;
            let name = self.string(*arguments.get(1)?)?;
            if let Some(&flag) = arguments.get(2)
                && matches!(self.ast[flag], Expr::Boolean(true))
            {
                keys.push(name.to_owned());
            }
            names.push(name.to_owned());
        }
        Some((names, keys))
    }

    fn patterns(&self, id: ExprId) -> Option<Vec<TitlePattern>> {
        let Expr::Hash(entries) = self.ast[id] else { return None };
        let pattern = |&entry: &ExprId| {
            let Expr::KeyedEntry { key, value } = self.ast[entry] else { return None };
            let Expr::Regexp(source) = self.ast[key] else { return None };
            let names: Option<Vec<_>> =
                self.list(value)?.iter().map(|&name| self.string(name)).collect();
            let parts = names?.into_iter().map(TitlePart::plain).collect();
            Some(TitlePattern { regex: Regex::new(self.ast.text(source)).ok()?, parts })
        };
        self.ast.list(entries).iter().map(pattern).collect()
    }
}
