//! Deep merge like Ruby's library `deep_merge`, oddities included.

use std::cmp::Ordering;
use std::sync::Arc;

use ecow::EcoVec;
use kukla_pcore::regex::Regex;
use kukla_pcore::{Hash, Value, ruby};

use super::unique;
use crate::Fault;
use crate::trace::Change;

/// The relevant options, as Ruby reads them: anything but nil and false is true.
#[derive(Debug, Default)]
pub(super) struct Options {
    knockout: Option<Knockout>,
    sort_merged_arrays: bool,
    merge_hash_arrays: bool,
    overwrite_arrays: bool,
    extend_existing_arrays: bool,
    unpack_arrays: Option<String>,
}

/// A prefix of elements to be removed. Puppet makes a pattern of it without escaping anything.
#[derive(Debug)]
struct Knockout {
    prefix: Value,
    pattern: Regex,
}

impl Options {
    pub(super) fn new(options: Option<&Hash>) -> Result<Self, Fault> {
        let Some(options) = options else { return Ok(Self::default()) };
        let flag = |name: &str| options.get_str(name).is_some_and(Value::is_truthy);
        let knockout = match options.get_str("knockout_prefix") {
            Some(prefix) if prefix.is_truthy() => Some(Knockout::new(prefix)?),
            _ => None,
        };
        let unpack_arrays = options.get_str("unpack_arrays").and_then(Value::as_str);
        Ok(Self {
            knockout,
            sort_merged_arrays: flag("sort_merged_arrays"),
            merge_hash_arrays: flag("merge_hash_arrays"),
            overwrite_arrays: flag("overwrite_arrays"),
            extend_existing_arrays: flag("extend_existing_arrays"),
            unpack_arrays: unpack_arrays.map(str::to_owned),
        })
    }
}

impl Knockout {
    fn new(prefix: &Value) -> Result<Self, Fault> {
        if prefix.as_str() == Some("") {
            return Err(Fault::other("knockout_prefix cannot be an empty string in deep_merge!"));
        }
        let pattern = Regex::new(&format!("^{}", ruby::to_s(prefix)));
        let pattern = pattern.map_err(|error| Fault::other(error.to_string()))?;
        Ok(Self { prefix: prefix.clone(), pattern })
    }

    /// Returns a text without the prefix, if it has it.
    fn strip(&self, text: &str) -> Option<String> {
        let stripped = self.pattern.gsub(text, "").ok()?;
        (stripped != text).then(|| stripped.into_owned())
    }
}

/// Merges the source into the destination.
pub(super) fn merge(
    source: Value,
    destination: Value,
    options: &Options,
    changes: &mut Vec<Change>,
) -> Result<Value, Fault> {
    if source.is_undef() {
        return Ok(destination);
    }
    if !destination.is_truthy() {
        return Ok(source);
    }
    stacker::maybe_grow(64 << 10, 1 << 20, || match source {
        Value::Hash(hash) => merge_hash(&hash, destination, options, changes),
        Value::Array(items) => merge_array(items, destination, options, changes),
        other => match destination {
            Value::Array(mut items) if options.extend_existing_arrays => {
                items.push(other);
                Ok(Value::Array(items))
            }
            _ => Ok(overwrite(other, options, changes)),
        },
    })
}

fn merge_hash(
    source: &Arc<Hash>,
    destination: Value,
    options: &Options,
    changes: &mut Vec<Change>,
) -> Result<Value, Fault> {
    let mut destination = destination;
    for (key, value) in source.iter() {
        match &mut destination {
            Value::Hash(hash) => {
                let old = hash.get(key).filter(|old| old.is_truthy()).cloned();
                // A missing value is merged into a copy of itself.
                let old = old.unwrap_or_else(|| value.clone());
                let new = merge(value.clone(), old, options, changes)?;
                Arc::make_mut(hash).insert(key.clone(), new);
            }
            Value::Array(items) if options.extend_existing_arrays => {
                items.push(Value::Hash(Arc::clone(source)));
            }
            _ => destination = overwrite(Value::Hash(Arc::clone(source)), options, changes),
        }
    }
    Ok(destination)
}

fn merge_array(
    source: EcoVec<Value>,
    destination: Value,
    options: &Options,
    changes: &mut Vec<Change>,
) -> Result<Value, Fault> {
    if options.overwrite_arrays {
        return Ok(Value::Array(source));
    }
    let (mut source, mut destination) = (source, destination);
    let place = source.as_ptr();
    if let Some(separator) = &options.unpack_arrays {
        source = unpacked(&source, separator);
        if let Value::Array(items) = &destination {
            destination = Value::Array(unpacked(items, separator));
        }
    }
    let before = source.len();
    if let Some(knockout) = &options.knockout {
        if source.iter().any(|item| ruby::equal(item, &knockout.prefix)) {
            destination = cleared(&destination);
            source = source.into_iter().filter(|i| !ruby::equal(i, &knockout.prefix)).collect();
        }
        if let Value::Array(items) = &mut destination {
            source = knock_out(source, items, knockout);
        }
    }
    if source.len() != before && options.unpack_arrays.is_none() {
        changes.push((place, source.clone()));
    }
    match destination {
        Value::Array(items) => merge_items(&source, items, options, changes),
        _ => Ok(overwrite(Value::Array(source), options, changes)),
    }
}

fn merge_items(
    source: &EcoVec<Value>,
    items: EcoVec<Value>,
    options: &Options,
    changes: &mut Vec<Change>,
) -> Result<Value, Fault> {
    let are_hashes = |items: &EcoVec<Value>| items.iter().all(|i| matches!(i, Value::Hash(_)));
    let mut merged = if options.merge_hash_arrays && are_hashes(source) && are_hashes(&items) {
        let n_items = items.len();
        let mut list = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            let other = source.get(index).cloned().unwrap_or_else(|| Value::from(Hash::new()));
            list.push(merge(other, item, options, changes)?);
        }
        list.extend(source.iter().skip(n_items).cloned());
        list
    } else {
        unique(items.into_iter().chain(source.iter().cloned()))
    };
    if options.sort_merged_arrays {
        sort(&mut merged)?;
    }
    Ok(Value::array(merged))
}

/// Removes elements with the prefix, and the elements that they name from the destination.
fn knock_out(
    source: EcoVec<Value>,
    destination: &mut EcoVec<Value>,
    knockout: &Knockout,
) -> EcoVec<Value> {
    let mut left = EcoVec::new();
    for item in source {
        match item.as_str().and_then(|text| knockout.strip(text)) {
            Some(name) => {
                let name = Value::from(name);
                let stays =
                    |other: &Value| !ruby::equal(other, &name) && !ruby::equal(other, &item);
                *destination = destination.iter().filter(|other| stays(other)).cloned().collect();
            }
            None => left.push(item),
        }
    }
    left
}

/// Returns the source for a destination that it can't be merged with.
fn overwrite(source: Value, options: &Options, changes: &mut Vec<Change>) -> Value {
    let Some(knockout) = &options.knockout else { return source };
    match source {
        Value::String(text) => match knockout.strip(&text) {
            Some(_) => Value::from(""),
            None => Value::String(text),
        },
        Value::Array(items) => {
            let place = items.as_ptr();
            let has_prefix = |item: &Value| {
                item.as_str().is_some_and(|text| knockout.pattern.is_match(text).unwrap_or(false))
            };
            let left: EcoVec<Value> = items.iter().filter(|i| !has_prefix(i)).cloned().collect();
            if left.len() != items.len() {
                changes.push((place, left.clone()));
            }
            // The source itself is modified, so it never differs from the rest.
            Value::Array(left)
        }
        other => other,
    }
}

fn cleared(value: &Value) -> Value {
    match value {
        Value::Array(_) => Value::Array(EcoVec::new()),
        Value::Hash(_) => Value::from(Hash::new()),
        Value::String(_) => Value::from(""),
        _ => Value::Undef,
    }
}

fn unpacked(items: &EcoVec<Value>, separator: &str) -> EcoVec<Value> {
    let joined = ruby::join(items, separator);
    let parts = joined.trim_end_matches(separator);
    match parts {
        "" => EcoVec::new(),
        parts => parts.split(separator).map(Value::from).collect(),
    }
}

/// Sorts by merging halves, like Ruby, so that an error names the same two incomparable values.
fn sort(items: &mut Vec<Value>) -> Result<(), Fault> {
    if items.len() < 2 {
        return Ok(());
    }
    let mut right = items.split_off(items.len() / 2);
    let mut left = std::mem::take(items);
    sort(&mut left)?;
    sort(&mut right)?;
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let order = ruby::compare(a, b).ok_or_else(|| incomparable(a, b))?;
        items.extend(if order == Ordering::Greater { right.next() } else { left.next() });
    }
    items.extend(left);
    items.extend(right);
    Ok(())
}

fn incomparable(a: &Value, b: &Value) -> Fault {
    let shown = match b {
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => ruby::inspect(b),
        other => ruby::class_name(other).into_owned(),
    };
    Fault::other(format!("comparison of {} with {shown} failed", ruby::class_name(a)))
}
