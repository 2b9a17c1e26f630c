//! Puppet's notation of types: parameters in one order, defaults omitted.
//!
//! This works on text only. No type is computed: a type that has to be evaluated has no text.

mod brackets;

use kukla_syntax::Ast;
use kukla_syntax::ast::{Expr, ExprId};

use brackets::{
    as_float, capitalized, enumeration, is_bound, literal, parameters_of, patterns, range_parts,
    string_value,
};

use super::aliases::Aliases;
use super::quote;

/// Types of the language, and the resource types that always exist.
const BUILT_IN: &[&str] = &[
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Component",
    "Data",
    "Default",
    "Enum",
    "Exec",
    "File",
    "Filebucket",
    "Float",
    "Group",
    "Hash",
    "Init",
    "Integer",
    "Iterable",
    "Iterator",
    "Node",
    "NotUndef",
    "Notify",
    "Numeric",
    "Object",
    "Optional",
    "Package",
    "Pattern",
    "Puppet::LookupKey",
    "Puppet::LookupValue",
    "Regexp",
    "Resource",
    "Resources",
    "RichData",
    "RichDataKey",
    "Runtime",
    "Scalar",
    "ScalarData",
    "Schedule",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "Service",
    "Stage",
    "String",
    "Struct",
    "Tidy",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Type",
    "TypeAlias",
    "TypeReference",
    "TypeSet",
    "URI",
    "Undef",
    "User",
    "Variant",
];

/// Formats types.
pub(super) struct TypeText<'a> {
    aliases: &'a Aliases<'a>,
    /// Whether to append the definitions of aliases.
    expands: bool,
    /// The aliases that are being written, so that a recursive one terminates.
    open: Vec<String>,
}

impl<'a> TypeText<'a> {
    pub(super) fn new(aliases: &'a Aliases<'a>) -> Self {
        Self { aliases, expands: false, open: Vec::new() }
    }

    /// Returns the type of a parameter. An alias is followed by its definition.
    pub(super) fn of_parameter(mut self, ast: &Ast, id: ExprId) -> Option<String> {
        self.expands = matches!(ast[id], Expr::QualifiedReference(_));
        self.of(ast, id)
    }

    fn of(&mut self, ast: &Ast, id: ExprId) -> Option<String> {
        match ast[id] {
            Expr::QualifiedReference(name) => Some(self.named(ast.text(name))),
            Expr::Access { left, keys } => match ast[left] {
                Expr::QualifiedReference(name) => {
                    self.with_parameters(ast, ast.text(name), ast.list(keys), id)
                }
                _ => None,
            },
            Expr::Hash(entries) => self.members(ast, ast.list(entries)),
            Expr::List(values) => Some(format!("[{}]", self.list(ast, ast.list(values))?)),
            _ => literal(ast, id),
        }
    }

    fn named(&mut self, name: &str) -> String {
        if let Some(name) = built_in(name) {
            return name.to_owned();
        }
        let Some((name, ast, type_)) = self.aliases.find(name) else {
            return format!("TypeReference[{}]", quote::string(name));
        };
        if !self.expands || self.open.iter().any(|open| open == name) {
            return name.to_owned();
        }
        self.open.push(name.to_owned());
        let text = self.of(ast, type_);
        self.open.pop();
        text.map_or_else(|| name.to_owned(), |text| format!("{name} = {text}"))
    }

    fn with_parameters(
        &mut self,
        ast: &Ast,
        name: &str,
        keys: &[ExprId],
        id: ExprId,
    ) -> Option<String> {
        let Some(name) = built_in(name) else {
            let text = &ast.source()[ast.extent(id).start as usize..];
            let end = text.find(']').map_or(text.len(), |at| at + 1);
            return Some(format!("TypeReference[{}]", quote::string(&text[..end])));
        };
        match name {
            "Enum" => enumeration(ast, keys),
            "Pattern" | "Regexp" => patterns(ast, name, keys),
            "Integer" | "Float" | "String" | "Collection" => self.sized(ast, name, &[], keys),
            "Array" => self.container(ast, name, keys, 1),
            "Hash" => self.container(ast, name, keys, 2),
            "Tuple" => self.tuple(ast, keys),
            "Struct" => {
                let members = self.list(ast, keys)?;
                Some(if members == "{}" { name.to_owned() } else { format!("Struct[{members}]") })
            }
            "Variant" => self.variant(ast, keys),
            "Sensitive" | "NotUndef" => {
                let content = self.list(ast, keys)?;
                Some(if content == "Any" { name.to_owned() } else { format!("{name}[{content}]") })
            }
            "Resource" => self.resource(ast, keys),
            "Class" => Some(format!("Class[{}]", string_value(ast, *keys.first()?)?)),
            "Runtime" => {
                let (runtime, rest) = keys.split_first()?;
                let runtime = string_value(ast, *runtime)?;
                Some(format!("Runtime[{runtime}, {}]", self.list(ast, rest)?))
            }
            _ => Some(format!("{name}[{}]", self.list(ast, keys)?)),
        }
    }

    /// Returns a type with `n_types` types in its brackets, followed by a range. If there is only a range, Puppet
    /// uses the type `Default` in place of the missing types.
    fn container(
        &mut self,
        ast: &Ast,
        name: &str,
        keys: &[ExprId],
        n_types: usize,
    ) -> Option<String> {
        if keys.first().is_some_and(|&id| is_bound(ast, id)) {
            let types = vec!["Default".to_owned(); n_types];
            return Some(format!(
                "{name}[{}]",
                [types, range_parts(ast, keys, true)?].concat().join(", ")
            ));
        }
        self.sized(ast, name, keys.get(..n_types)?, &keys[n_types..])
    }

    fn tuple(&mut self, ast: &Ast, keys: &[ExprId]) -> Option<String> {
        let n_bounds = keys.iter().rev().take(2).take_while(|&&id| is_bound(ast, id)).count();
        let (types, range) = keys.split_at(keys.len() - n_bounds);
        self.sized(ast, "Tuple", types, range)
    }

    /// Returns `File['x']` for `Resource['file', 'x']`.
    fn resource(&mut self, ast: &Ast, keys: &[ExprId]) -> Option<String> {
        let (&type_, titles) = keys.split_first()?;
        let name = match ast[type_] {
            Expr::QualifiedReference(name) => ast.text(name),
            _ => string_value(ast, type_)?,
        };
        let segments = name.split("::").map(capitalized).collect::<Vec<String>>();
        let name = segments.join("::");
        match titles {
            [] => Some(name),
            _ => Some(format!("{name}[{}]", self.list(ast, titles)?)),
        }
    }

    fn list(&mut self, ast: &Ast, ids: &[ExprId]) -> Option<String> {
        let texts = ids.iter().map(|&id| self.of(ast, id));
        Some(texts.collect::<Option<Vec<String>>>()?.join(", "))
    }

    /// Returns a variant: nested variants are merged into it, duplicates are dropped, and a variant of one type is that
    /// type.
    fn variant(&mut self, ast: &Ast, keys: &[ExprId]) -> Option<String> {
        let mut texts: Vec<String> = Vec::new();
        let mut rest: Vec<ExprId> = keys.iter().rev().copied().collect();
        while let Some(id) = rest.pop() {
            if let Some(inner) = parameters_of(ast, id, "Variant") {
                rest.extend(inner.iter().rev());
                continue;
            }
            let text = self.of(ast, id)?;
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        match texts.as_slice() {
            [only] => Some(only.clone()),
            _ => Some(format!("Variant[{}]", texts.join(", "))),
        }
    }

    /// Returns a type with types and then a range in its brackets.
    fn sized(
        &mut self,
        ast: &Ast,
        name: &str,
        types: &[ExprId],
        range: &[ExprId],
    ) -> Option<String> {
        let is_size = !matches!(name, "Integer" | "Float");
        let mut parts = Vec::new();
        for &id in types {
            parts.push(self.of(ast, id)?);
        }
        let mut range = range_parts(ast, range, is_size)?;
        if name == "Float" {
            range = range.into_iter().map(|bound| as_float(&bound)).collect();
        }
        if range.is_empty() && parts.iter().all(|part| part == "Any") {
            return Some(name.to_owned());
        }
        parts.extend(range);
        Some(format!("{name}[{}]", parts.join(", ")))
    }

    /// Returns the members of a struct.
    fn members(&mut self, ast: &Ast, entries: &[ExprId]) -> Option<String> {
        let mut texts = Vec::new();
        for &id in entries {
            let Expr::KeyedEntry { key, value } = ast[id] else { return None };
            let key = self.key(ast, key, value)?;
            texts.push(format!("{key} => {}", self.of(ast, value)?));
        }
        Some(format!("{{{}}}", texts.join(", ")))
    }

    /// Returns the key of a member, marked as optional only where the type of the value does not imply it.
    fn key(&self, ast: &Ast, key: ExprId, value: ExprId) -> Option<String> {
        let takes_undef = self.takes_undef(ast, value, 0);
        for (wrapper, is_marked) in [("Optional", !takes_undef), ("NotUndef", takes_undef)] {
            if let Some([name]) = parameters_of(ast, key, wrapper) {
                let name = literal(ast, *name)?;
                return Some(if is_marked { format!("{wrapper}[{name}]") } else { name });
            }
        }
        literal(ast, key)
    }

    fn takes_undef(&self, ast: &Ast, id: ExprId, depth: usize) -> bool {
        if depth > 20 {
            return false;
        }
        match ast[id] {
            Expr::QualifiedReference(name) => match built_in(ast.text(name)) {
                Some(name) => matches!(name, "Any" | "Undef" | "Optional" | "Data" | "RichData"),
                None => {
                    let alias = self.aliases.find(ast.text(name));
                    alias.is_some_and(|(_, ast, id)| self.takes_undef(ast, id, depth + 1))
                }
            },
            Expr::Access { .. } => {
                let variant = parameters_of(ast, id, "Variant").unwrap_or_default();
                parameters_of(ast, id, "Optional").is_some()
                    || variant.iter().any(|&id| self.takes_undef(ast, id, depth + 1))
            }
            _ => false,
        }
    }
}

/// Returns the name of a built-in type as it is written.
fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|known| known.eq_ignore_ascii_case(name)).copied()
}
