//! Conversion between PDL and Hiera's YAML, with a list of the data that can't be converted.

use std::fmt::Write;

use kukla_pcore::{Hash, Value};
use kukla_rubytext::yaml;
use kukla_syntax::ast::{Expr, ExprId};

use super::Pdl;
use super::levels::Levels;
use super::tree::Tree;
use crate::DataFile;
use crate::interpolate::{Piece, pieces};

/// Result of a conversion.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The files and their texts. If there are several, the first is `hiera.yaml`.
    pub files: Vec<(String, String)>,
    /// Data that could not be converted: its line in the original, and the reason.
    pub lost: Vec<(u32, String)>,
    /// Remarks about the converted data.
    pub remarks: Vec<&'static str>,
}

/// Converts PDL to YAML. Bare names are parameters of `class`; `None` for a site's library.
///
/// Conditions become levels of a hierarchy where possible.
pub fn to_hiera(pdl: &Pdl, class: Option<&str>) -> Converted {
    let mut converted = Converted::default();
    let mut levels = Levels::new(&pdl.tree);
    for statement in &pdl.statements {
        let mut lose = |why: String| converted.lost.push((statement.line, why));
        let name = &statement.name;
        let key = match (class, name.contains("::")) {
            (_, true) => name.to_string(),
            (Some(class), false) => format!("{class}::{name}"),
            (None, false) => {
                lose(format!("`${name}` is a parameter of every class; a key is of one"));
                continue;
            }
        };
        let added = yaml_value(&pdl.tree, statement.value).and_then(|value| {
            levels.add(&key, &value, statement.condition).map_err(|why| format!("`${name}`: {why}"))
        });
        if let Err(why) = added {
            lose(why);
        }
    }
    write_levels(levels, &mut converted);
    converted
}

fn write_levels(levels: Levels<'_>, converted: &mut Converted) {
    let yaml = |hash: Hash| {
        yaml::write(&Value::hash(hash), yaml::DumpOptions::default()).unwrap_or_default()
    };
    let ordered = levels.into_ordered();
    let has_conditions = ordered.iter().any(|(path, _)| !path.is_common());
    if !has_conditions {
        let mut files = ordered.into_iter().flat_map(|(_, files)| files);
        let text = yaml(files.next().map(|(_, hash)| hash).unwrap_or_default());
        converted.files.push(("common.yaml".to_owned(), text));
        return;
    }
    let mut config = String::from("---\nversion: 5\nhierarchy:\n");
    for (path, files) in ordered {
        let pattern = path.pattern();
        let name = pattern.trim_end_matches(".yaml");
        let _ = writeln!(config, "  - name: \"{name}\"\n    path: \"{pattern}\"");
        let files = files.into_iter().map(|(path, hash)| (format!("data/{path}"), yaml(hash)));
        converted.files.extend(files);
    }
    converted.files.insert(0, ("hiera.yaml".to_owned(), config));
    converted.remarks.push(
        "conditions compare without regard to case, names of files with it: facts must be written as in the data",
    );
}

fn yaml_value(tree: &Tree, id: ExprId) -> Result<Value, String> {
    let id = tree.inner(id);
    match (tree.expr(id), tree.literal(id)) {
        (Expr::Regexp(_), _) => Err("an expression with operators".to_owned()),
        (_, Some(Value::String(text))) => Ok(Value::from(escaped(text))),
        (_, Some(value)) => Ok(value.clone()),
        (Expr::List(items), None) => {
            let items: Result<Vec<Value>, String> =
                tree.list(items).iter().map(|&item| yaml_value(tree, item)).collect();
            Ok(Value::array(items?))
        }
        (Expr::Hash(entries), None) => {
            let entries: Result<Hash, String> = tree
                .entries(entries)
                .map(|(key, value)| Ok((yaml_value(tree, key)?, yaml_value(tree, value)?)))
                .collect();
            Ok(Value::hash(entries?))
        }
        (Expr::Concat(parts), None) => yaml_text(tree, tree.list(parts)),
        (Expr::Call { functor, arguments, .. }, None) => {
            yaml_lookup(tree, functor, tree.list(arguments))
        }
        (Expr::Variable(name), None) => {
            let name = tree.text(name);
            Err(format!("`${name}` alone: Hiera makes a text of a variable"))
        }
        (Expr::Access { .. }, None) => Err("a variable alone: Hiera makes a text of it".to_owned()),
        _ => Err("an expression with operators".to_owned()),
    }
}

/// Converts a string with variables.
fn yaml_text(tree: &Tree, parts: &[ExprId]) -> Result<Value, String> {
    let mut text = String::new();
    for &part in parts {
        match tree.expr(part) {
            Expr::String(part) => text.push_str(&escaped(tree.text(part))),
            _ => {
                let _ = write!(text, "%{{{}}}", variable(tree, part)?);
            }
        }
    }
    Ok(Value::from(text))
}

/// Converts a function call: only `lookup` with a name has an equivalent.
fn yaml_lookup(tree: &Tree, functor: ExprId, arguments: &[ExprId]) -> Result<Value, String> {
    let name = tree.literal(functor).and_then(Value::as_str).unwrap_or_default();
    if name != "lookup" {
        return Err(format!("a call of the function `{name}`"));
    }
    match arguments {
        [key] => match tree.literal(tree.inner(*key)) {
            Some(Value::String(key)) => Ok(Value::from(format!("%{{alias('{key}')}}"))),
            _ => Err("`lookup` with more than a name".to_owned()),
        },
        _ => Err("`lookup` with more than a name".to_owned()),
    }
}

/// Returns `facts.os.family` for `$facts['os']['family']`.
pub(super) fn variable(tree: &Tree, id: ExprId) -> Result<String, String> {
    let id = tree.inner(id);
    match tree.expr(id) {
        Expr::Variable(name) => Ok(tree.text(name).to_owned()),
        Expr::Access { left, keys } => {
            let of = variable(tree, left)?;
            let key = tree.list(keys).first().and_then(|&key| tree.literal(tree.inner(key)));
            match key {
                Some(Value::String(key)) if !key.contains(['.', '\'', '"', '}']) => {
                    Ok(format!("{of}.{key}"))
                }
                Some(Value::Integer(index)) => Ok(format!("{of}.{index}")),
                _ => Err("an element whose key is not plain".to_owned()),
            }
        }
        _ => Err("an expression within a text".to_owned()),
    }
}

/// Escapes a text so that nothing in it is interpolated.
fn escaped(text: &str) -> String {
    text.replace("%{", "%{literal('%')}{")
}

/// Converts Hiera's data to PDL for a site's library.
pub fn from_hiera(file: &DataFile) -> Converted {
    let (mut converted, mut text) = (Converted::default(), String::new());
    for entry in &file.entries {
        let mut lose = |why: String| converted.lost.push((entry.line, why));
        if entry.key == crate::LOOKUP_OPTIONS {
            lose("`lookup_options`: PDL has none".to_owned());
            continue;
        }
        if !is_name(&entry.key) {
            lose(format!("`{}` is no name of a variable", entry.key));
            continue;
        }
        if !entry.key.contains("::") {
            lose(format!("`{}` would be a parameter of every class", entry.key));
            continue;
        }
        let mut out = String::new();
        match pdl_value(&entry.value, &mut out) {
            Ok(()) => {
                let _ = writeln!(text, "${} = {out}", entry.key);
            }
            Err(why) => lose(format!("`{}`: {why}", entry.key)),
        }
    }
    for (key, line) in &file.repeated {
        converted.lost.push((*line, format!("`{key}` stands there twice; the last one counts")));
    }
    converted.files.push(("site.pdl".to_owned(), text));
    converted
}

fn is_name(key: &str) -> bool {
    key.split("::").all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn pdl_value(value: &Value, out: &mut String) -> Result<(), String> {
    stacker::maybe_grow(32 << 10, 1 << 20, || match value {
        Value::String(text) if text.contains("ENC[") => {
            Err("an encrypted value, which PDL does not decrypt".to_owned())
        }
        Value::String(text) => pdl_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                out.push_str(if n == 0 { "" } else { ", " });
                pdl_value(item, out)?;
            }
            out.push(']');
            Ok(())
        }
        Value::Hash(hash) => {
            out.push('{');
            for (n, (key, value)) in hash.iter().enumerate() {
                out.push_str(if n == 0 { " " } else { ", " });
                pdl_value(key, out)?;
                out.push_str(" => ");
                pdl_value(value, out)?;
            }
            out.push_str(if hash.is_empty() { "}" } else { " }" });
            Ok(())
        }
        Value::Undef => push(out, "undef"),
        Value::Boolean(value) => push(out, if *value { "true" } else { "false" }),
        Value::Integer(number) => push(out, &number.to_string()),
        Value::Float(number) if number.is_finite() => {
            let text = kukla_pcore::ruby::to_s(value);
            match text.contains('e') {
                true => push(out, &format!("{number:.1}")),
                false => push(out, &text),
            }
        }
        _ => Err("a value that PDL has no literal for".to_owned()),
    })
}

fn push(out: &mut String, text: &str) -> Result<(), String> {
    out.push_str(text);
    Ok(())
}

fn pdl_text(text: &str, out: &mut String) -> Result<(), String> {
    let pieces = pieces(text).map_err(|fault| fault.message)?;
    if let [Piece::Alias(key)] = &pieces[..] {
        out.push_str("lookup(");
        quote(key, out);
        out.push(')');
        return Ok(());
    }
    if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        let text: String = pieces
            .iter()
            .map(|piece| if let Piece::Text(text) = piece { text } else { "" })
            .collect();
        quote(&text, out);
        return Ok(());
    }
    out.push('"');
    for piece in &pieces {
        match piece {
            Piece::Text(text) => {
                for c in text.chars() {
                    if matches!(c, '\\' | '"' | '$') {
                        out.push('\\');
                    }
                    out.push(c);
                }
            }
            Piece::Variable(path) => {
                let mut parts = path.split('.');
                let _ = write!(out, "${{{}", parts.next().unwrap_or_default());
                for part in parts {
                    match part.bytes().all(|byte| byte.is_ascii_digit()) {
                        true => drop(write!(out, "[{part}]")),
                        false => drop(write!(out, "['{part}']")),
                    }
                }
                out.push('}');
            }
            Piece::Alias(_) | Piece::Lookup(_) => {
                return Err("a lookup that is made a text".to_owned());
            }
        }
    }
    out.push('"');
    Ok(())
}

fn quote(text: &str, out: &mut String) {
    out.push('\'');
    for c in text.chars() {
        if matches!(c, '\\' | '\'') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('\'');
}
