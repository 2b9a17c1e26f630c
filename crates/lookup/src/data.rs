//! Data files: read once, shared by all.

use std::sync::{Arc, Mutex, PoisonError};

use ecow::EcoString;
use indexmap::IndexMap;
use kukla_pcore::texts::yaml::{self, LoadOptions};
use kukla_pcore::texts::{Data, RubyError, hocon, json};
use kukla_pcore::types::infer;
use kukla_pcore::{Hash, Type, Value};
use rustc_hash::FxHashMap;

use crate::files::Stamp;
use crate::merge::built_in;
use crate::pdl::Pdl;
use crate::{Fault, Files};

/// The top level of a data file, or what a function gave instead of one.
#[derive(Debug, Default)]
pub(crate) struct DataHash {
    entries: IndexMap<EcoString, Entry>,
    /// Keys that are no texts.
    odd_keys: Vec<Value>,
}

/// A key of a data file.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its value, before anything is interpolated.
    pub value: Value,
    /// The line of the key, counted from 1; 0 if it is not known.
    pub line: u32,
    /// Whether there is `%{` in it.
    pub interpolates: bool,
    /// The type of a value that data may not have.
    pub wrong_type: Option<String>,
}

impl DataHash {
    /// The entry of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// All entries in the order of the file.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&EcoString, &Entry)> {
        self.entries.iter()
    }

    pub(crate) fn odd_keys(&self) -> &[Value] {
        &self.odd_keys
    }

    /// What a function gave; it is checked unless the function says what it returns.
    pub(crate) fn from_hash(hash: &Hash, is_validated: bool) -> Self {
        let rich = (!is_validated).then(|| built_in("RichData"));
        let mut data = Self::default();
        for (key, value) in hash.iter() {
            match key {
                Value::String(key) => data.add(key.clone(), value.clone(), 0, rich.as_ref()),
                other => data.odd_keys.push(other.clone()),
            }
        }
        data
    }

    fn add(&mut self, key: EcoString, value: Value, line: u32, rich: Option<&Type>) {
        let wrong = rich.is_some_and(|rich| !is_plain(&value) && !rich.is_instance(&value));
        let wrong_type = wrong.then(|| infer(&value).text());
        let interpolates = interpolates(&value);
        self.entries.insert(key, Entry { value, line, interpolates, wrong_type });
    }
}

/// Whether a value is of the kinds that need no look at the type.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) | Value::String(_) => true,
        Value::Array(items) => {
            stacker::maybe_grow(32 << 10, 1 << 20, || items.iter().all(is_plain))
        }
        Value::Hash(hash) => stacker::maybe_grow(32 << 10, 1 << 20, || {
            hash.iter().all(|(key, value)| key.as_str().is_some() && is_plain(value))
        }),
        _ => false,
    }
}

/// Whether there is something to be interpolated in a value.
pub(crate) fn interpolates(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("%{"),
        Value::Array(items) => {
            stacker::maybe_grow(32 << 10, 1 << 20, || items.iter().any(interpolates))
        }
        Value::Hash(hash) => stacker::maybe_grow(32 << 10, 1 << 20, || {
            hash.iter().any(|(key, value)| interpolates(key) || interpolates(value))
        }),
        _ => false,
    }
}

/// What kind of data a file has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Format {
    /// `yaml_data` and `eyaml_lookup_key`
    Yaml,
    /// `json_data`
    Json,
    /// `hocon_data`
    Hocon,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A hash.
    Hash(Arc<DataHash>),
    /// Something else; nothing at all is `false`.
    Other(Value),
}

/// Files that were read, as long as they stay as they are.
#[derive(Debug, Default)]
pub(crate) struct FileCache {
    files: Mutex<FxHashMap<(EcoString, Format), (Stamp, Content)>>,
}

impl FileCache {
    pub(crate) fn load(
        &self,
        files: &dyn Files,
        path: &str,
        format: Format,
    ) -> Result<Content, Fault> {
        let Some(stamp) = files.stamp(path) else {
            let message = format!("No such file or directory @ rb_file_s_stat - {path}");
            return Err(Fault::other(message));
        };
        let key = (EcoString::from(path), format);
        let lock = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, content)) = lock().get(&key)
            && *known == stamp
        {
            return Ok(content.clone());
        }
        let content = parse(path, &text(files, path)?, format)?;
        lock().insert(key, (stamp, content.clone()));
        Ok(content)
    }
}

/// Files of PDL that were read, as long as they stay as they are.
#[derive(Debug, Default)]
pub(crate) struct PdlCache {
    files: Mutex<FxHashMap<EcoString, (Stamp, Arc<Pdl>)>>,
}

impl PdlCache {
    pub(crate) fn get(&self, path: &str, stamp: Stamp) -> Option<Arc<Pdl>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(path).filter(|(known, _)| *known == stamp).map(|(_, pdl)| Arc::clone(pdl))
    }

    pub(crate) fn keep(&self, path: &str, stamp: Stamp, pdl: Arc<Pdl>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.into(), (stamp, pdl));
    }
}

/// Larger files are no data.
const MAX_SIZE: u64 = 256 << 20;

/// The text of a file.
pub(crate) fn text(files: &dyn Files, path: &str) -> Result<String, Fault> {
    if files.stamp(path).is_some_and(|stamp| stamp.size > MAX_SIZE) {
        return Err(Fault::lookup(format!("{path}: the file has more than {MAX_SIZE} bytes")));
    }
    let bytes = files.read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::IsADirectory => {
            Fault::other(format!("Is a directory @ io_fread - {path}"))
        }
        std::io::ErrorKind::PermissionDenied => {
            Fault::other(format!("Permission denied @ rb_sysopen - {path}"))
        }
        std::io::ErrorKind::NotFound => {
            Fault::other(format!("No such file or directory @ rb_sysopen - {path}"))
        }
        _ => Fault::other(format!("cannot read `{path}`: {error}")),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let (place, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let line = bytes[..place].iter().filter(|byte| **byte == b'\n').count() + 1;
        Fault::lookup(format!("{path}: invalid UTF-8 in line {line}"))
    })
}

fn parse(path: &str, text: &str, format: Format) -> Result<Content, Fault> {
    parse_noting(path, text, format, &mut |_, _| ())
}

/// The same for somebody who wants to know of keys that are repeated, and in which line.
pub(crate) fn parse_noting(
    path: &str,
    text: &str,
    format: Format,
    repeated: &mut dyn FnMut(&str, u32),
) -> Result<Content, Fault> {
    match format {
        Format::Yaml => {
            let mut lines = FxHashMap::default();
            let data = load_yaml_noting(path, text, &mut lines, repeated)
                .map_err(|message| Fault::lookup(format!("Unable to parse {message}")))?;
            content(path, data, &lines)
        }
        Format::Json => {
            let data = json::parse(text).map_err(|error| unable(path, text, &error))?;
            content(path, data, &json_lines(text, repeated))
        }
        Format::Hocon => {
            let data = hocon::parse(text, &|_| None).map_err(|error| unable(path, text, &error))?;
            content(path, data, &FxHashMap::default())
        }
    }
}

/// Messages of parsers quote the text, but not if there are secrets in it.
fn unable(path: &str, text: &str, error: &RubyError) -> Fault {
    let message = match error.message.split_once(" at '") {
        Some((start, _)) if has_secrets(text) => format!("{start} at line {}", json_line(text)),
        _ => error.message.clone(),
    };
    Fault::lookup(format!("Unable to parse ({path}): {message}"))
}

/// Whether a text that can't be read may hold secrets.
fn has_secrets(text: &str) -> bool {
    text.contains("Sensitive") || text.contains("ENC[")
}

/// The line from which on a text is no JSON.
pub(crate) fn json_line(text: &str) -> usize {
    serde_json::from_str::<serde_json::Value>(text).err().map_or(1, |error| error.line())
}

/// YAML as Puppet loads it for data and configuration: symbols are allowed; the message if it is none.
pub(crate) fn load_yaml(
    path: &str,
    text: &str,
    lines: &mut FxHashMap<EcoString, u32>,
) -> Result<Data, String> {
    load_yaml_noting(path, text, lines, &mut |_, _| ())
}

fn load_yaml_noting(
    path: &str,
    text: &str,
    lines: &mut FxHashMap<EcoString, u32>,
    repeated: &mut dyn FnMut(&str, u32),
) -> Result<Data, String> {
    let options =
        LoadOptions { permitted_classes: &["Symbol"], aliases: true, filename: Some(path) };
    yaml::load_with_keys(text, options, &mut |mark| {
        let line = u32::try_from(mark.line).unwrap_or(0);
        if let Data::Str(key) | Data::Symbol(key) = mark.key {
            if mark.depth == 1 {
                lines.insert(EcoString::from(key.as_str()), line);
            }
            if mark.is_repeated {
                repeated(key, line);
            }
        }
    })
    .map_err(|error| match error.class {
        // The limits are ours, and so are their words.
        "Psych::DisallowedClass" | "ArgumentError" => format!("({path}): {}", error.message),
        _ => error.message,
    })
}

fn content(path: &str, data: Data, lines: &FxHashMap<EcoString, u32>) -> Result<Content, Fault> {
    let entries = match data {
        Data::Hash(entries) => entries,
        Data::Nil => return Ok(Content::Other(Value::Boolean(false))),
        other => return Ok(Content::Other(value(path, other)?)),
    };
    let rich = built_in("RichData");
    let mut hash =
        DataHash { entries: IndexMap::with_capacity(entries.len()), ..DataHash::default() };
    for (key, data) in entries {
        let key = match key {
            Data::Str(key) | Data::Symbol(key) => EcoString::from(key),
            other => {
                hash.odd_keys.push(value(path, other)?);
                continue;
            }
        };
        let line = lines.get(&key).copied().unwrap_or(0);
        let symbol = find_symbol(&data);
        let (value, wrong) = match value(path, data) {
            Ok(value) => (value, symbol),
            // A number that is too large spoils its own key only.
            Err(fault) => (Value::Undef, Some(fault.message)),
        };
        hash.add(key.clone(), value, line, Some(&rich));
        if let (Some(type_), Some(entry)) = (wrong, hash.entries.get_mut(&key)) {
            entry.wrong_type = Some(type_);
        }
    }
    Ok(Content::Hash(Arc::new(hash)))
}

/// The type that Puppet infers for a value with a symbol in it, which no data may have.
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

/// Data as a value; keys that are symbols become texts, and so do other symbols but `:default`.
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

/// The lines of the keys of an object.
fn json_lines(text: &str, repeated: &mut dyn FnMut(&str, u32)) -> FxHashMap<EcoString, u32> {
    let mut lines = FxHashMap::default();
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
                    if lines.insert(EcoString::from(key), line).is_some() {
                        repeated(key, line);
                    }
                }
            }
            _ => (),
        }
        rest = &rest[length..];
    }
    lines
}
