//! `to_s`, `inspect` and names of classes, for values whose classes the code has not changed.

use std::fmt::Write;

use kukla_base::cancel::{append, is_full, is_too_long, visit};
use kukla_base::{Editions, RubyChange, RubyEdition};
use kukla_pcore::ruby;
use kukla_rubytext::{float, inspect as text};

use crate::value::{Match, RubyValue};

/// The depth beyond which `inspect` prints `[...]`.
const MAX_DEPTH: usize = 200;

/// Returns Ruby's `to_s`.
pub(crate) fn to_s(value: &RubyValue) -> String {
    match value {
        RubyValue::Nil => String::new(),
        RubyValue::Str(text) => text.text.borrow().as_str().to_owned(),
        RubyValue::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        RubyValue::Sym(name) => name.as_str().to_owned(),
        RubyValue::Regexp(regex) => regex.to_s(),
        RubyValue::Range(range) => {
            let dots = if range.excludes_end { "..." } else { ".." };
            format!("{}{dots}{}", to_s(&range.from), to_s(&range.to))
        }
        RubyValue::Match(match_data) => to_s(&match_data.group(0)),
        RubyValue::Puppet(value) => ruby::to_s(value),
        other => inspect(other),
    }
}

/// Returns Ruby's `inspect`.
pub(crate) fn inspect(value: &RubyValue) -> String {
    let mut out = String::new();
    write_inspect(value, &mut out, 0);
    out
}

fn write_inspect(value: &RubyValue, out: &mut String, depth: usize) {
    match value {
        RubyValue::Nil => out.push_str("nil"),
        RubyValue::Bool(value) => {
            let _ = write!(out, "{value}");
        }
        RubyValue::Int(number) => {
            let _ = write!(out, "{number}");
        }
        RubyValue::Big(number) => out.push_str(&number.to_str_radix(10)),
        RubyValue::Float(number) => out.push_str(&float::to_s(*number)),
        RubyValue::Sym(name) => out.push_str(&text::inspect_symbol(name)),
        RubyValue::Str(string) => write_text(&string.text.borrow(), out),
        RubyValue::Bytes(bytes) => out.push_str(&inspect_bytes(bytes)),
        RubyValue::Array(_) | RubyValue::Hash(_) if visit() => (),
        RubyValue::Array(_) if depth > MAX_DEPTH => out.push_str("[...]"),
        RubyValue::Hash(_) if depth > MAX_DEPTH => out.push_str("{...}"),
        RubyValue::Array(list) => write_list(&list.items.borrow(), out, depth),
        RubyValue::Hash(map) => {
            let ruby = Editions::current().ruby;
            out.push('{');
            for (index, (key, value)) in map.entries.borrow().iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                match &key.0 {
                    RubyValue::Sym(name) => out.push_str(&symbol_key(name, ruby)),
                    key => {
                        write_inspect(key, out, depth + 1);
                        out.push_str(ruby.arrow());
                    }
                }
                write_inspect(value, out, depth + 1);
                if is_full(out) {
                    return;
                }
            }
            out.push('}');
        }
        RubyValue::Range(range) => {
            let show = |end: &RubyValue| if end.is_nil() { String::new() } else { inspect(end) };
            let dots = if range.excludes_end { "..." } else { ".." };
            let _ = write!(out, "{}{dots}{}", show(&range.from), show(&range.to));
        }
        RubyValue::Regexp(regex) => out.push_str(&regex.inspect()),
        RubyValue::Match(match_data) => write_match(match_data, out),
        RubyValue::Proc(proc) => {
            out.push_str(if proc.is_lambda {
                "#<Proc:0x0000000000000000 (lambda)>"
            } else {
                "#<Proc:0x0000000000000000>"
            });
        }
        RubyValue::Class(class) => out.push_str(&class.name.borrow()),
        RubyValue::Object(object) => {
            let _ = write!(out, "#<{}>", object.class.name.borrow());
        }
        RubyValue::Puppet(value) => out.push_str(&ruby::inspect(value)),
    }
}

/// The bytes of a text that are formatted at once.
const PART: usize = 4096;

/// Appends a text in quotes, as far as there is room for it.
fn write_text(value: &str, out: &mut String) {
    out.push('"');
    let mut shown = String::new();
    for part in text::parts(value, PART) {
        shown.clear();
        text::push_part(&mut shown, part);
        if !append(out, &shown) || is_too_long(out.len()) || (value.len() > PART && visit()) {
            return;
        }
    }
    out.push('"');
}

/// Returns `inspect` of a binary string: every byte that is not printable ASCII is an escape.
fn inspect_bytes(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'#' if matches!(bytes.get(at + 1), Some(b'{' | b'$' | b'@')) => out.push_str("\\#"),
            b' '..=b'~' => out.push(char::from(byte)),
            7..=13 | 27 => {
                let letter = b"abtnvfr".get(usize::from(byte).wrapping_sub(7)).unwrap_or(&b'e');
                out.extend(['\\', char::from(*letter)]);
            }
            _ => {
                let _ = write!(out, "\\x{byte:02X}");
            }
        }
    }
    out.push('"');
    out
}

/// Returns a symbol with what separates it from its value in `Hash#inspect`.
pub(crate) fn symbol_key(name: &str, ruby: RubyEdition) -> String {
    let shown = text::inspect_symbol(name);
    if !ruby.has(RubyChange::SpacedHash) {
        return shown + ruby.arrow();
    }
    // Operators and writers are symbols without quotes, but no labels.
    let is_label = |c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii();
    let bare = name.strip_suffix(['?', '!']).unwrap_or(name);
    match shown.starts_with(":\"") || !bare.chars().all(is_label) {
        true => format!("{}: ", text::inspect(name)),
        false => format!("{name}: "),
    }
}

fn write_list(items: &[RubyValue], out: &mut String, depth: usize) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        write_inspect(item, out, depth + 1);
        if is_full(out) {
            return;
        }
    }
    out.push(']');
}

fn write_match(match_data: &Match, out: &mut String) {
    out.push_str("#<MatchData ");
    out.push_str(&inspect(&match_data.group(0)));
    for index in 1..match_data.spans.len() {
        let name = match_data.regex.names().find(|(_, numbers)| numbers.contains(&index));
        let _ = match name {
            Some((name, _)) => write!(out, " {name}:{}", inspect(&match_data.group(index))),
            None => write!(out, " {index}:{}", inspect(&match_data.group(index))),
        };
    }
    out.push('>');
}

/// Returns the name of a value's class.
pub(crate) fn class_name(value: &RubyValue) -> String {
    match value {
        RubyValue::Nil => "NilClass".to_owned(),
        RubyValue::Bool(true) => "TrueClass".to_owned(),
        RubyValue::Bool(false) => "FalseClass".to_owned(),
        RubyValue::Int(_) | RubyValue::Big(_) => "Integer".to_owned(),
        RubyValue::Float(_) => "Float".to_owned(),
        RubyValue::Sym(_) => "Symbol".to_owned(),
        RubyValue::Str(_) | RubyValue::Bytes(_) => "String".to_owned(),
        RubyValue::Array(_) => "Array".to_owned(),
        RubyValue::Hash(_) => "Hash".to_owned(),
        RubyValue::Range(_) => "Range".to_owned(),
        RubyValue::Regexp(_) => "Regexp".to_owned(),
        RubyValue::Match(_) => "MatchData".to_owned(),
        RubyValue::Proc(_) => "Proc".to_owned(),
        RubyValue::Class(class) => if class.is_module { "Module" } else { "Class" }.to_owned(),
        RubyValue::Object(object) => object.class.name.borrow().as_str().to_owned(),
        RubyValue::Puppet(value) => ruby::class_name(value).into_owned(),
    }
}
