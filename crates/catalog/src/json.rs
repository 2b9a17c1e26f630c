//! Catalogs as JSON, with the keys and the order that Puppet has.

use std::fmt::Write;

use ecow::EcoString;
use kukla_pcore::Value;

use crate::{Catalog, Resource};

/// The version of the format.
const FORMAT: u32 = 2;

/// The text of a catalog; `uuid` is its own name.
pub fn write(catalog: &Catalog, uuid: &str) -> String {
    let mut out = String::with_capacity(catalog.resources.len() * 512 + 512);
    out.push_str("{\"tags\":");
    strings(&catalog.tags, &mut out);
    out.push_str(",\"name\":");
    string(&catalog.name, &mut out);
    let _ = write!(out, ",\"version\":{},\"code_id\":null,\"catalog_uuid\":", catalog.version);
    string(uuid, &mut out);
    let _ = write!(out, ",\"catalog_format\":{FORMAT},\"environment\":");
    string(&catalog.environment, &mut out);
    out.push_str(",\"resources\":");
    list(&catalog.resources, &mut out);
    out.push_str(",\"edges\":[");
    for (n, &(source, target)) in catalog.edges.iter().enumerate() {
        out.push_str(if n > 0 { ",{\"source\":" } else { "{\"source\":" });
        reference(&catalog.resources[source as usize], &mut out);
        out.push_str(",\"target\":");
        reference(&catalog.resources[target as usize], &mut out);
        out.push('}');
    }
    out.push_str("],\"classes\":");
    strings(&catalog.classes, &mut out);
    out.push('}');
    out
}

/// The text of a list of resources.
pub fn resources(resources: &[Resource]) -> String {
    let mut out = String::new();
    list(resources, &mut out);
    out
}

fn list(resources: &[Resource], out: &mut String) {
    out.push('[');
    for (n, resource) in resources.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        self::resource(resource, out);
    }
    out.push(']');
}

fn resource(resource: &Resource, out: &mut String) {
    out.push_str("{\"type\":");
    string(&resource.type_, out);
    out.push_str(",\"title\":");
    string(&resource.title, out);
    out.push_str(",\"tags\":");
    strings(&resource.tags, out);
    if let Some(file) = &resource.file {
        out.push_str(",\"file\":");
        string(file, out);
    }
    if let Some(line) = resource.line {
        let _ = write!(out, ",\"line\":{line}");
    }
    let (exported, kind) = (resource.is_exported, resource.kind.as_str());
    let _ = match resource.names_kind_first {
        true => write!(out, ",\"kind\":\"{kind}\",\"exported\":{exported}"),
        false => write!(out, ",\"exported\":{exported},\"kind\":\"{kind}\""),
    };
    if !resource.parameters.is_empty() {
        out.push_str(",\"parameters\":{");
        for (n, (name, value)) in resource.parameters.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            string(name, out);
            out.push(':');
            self::value(value, out);
        }
        out.push('}');
    }
    if !resource.sensitive.is_empty() {
        out.push_str(",\"sensitive_parameters\":");
        strings(&resource.sensitive, out);
    }
    out.push('}');
}

fn reference(resource: &Resource, out: &mut String) {
    string(&resource.reference(), out);
}

/// A value that is data.
pub fn value(value: &Value, out: &mut String) {
    match value {
        Value::Boolean(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Integer(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Float(value) => out.push_str(&kukla_pcore::ruby::to_s(&Value::Float(*value))),
        Value::String(text) => string(text, out),
        Value::Array(values) => {
            out.push('[');
            for (n, element) in values.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                self::value(element, out);
            }
            out.push(']');
        }
        Value::Hash(hash) => {
            out.push('{');
            for (n, (key, element)) in hash.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                string(key.as_str().unwrap_or_default(), out);
                out.push(':');
                self::value(element, out);
            }
            out.push('}');
        }
        _ => out.push_str("null"),
    }
}

fn strings(list: &[EcoString], out: &mut String) {
    out.push('[');
    for (n, text) in list.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        string(text, out);
    }
    out.push(']');
}

/// A string as Ruby's JSON writes it: only what must be is escaped.
fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..=0x1f => {
                out.push_str(&text[start..at]);
                let _ = write!(out, "\\u{byte:04x}");
                start = at + 1;
                continue;
            }
            _ => continue,
        };
        out.push_str(&text[start..at]);
        out.push_str(escape);
        start = at + 1;
    }
    out.push_str(&text[start..]);
    out.push('"');
}
