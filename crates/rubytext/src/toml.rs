//! TOML, written as `to_toml` of stdlib does.

use super::RubyError;
use super::inspect::inspect;
use super::tree::{self, Tree, View};

type Pairs<'a> = Vec<(String, &'a dyn Tree)>;

/// Writes a hash as a document; keys are sorted, and tables follow plain values.
pub fn write(tree: &dyn Tree) -> Result<String, RubyError> {
    let mut out = String::new();
    visit(&mut out, tree, &[])?;
    Ok(out)
}

/// The entries of a hash in three parts: values, tables, and lists of tables.
struct Parts<'a> {
    simple: Pairs<'a>,
    tables: Pairs<'a>,
    lists: Pairs<'a>,
    is_empty: bool,
}

impl<'a> Parts<'a> {
    fn new(tree: &'a dyn Tree) -> Result<Self, RubyError> {
        let view = tree.view();
        let View::Hash(entries) = view else {
            let message = format!(
                "undefined method `keys' for {}:{}",
                tree::inspect(&view),
                class_name(&view)
            );
            return Err(RubyError::new("NoMethodError", message));
        };
        let mut parts = Self {
            simple: Vec::new(),
            tables: Vec::new(),
            lists: Vec::new(),
            is_empty: entries.is_empty(),
        };
        let mut pairs: Pairs<'a> =
            entries.iter().map(|(key, value)| (tree::to_s(&key.view()), *value)).collect();
        pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (key, value) in pairs {
            let key = if is_bare(&key) { key } else { format!("\"{}\"", key.replace('"', "\\\"")) };
            let is_list = |items: &[&dyn Tree]| {
                items.first().is_some_and(|item| matches!(item.view(), View::Hash(_)))
            };
            match value.view() {
                View::Hash(_) => parts.tables.push((key, value)),
                View::Array(items) if is_list(&items) => parts.lists.push((key, value)),
                _ => parts.simple.push((key, value)),
            }
        }
        Ok(parts)
    }
}

fn class_name(view: &View<'_>) -> &'static str {
    match view {
        View::Nil => "NilClass",
        View::Bool(true) => "TrueClass",
        View::Bool(false) => "FalseClass",
        View::Int(_) | View::Big(_) => "Integer",
        View::Float(_) => "Float",
        View::Symbol(_) => "Symbol",
        View::Array(_) => "Array",
        View::Hash(_) => "Hash",
        View::Str(_) | View::Binary(_) | View::Other(_) => "String",
    }
}

/// Returns true for a key that needs no quotes. One matching line is enough, as in Ruby's pattern.
fn is_bare(key: &str) -> bool {
    let fits =
        |line: &str| line.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    key.split('\n').any(fits)
}

fn visit(out: &mut String, tree: &dyn Tree, prefix: &[String]) -> Result<(), RubyError> {
    let parts = Parts::new(tree)?;
    if !prefix.is_empty() && (!parts.simple.is_empty() || parts.is_empty) {
        out.push_str(&format_args!("[{}]\n", prefix.join(".")).to_string());
    }
    dump(out, parts, prefix)
}

fn dump(out: &mut String, parts: Parts<'_>, prefix: &[String]) -> Result<(), RubyError> {
    for (key, value) in parts.simple {
        out.push_str(&format_args!("{key} = {}\n", value_text(&value.view())).to_string());
    }
    for (key, value) in parts.tables {
        let inner = [prefix, &[key]].concat();
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || visit(out, value, &inner))?;
    }
    for (key, value) in parts.lists {
        let inner = [prefix, &[key]].concat();
        let View::Array(items) = value.view() else { continue };
        for item in items {
            out.push_str(&format_args!("[[{}]]\n", inner.join(".")).to_string());
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || dump(out, Parts::new(item)?, &inner))?;
        }
    }
    Ok(())
}

/// Formats a value as Ruby's `inspect` does, but without escapes against interpolation.
fn value_text(view: &View<'_>) -> String {
    match view {
        View::Str(text) => unescape_hash(&inspect(text)),
        other => tree::inspect(other),
    }
}

/// Removes the backslash of `\#{`, `\#$` and `\#@`.
fn unescape_hash(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\#") {
        let is_escape = rest[at + 2..].starts_with(['$', '@', '{']);
        out.push_str(&rest[..at]);
        out.push_str(if is_escape { "#" } else { "\\#" });
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
    out
}
