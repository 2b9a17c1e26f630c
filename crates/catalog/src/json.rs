//! Catalogs as JSON, with Puppet's keys in Puppet's order.

use std::fmt::Write;
use std::ops::Range;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::Value;

use crate::{Catalog, Resource, Version};

/// The version of the format.
const FORMAT: u32 = 2;

/// Formats a catalog; `uuid` identifies it.
pub fn write(catalog: &Catalog, uuid: &str) -> String {
    let mut out = String::new();
    write_to(catalog, uuid, &mut out);
    out
}

/// Appends a catalog to `out`, whose allocation may serve for many catalogs.
pub fn write_to(catalog: &Catalog, uuid: &str, out: &mut String) {
    write_parts(catalog, uuid, out);
}

/// Appends a catalog to `out`, and returns where the stamp is ([`write_stamp`]).
pub fn write_parts(catalog: &Catalog, uuid: &str, out: &mut String) -> Range<usize> {
    let names = TagTexts::new(catalog);
    out.reserve(names.expected_length(catalog));
    out.push_str("{\"tags\":");
    names.tags(&catalog.tags, out);
    out.push_str(",\"name\":");
    string(&catalog.name, out);
    let start = out.len();
    write_stamp(&catalog.version, uuid, out);
    let stamp = start..out.len();
    write_rest(catalog, &names, out);
    stamp
}

/// Appends the members that say which compilation a catalog comes from.
pub fn write_stamp(version: &Version, uuid: &str, out: &mut String) {
    out.push_str(",\"version\":");
    match version {
        Version::Seconds(seconds) => {
            let _ = write!(out, "{seconds}");
        }
        Version::Text(text) => string(text, out),
    }
    out.push_str(",\"code_id\":null,\"catalog_uuid\":");
    string(uuid, out);
}

fn write_rest(catalog: &Catalog, names: &TagTexts, out: &mut String) {
    let _ = write!(out, ",\"catalog_format\":{FORMAT},\"environment\":");
    string(&catalog.environment, out);
    out.push_str(",\"resources\":[");
    for (n, resource) in catalog.resources.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        names.resource(resource, out);
    }
    out.push_str("],\"edges\":[");
    // Consecutive edges mostly have the same container.
    let mut last = (u32::MAX, 0..0);
    for (n, &(source, target)) in catalog.edges.iter().enumerate() {
        out.push_str(if n > 0 { ",{\"source\":" } else { "{\"source\":" });
        let start = out.len();
        match last.0 == source {
            true => out.extend_from_within(last.1.clone()),
            false => reference(&catalog.resources[source as usize], out),
        }
        last = (source, start..out.len());
        out.push_str(",\"target\":");
        reference(&catalog.resources[target as usize], out);
        out.push('}');
    }
    out.push_str("],\"classes\":");
    strings(catalog.classes.iter().map(EcoString::as_str), out);
    out.push('}');
}

/// Formats the exported resources of a node as a list.
pub fn exported(catalog: &Catalog) -> String {
    let names = TagTexts::new(catalog);
    let mut out = String::from("[");
    for (n, resource) in catalog.exported.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        names.resource(resource, &mut out);
    }
    out.push(']');
    out
}

/// The tags of a catalog as JSON, which resources repeat.
struct TagTexts {
    /// All tags, concatenated: `"a","b",`
    text: String,
    /// The start of each tag, and the end of the last.
    starts: Vec<usize>,
}

impl TagTexts {
    fn new(catalog: &Catalog) -> Self {
        let mut names = Self { text: String::new(), starts: vec![0] };
        for tag in &catalog.tag_names {
            string(tag, &mut names.text);
            names.text.push(',');
            names.starts.push(names.text.len());
        }
        names
    }

    /// Estimates the length of the text, without long values.
    fn expected_length(&self, catalog: &Catalog) -> usize {
        let resources = catalog.resources.iter();
        let lengths = resources.map(|one| 256 + 16 * one.tags.len() + 48 * one.parameters.len());
        512 + lengths.sum::<usize>() + 128 * catalog.edges.len()
    }

    fn tags(&self, tags: &[u32], out: &mut String) {
        out.push('[');
        for &tag in tags {
            let tag = tag as usize;
            out.push_str(&self.text[self.starts[tag]..self.starts[tag + 1]]);
        }
        if !tags.is_empty() {
            out.pop();
        }
        out.push(']');
    }

    fn resource(&self, resource: &Resource, out: &mut String) {
        out.push_str("{\"type\":");
        symbol(resource.type_, out);
        out.push_str(",\"title\":");
        string(&resource.title, out);
        out.push_str(",\"tags\":");
        self.tags(&resource.tags, out);
        if let Some(file) = &resource.file {
            out.push_str(",\"file\":");
            string(file, out);
        }
        if let Some(line) = resource.line {
            out.push_str(",\"line\":");
            number(i64::from(line), out);
        }
        let exported = if resource.is_exported { "true" } else { "false" };
        let kind = resource.kind.as_str();
        let parts = match resource.names_kind_first {
            true => [",\"kind\":\"", kind, "\",\"exported\":", exported, ""],
            false => [",\"exported\":", exported, ",\"kind\":\"", kind, "\""],
        };
        out.extend(parts);
        if !resource.parameters.is_empty() {
            out.push_str(",\"parameters\":{");
            for (n, (name, value)) in resource.parameters.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                symbol(*name, out);
                out.push(':');
                self::value(value, out);
            }
            out.push('}');
        }
        if !resource.sensitive.is_empty() {
            out.push_str(",\"sensitive_parameters\":");
            strings(resource.sensitive.iter().map(|name| name.as_str()), out);
        }
        out.push('}');
    }
}

fn reference(resource: &Resource, out: &mut String) {
    out.push('"');
    match resource.type_.is_word() {
        true => out.push_str(resource.type_.as_str()),
        false => escaped(resource.type_.as_str(), out),
    }
    out.push('[');
    escaped(&resource.title, out);
    out.push_str("]\"");
}

/// Writes a value that is data.
pub fn value(value: &Value, out: &mut String) {
    match value {
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Integer(value) => number(*value, out),
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

fn strings<'a>(list: impl Iterator<Item = &'a str>, out: &mut String) {
    out.push('[');
    for (n, text) in list.enumerate() {
        if n > 0 {
            out.push(',');
        }
        string(text, out);
    }
    out.push(']');
}

/// Writes a name; few need escapes.
fn symbol(name: Symbol, out: &mut String) {
    match name.is_word() {
        true => out.extend(["\"", name.as_str(), "\""]),
        false => string(name.as_str(), out),
    }
}

/// Writes a string as Ruby's JSON does, with the fewest escapes.
fn string(text: &str, out: &mut String) {
    out.push('"');
    escaped(text, out);
    out.push('"');
}

fn escaped(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = first_to_escape(rest.as_bytes()) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Returns the offset of the first byte that needs an escape.
///
/// Most strings have none, so eight bytes are tested at once.
fn first_to_escape(bytes: &[u8]) -> Option<usize> {
    let must_be = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let (pieces, rest) = bytes.as_chunks::<8>();
    for (n, piece) in pieces.iter().enumerate() {
        if may_need_escape(u64::from_le_bytes(*piece))
            && let Some(at) = piece.iter().position(|&byte| must_be(byte))
        {
            return Some(8 * n + at);
        }
    }
    let at = rest.iter().position(|&byte| must_be(byte))?;
    Some(bytes.len() - rest.len() + at)
}

/// Returns true if one of eight bytes may need an escape; false if none does.
const fn may_need_escape(eight: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte is below a bound if its high bit is unset, and subtracting the bound borrows.
    let quotes = eight ^ (ONES * b'"' as u64);
    let backslashes = eight ^ (ONES * b'\\' as u64);
    let below = eight.wrapping_sub(ONES * 0x20) & !eight;
    let is_quote = quotes.wrapping_sub(ONES) & !quotes;
    let is_backslash = backslashes.wrapping_sub(ONES) & !backslashes;
    (below | is_quote | is_backslash) & HIGH != 0
}

/// Writes an integer.
fn number(number: i64, out: &mut String) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push('-');
    }
    out.extend(digits[at..].iter().map(|&digit| char::from(digit)));
}
