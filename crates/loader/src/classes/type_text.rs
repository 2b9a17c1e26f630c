//! Types as Puppet writes them down: in one order, without what goes without saying.
//!
//! This works on text only. No type is computed, and of a type that can't be written down without
//! evaluation there is no text.

use std::collections::BTreeSet;

use kukla_syntax::Ast;
use kukla_syntax::ast::{Expr, ExprId, UnaryOp};

use super::aliases::Aliases;
use super::quote;

/// Types of the language, and the resource types that are always there.
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

/// Writes types down.
pub(super) struct TypeText<'a> {
    aliases: &'a Aliases,
    /// Whether to say what aliases stand for.
    expands: bool,
    /// The aliases that are being written, so that one that holds itself comes to an end.
    open: Vec<String>,
}

impl<'a> TypeText<'a> {
    pub(super) fn new(aliases: &'a Aliases) -> Self {
        Self { aliases, expands: false, open: Vec::new() }
    }

    /// The type of a parameter. If that is an alias, it is followed by what it stands for.
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
            "Array" => self.sized(ast, name, &keys[..keys.len().min(1)], keys.get(1..)?),
            "Hash" => self.sized(ast, name, keys.get(..2)?, keys.get(2..)?),
            "Struct" => Some(format!("Struct[{}]", self.list(ast, keys)?)),
            "Variant" => self.variant(ast, keys),
            "Sensitive" | "NotUndef" => {
                let content = self.list(ast, keys)?;
                Some(if content == "Any" { name.to_owned() } else { format!("{name}[{content}]") })
            }
            _ => Some(format!("{name}[{}]", self.list(ast, keys)?)),
        }
    }

    fn list(&mut self, ast: &Ast, ids: &[ExprId]) -> Option<String> {
        let texts = ids.iter().map(|&id| self.of(ast, id));
        Some(texts.collect::<Option<Vec<String>>>()?.join(", "))
    }

    /// A variant in a variant is part of it, nothing is said twice, and of one thing it is that thing.
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

    /// A type with types and then a range in its brackets.
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
        let range = range_parts(ast, range, is_size)?;
        if range.is_empty() && parts.iter().all(|part| part == "Any") {
            return Some(name.to_owned());
        }
        parts.extend(range);
        Some(format!("{name}[{}]", parts.join(", ")))
    }

    /// The members of a struct.
    fn members(&mut self, ast: &Ast, entries: &[ExprId]) -> Option<String> {
        let mut texts = Vec::new();
        for &id in entries {
            let Expr::KeyedEntry { key, value } = ast[id] else { return None };
            let key = self.key(ast, key, value)?;
            texts.push(format!("{key} => {}", self.of(ast, value)?));
        }
        Some(format!("{{{}}}", texts.join(", ")))
    }

    /// A key says whether the member may be missing only where the value does not.
    fn key(&self, ast: &Ast, key: ExprId, value: ExprId) -> Option<String> {
        let takes_undef = self.takes_undef(ast, value, 0);
        for (wrapper, is_said) in [("Optional", !takes_undef), ("NotUndef", takes_undef)] {
            if let Some([name]) = parameters_of(ast, key, wrapper) {
                let name = literal(ast, *name)?;
                return Some(if is_said { format!("{wrapper}[{name}]") } else { name });
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

/// The name of a built-in type as it is written.
fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|known| known.eq_ignore_ascii_case(name)).copied()
}

/// What is in the brackets of `Name[…]`.
fn parameters_of<'a>(ast: &'a Ast, id: ExprId, wanted: &str) -> Option<&'a [ExprId]> {
    let Expr::Access { left, keys } = ast[id] else { return None };
    match ast[left] {
        Expr::QualifiedReference(name) if ast.text(name).eq_ignore_ascii_case(wanted) => {
            Some(ast.list(keys))
        }
        _ => None,
    }
}

fn enumeration(ast: &Ast, keys: &[ExprId]) -> Option<String> {
    let (keys, folds_case) = match keys.split_last() {
        Some((&last, rest)) => match ast[last] {
            Expr::Boolean(folds_case) => (rest, folds_case),
            _ => (keys, false),
        },
        None => return None,
    };
    let values = keys.iter().map(|&id| {
        let text = string_value(ast, id)?;
        Some(if folds_case { text.to_lowercase() } else { text.to_owned() })
    });
    let values: BTreeSet<String> = values.collect::<Option<_>>()?;
    let mut texts: Vec<String> = values.iter().map(|value| quote::string(value)).collect();
    texts.extend(folds_case.then(|| "true".to_owned()));
    Some(format!("Enum[{}]", texts.join(", ")))
}

fn patterns(ast: &Ast, name: &str, keys: &[ExprId]) -> Option<String> {
    let texts = keys.iter().map(|&id| match ast[id] {
        Expr::Regexp(source) => Some(quote::regexp(ast.text(source))),
        _ => string_value(ast, id).map(quote::regexp),
    });
    Some(format!("{name}[{}]", texts.collect::<Option<Vec<String>>>()?.join(", ")))
}

/// `from` and `to` without a final `default`. A size starts at 0.
fn range_parts(ast: &Ast, keys: &[ExprId], is_size: bool) -> Option<Vec<String>> {
    if let [only] = keys
        && let Some(keys) = parameters_of(ast, *only, "Integer")
    {
        return range_parts(ast, keys, is_size);
    }
    let mut parts = keys.iter().map(|&id| literal(ast, id)).collect::<Option<Vec<String>>>()?;
    if is_size && parts.first().is_some_and(|from| from == "default") {
        "0".clone_into(&mut parts[0]);
    }
    while parts.last().is_some_and(|last| last == "default") {
        parts.pop();
    }
    Some(parts)
}

fn string_value(ast: &Ast, id: ExprId) -> Option<&str> {
    match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => Some(ast.text(text)),
        Expr::Concat(segments) => match ast.list(segments) {
            [segment] => string_value(ast, *segment),
            _ => None,
        },
        _ => None,
    }
}

/// A value in the brackets of a type.
fn literal(ast: &Ast, id: ExprId) -> Option<String> {
    match ast[id] {
        Expr::Integer { digits, radix } => ast.integer(digits, radix).map(|n| n.to_string()),
        Expr::Float(digits) => Some(format!("{:?}", ast.float(digits))),
        Expr::Unary { op: UnaryOp::Minus, expr } => {
            literal(ast, expr).map(|number| format!("-{number}"))
        }
        Expr::Default => Some("default".to_owned()),
        Expr::Undef => Some("undef".to_owned()),
        Expr::Boolean(value) => Some(value.to_string()),
        Expr::Regexp(source) => Some(quote::regexp(ast.text(source))),
        _ => string_value(ast, id).map(quote::string),
    }
}
