//! Graphs of catalogs, in the language of Graphviz.

use std::fmt::Write;

use kukla_base::render::printable;
use kukla_pcore::Value;

use crate::Catalog;

/// Draws containment (grey) and order (black; dashed for notifications).
pub fn write(catalog: &Catalog) -> String {
    let mut out = String::from("digraph catalog {\n  rankdir = LR;\n  node [shape = box];\n");
    for resource in &catalog.resources {
        let _ = writeln!(out, "  {};", quoted(&resource.reference()));
    }
    for &(source, target) in &catalog.edges {
        let name = |n: u32| quoted(&catalog.resources[n as usize].reference());
        let _ = writeln!(out, "  {} -> {} [color = grey];", name(source), name(target));
    }
    for resource in &catalog.resources {
        let own = quoted(&resource.reference());
        for (name, value) in &resource.parameters {
            let (is_reversed, style) = match name.as_str() {
                "before" => (false, "solid"),
                "notify" => (false, "dashed"),
                "require" => (true, "solid"),
                "subscribe" => (true, "dashed"),
                _ => continue,
            };
            for other in references(value) {
                let other = quoted(&other);
                let (from, to) = if is_reversed { (&other, &own) } else { (&own, &other) };
                let _ = writeln!(out, "  {from} -> {to} [style = {style}];");
            }
        }
    }
    out.push_str("}\n");
    out
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.to_string()],
        Value::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\""))
}
