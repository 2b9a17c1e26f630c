//! Parsers of data and configuration files.

use std::io;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};
use kukla_rubytext::yaml::{self, LoadError, LoadOptions};
use kukla_rubytext::{Data, RubyError, hocon, json};
use rustc_hash::FxHashMap;

use super::{Content, DataHash, Format};
use crate::Fault;
use crate::merge::built_in;
use crate::trace::Origin;
use kukla_world::{MAX_FILE, Stamp, World};

/// Returns the text of a file.
pub(crate) fn text(files: &dyn World, path: &str) -> Result<String, Fault> {
    text_and_stamp(files, path, MAX_FILE).map(|(text, _)| text)
}

/// Returns the text of a file of at most `limit` bytes, and the stamp of the file that was opened.
pub(crate) fn text_and_stamp(
    files: &dyn World,
    path: &str,
    limit: u64,
) -> Result<(String, Stamp), Fault> {
    let opened = files.read(path, limit).map_err(|error| unreadable(path, limit, &error))?;
    match String::from_utf8(opened.bytes.to_vec()) {
        Ok(text) => Ok((text, opened.stamp)),
        Err(error) => {
            let (place, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
            let line = bytes[..place].iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(Fault::lookup(format!("{path}: invalid UTF-8 in line {line}")))
        }
    }
}

fn unreadable(path: &str, limit: u64, error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::IsADirectory => Fault::other(format!("Is a directory @ io_fread - {path}")),
        io::ErrorKind::PermissionDenied => {
            Fault::other(format!("Permission denied @ rb_sysopen - {path}"))
        }
        io::ErrorKind::NotFound => {
            Fault::other(format!("No such file or directory @ rb_sysopen - {path}"))
        }
        io::ErrorKind::FileTooLarge => {
            Fault::lookup(format!("{path}: the file has more than {limit} bytes"))
        }
        io::ErrorKind::InvalidInput => Fault::lookup(format!("{path}: {error}")),
        _ => Fault::other(format!("cannot read `{path}`: {}", error.kind())),
    }
}

pub(super) fn parse(path: &str, text: &str, format: Format) -> Result<Content, Fault> {
    parse_noting(path, text, format, &mut |_, _| ())
}

/// Like [`parse`], but reports repeated keys with their lines.
pub(crate) fn parse_noting(
    path: &str,
    text: &str,
    format: Format,
    repeated: &mut dyn FnMut(&str, u32),
) -> Result<Content, Fault> {
    match format {
        Format::Yaml => {
            let mut lines = Vec::new();
            let data = load_yaml_noting(path, text, &mut lines, repeated).map_err(|fault| {
                Fault { message: format!("Unable to parse {}", fault.message), ..fault }
            })?;
            content(path, data, &lines)
        }
        Format::Json => {
            let data = json::parse(text).map_err(|error| unable(path, text, &error))?;
            let lines = json_lines(text, repeated);
            // If one key is written in two ways, the lines can't be assigned in order.
            let are_all = matches!(&data, Data::Hash(entries) if entries.len() == lines.len());
            content(path, data, if are_all { &lines } else { &[] })
        }
        Format::Hocon => {
            let data = hocon::parse(text, &|_| None).map_err(|error| unable(path, text, &error))?;
            content(path, data, &[])
        }
    }
}

/// Returns the error of a parser, whose message quotes the text unless it may contain secrets.
fn unable(path: &str, text: &str, error: &RubyError) -> Fault {
    let message = match error.message.split_once(" at '") {
        Some((start, _)) if has_secrets(text) => format!("{start} at line {}", json_line(text)),
        _ => error.message.clone(),
    };
    Fault::lookup(format!("Unable to parse ({path}): {message}"))
}

/// Whether a text that can't be parsed may contain secrets.
fn has_secrets(text: &str) -> bool {
    text.contains("Sensitive") || text.contains("ENC[")
}

/// Returns the line at which a text stops being valid JSON.
pub(crate) fn json_line(text: &str) -> usize {
    serde_json::from_str::<serde_json::Value>(text).err().map_or(1, |error| error.line())
}

/// Loads YAML as Puppet does for data and configuration: symbols are allowed.
pub(crate) fn load_yaml(path: &str, text: &str) -> Result<Data, Fault> {
    load_yaml_noting(path, text, &mut Vec::new(), &mut |_, _| ())
}

fn load_yaml_noting(
    path: &str,
    text: &str,
    lines: &mut Vec<u32>,
    repeated: &mut dyn FnMut(&str, u32),
) -> Result<Data, Fault> {
    let options =
        LoadOptions { permitted_classes: &["Symbol"], aliases: true, filename: Some(path) };
    yaml::load_with_keys(text, options, &mut |mark| {
        let line = u32::try_from(mark.line).unwrap_or(0);
        if mark.depth == 1 {
            lines.resize(lines.len().max(mark.place + 1), 0);
            lines[mark.place] = line;
        }
        if let (true, Data::Str(key) | Data::Symbol(key)) = (mark.is_repeated, mark.key) {
            repeated(key, line);
        }
    })
    .map_err(|LoadError { error, line }| {
        let message = match error.class {
            // The limits are Kukla's own, and so are their messages.
            "Psych::DisallowedClass" | "ArgumentError" => format!("({path}): {}", error.message),
            _ => error.message,
        };
        let line = line.and_then(|line| u32::try_from(line).ok());
        let place = line.map(|line| Box::new(Origin::new(path.into(), line)));
        Fault { place, ..Fault::lookup(message) }
    })
}

/// Converts a document; `lines` has the lines of its keys, in their order.
fn content(path: &str, data: Data, lines: &[u32]) -> Result<Content, Fault> {
    let entries = match data {
        Data::Hash(entries) => entries,
        Data::Nil => return Ok(Content::Other(Value::Boolean(false))),
        other => return Ok(Content::Other(value(path, other)?)),
    };
    let rich = built_in("RichData");
    let mut hash = DataHash::default();
    hash.entries.reserve(entries.len());
    for (place, (key, data)) in entries.into_iter().enumerate() {
        let key = match key {
            Data::Str(key) | Data::Symbol(key) => EcoString::from(key),
            other => {
                hash.odd_keys.push(value(path, other)?);
                continue;
            }
        };
        let line = lines.get(place).copied().unwrap_or(0);
        let symbol = find_symbol(&data);
        let (value, wrong) = match value(path, data) {
            Ok(value) => (value, symbol),
            // A number that is too large invalidates only its own key.
            Err(fault) => (Value::Undef, Some(fault.message)),
        };
        hash.add(key.clone(), value, line, Some(&rich));
        if let (Some(type_), Some(entry)) = (wrong, hash.entries.get_mut(&key)) {
            entry.is_wrong = true;
            hash.wrong_types.insert(key, type_);
        }
    }
    Ok(Content::Hash(Arc::new(hash)))
}

/// Returns the type that Puppet infers for a value that contains a symbol, which is not allowed in data.
fn find_symbol(data: &Data) -> Option<String> {
    const SYMBOL: &str = "Runtime[ruby, 'Symbol']";
    stacker::maybe_grow(32 << 10, 1 << 20, || match data {
        Data::Symbol(name) if name != "default" => Some(SYMBOL.to_owned()),
        Data::Array(items) => items.iter().find_map(find_symbol).map(|inner| match items.len() {
            1 => format!("Array[{inner}, 1, 1]"),
            n => format!("Array[Any, {n}, {n}]"),
        }),
        Data::Hash(entries) => {
            let inner = entries.iter().find_map(|(_, value)| find_symbol(value))?;
            let n = entries.len();
            Some(format!("Hash[String, {inner}, {n}, {n}]"))
        }
        _ => None,
    })
}

/// Converts data to a value; symbols, also as keys, become strings, except `:default`.
pub(crate) fn value(path: &str, data: Data) -> Result<Value, Fault> {
    stacker::maybe_grow(32 << 10, 1 << 20, || {
        Ok(match data {
            Data::Symbol(name) if name == "default" => Value::Default,
            Data::Array(items) => {
                let items: Result<Vec<Value>, Fault> =
                    items.into_iter().map(|item| value(path, item)).collect();
                Value::array(items?)
            }
            Data::Hash(entries) => {
                let mut hash = Hash::with_capacity(entries.len());
                for (key, data) in entries {
                    let key = match key {
                        Data::Symbol(key) => Value::from(key),
                        other => value(path, other)?,
                    };
                    hash.insert(key, value(path, data)?);
                }
                Value::from(hash)
            }
            other => kukla_pcore::data::value(other)
                .map_err(|error| Fault::lookup(format!("{path}: {}", error.message)))?,
        })
    })
}

/// Returns the lines of the keys of an object, in the order of the keys.
fn json_lines(text: &str, repeated: &mut dyn FnMut(&str, u32)) -> Vec<u32> {
    let (mut lines, mut places) = (Vec::new(), FxHashMap::default());
    let (mut depth, mut line, mut rest) = (0, 1, text);
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        match first {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            '\n' => line += 1,
            '"' => {
                let inner = &rest[1..];
                let mut escaped = false;
                let end = inner.find(|c| {
                    let is_end = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    is_end
                });
                let end = end.unwrap_or(inner.len());
                length = (end + 2).min(rest.len());
                if depth == 1 && rest[length..].trim_start().starts_with(':') {
                    let key = &inner[..end];
                    match places.get(key) {
                        Some(&place) => {
                            lines[place] = line;
                            repeated(key, line);
                        }
                        None => {
                            places.insert(key, lines.len());
                            lines.push(line);
                        }
                    }
                }
            }
            _ => (),
        }
        rest = &rest[length..];
    }
    lines
}
