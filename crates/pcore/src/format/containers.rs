//! Texts of arrays and hashes: delimiters, separators and, in the alternate form, lines.

use kukla_base::cancel::{append, is_full};

use super::convert_at;
use super::directive::Directive;
use super::error::FormatError;
use super::indent::Indent;
use super::map::FormatMap;
use crate::value::Rare;
use crate::{Hash, Value};

/// Formats an array.
pub(super) fn array(
    values: &[Value],
    directive: &Directive,
    formats: &FormatMap,
    indent: Indent,
) -> Result<String, FormatError> {
    if !matches!(directive.letter, 'a' | 's' | 'p') {
        return Err(FormatError::illegal("Array", directive.letter, "asp"));
    }
    let indent = indent.active(directive.alternate || indent.active);
    let (open, close) = directive.delimiters(("[", "]"));
    let children = indent.deeper(directive.alternate).subsequent();
    let texts = values.iter().map(|value| element(value, directive, formats, children));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    let mut out = opening(indent, open);
    join(&mut out, values, &texts, directive, &children.padding());
    out.push_str(close);
    Ok(out)
}

/// Joins the elements with their separators.
fn join(out: &mut String, values: &[Value], texts: &[String], directive: &Directive, pad: &str) {
    let separator = directive.separator.as_deref().unwrap_or(", ");
    let too_wide =
        directive.alternate && directive.width.is_some_and(|width| widest(values, texts) > width);
    for (index, (value, text)) in values.iter().zip(texts).enumerate() {
        let breaks = too_wide && !is_list(value);
        match index.checked_sub(1).map(|previous| &values[previous]) {
            None if breaks => out.push(' '),
            None => (),
            Some(previous) => {
                append(out, separator);
                if breaks || directive.alternate && is_list(previous) && !is_list(value) {
                    break_line(out, pad);
                }
            }
        }
        if out.ends_with(' ') && text.starts_with('\n') {
            strip_end(out);
        }
        append(out, text);
        if is_full(out) {
            return;
        }
    }
}

/// Returns the maximum number of characters between two nested containers.
fn widest(values: &[Value], texts: &[String]) -> usize {
    let runs =
        values.iter().zip(texts).fold((0, 0), |(widest, run): (usize, usize), (value, text)| {
            match is_list(value) {
                true => (widest.max(run), 0),
                false => (widest, run.saturating_add(text.chars().count())),
            }
        });
    runs.0.max(runs.1)
}

fn break_line(out: &mut String, pad: &str) {
    if !out.ends_with('\n') {
        strip_end(out);
    }
    out.push('\n');
    out.push_str(pad);
}

/// Strips the end as Ruby's `rstrip` does.
fn strip_end(out: &mut String) {
    let end = |c: char| matches!(c, '\0' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | ' ');
    out.truncate(out.trim_end_matches(end).len());
}

/// Formats a hash.
pub(super) fn hash(
    hash: &Hash,
    directive: &Directive,
    formats: &FormatMap,
    indent: Indent,
) -> Result<String, FormatError> {
    match directive.letter {
        'a' => {
            let pairs = hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()]));
            convert_at(&Value::array(pairs), formats, indent)
        }
        'h' | 's' | 'p' => entries(hash, directive, formats, indent),
        letter => Err(FormatError::illegal("Hash", letter, "hasp")),
    }
}

fn entries(
    hash: &Hash,
    directive: &Directive,
    formats: &FormatMap,
    indent: Indent,
) -> Result<String, FormatError> {
    let indent = indent.active(directive.alternate || indent.active);
    let (open, close) = directive.delimiters(("{", "}"));
    let mut out = opening(indent, open);
    let children = indent.deeper(false);
    let separator = hash_separator(directive);
    let association = directive.separator2.as_deref().unwrap_or(" => ");
    for (index, (key, value)) in hash.iter().enumerate() {
        match index {
            0 if directive.alternate => out.push('\n'),
            0 => (),
            _ => out.push_str(&separator),
        }
        if directive.alternate {
            out.push_str(&children.padding());
        }
        if is_full(&mut out) {
            break;
        }
        out.push_str(&element(key, directive, formats, children)?);
        out.push_str(association);
        out.push_str(&element(value, directive, formats, children)?);
    }
    if directive.alternate {
        out.push_str(if hash.is_empty() { "\n\n" } else { "\n" });
        out.push_str(&indent.padding());
    }
    out.push_str(close);
    Ok(out)
}

/// Returns the separator; in the alternate form every entry has a line of its own.
fn hash_separator(directive: &Directive) -> String {
    let mut separator = directive.separator.as_deref().unwrap_or(", ").to_owned();
    if directive.alternate {
        break_line(&mut separator, "");
    }
    separator
}

/// Returns the opening; a nested container may begin on a new line.
fn opening(indent: Indent, delimiter: &str) -> String {
    let mut out = String::new();
    if indent.breaks() {
        out.push('\n');
        out.push_str(&indent.padding());
    }
    out.push_str(delimiter);
    out
}

/// Formats an element: nested containers by the formats of the outermost, all remaining values by those of the container.
fn element(
    value: &Value,
    directive: &Directive,
    formats: &FormatMap,
    indent: Indent,
) -> Result<String, FormatError> {
    let is_container = match value {
        Value::Rare(rare) => matches!(**rare, Rare::Object(_)),
        other => is_list(other),
    };
    let elements = directive.elements.as_deref().unwrap_or(FormatMap::element_formats());
    convert_at(value, if is_container { formats } else { elements }, indent)
}

const fn is_list(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}
