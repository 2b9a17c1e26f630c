//! Output of values and of their origins.

use std::fmt::Write;

use ecow::EcoString;
use kukla_compiler::compile::Lookups;
use kukla_lookup::{FoundValue, Occurrence, REDACTED};
use kukla_pcore::{Hash, Value, ruby};
use kukla_rubytext::{json, yaml};

use super::RenderAs;
use crate::site::plain;

/// Returns the value with secrets redacted unless `reveals`.
pub(super) fn visible_value(found: &FoundValue, reveals: bool) -> Value {
    match (&found.value, reveals) {
        (Value::Sensitive(inner), true) => plain(inner),
        (value, true) => plain(value),
        _ if found.is_secret => Value::from(REDACTED),
        (value, false) => plain(value),
    }
}

/// Formats a value as YAML, JSON or text, like Ruby.
pub(super) fn rendered(value: &Value, format: RenderAs) -> anyhow::Result<String> {
    let text = match format {
        RenderAs::Yaml => yaml::write(value, yaml::DumpOptions::default()),
        RenderAs::Json => json::generate(value, &json::Style::compact()),
        RenderAs::S => Ok(ruby::to_s(value)),
    };
    let mut text = text.map_err(|error| anyhow::anyhow!(error.message))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// A value of a key, and whether it counts.
struct ValuePlace {
    key: EcoString,
    what: &'static str,
    occurrence: Occurrence,
}

fn all(lookups: &mut Lookups, keys: &[EcoString], found: Option<&FoundValue>) -> Vec<ValuePlace> {
    let mut places = Vec::new();
    let mut is_found = false;
    for key in keys {
        for occurrence in lookups.occurrences(key) {
            let counts = |found: &FoundValue| found.origins.contains(&occurrence.origin);
            let what = match found {
                Some(found) if !is_found && counts(found) => {
                    if found.origins.len() > 1 {
                        "merged"
                    } else {
                        "found"
                    }
                }
                _ => "passed over",
            };
            places.push(ValuePlace { key: key.clone(), what, occurrence });
        }
        is_found |= !places.is_empty();
    }
    places
}

fn value(occurrence: &Occurrence, reveals: bool) -> Value {
    match occurrence.is_secret && !reveals {
        true => Value::from(REDACTED),
        false => plain(&occurrence.value),
    }
}

/// Formats one line per value of the keys.
pub(super) fn places(
    lookups: &mut Lookups,
    keys: &[EcoString],
    found: Option<&FoundValue>,
    reveals: bool,
) -> String {
    let mut out = String::from("Values:\n");
    let places = all(lookups, keys, found);
    if places.is_empty() {
        out.push_str("  none\n");
    }
    for ValuePlace { key, what, occurrence } in &places {
        let origin = &occurrence.origin;
        let text = match occurrence.is_secret && !reveals {
            true => REDACTED.to_owned(),
            false => ruby::inspect(&occurrence.value),
        };
        let _ = writeln!(out, "  {what}: {key} at {}:{}: {text}", origin.file, origin.line);
    }
    out
}

/// Adds the values of the keys to an explanation.
pub(super) fn add_places(
    story: &mut Value,
    lookups: &mut Lookups,
    keys: &[EcoString],
    found: Option<&FoundValue>,
    reveals: bool,
) {
    let entry = |place: &ValuePlace| {
        let origin = &place.occurrence.origin;
        let hash: Hash = [
            ("key", Value::String(place.key.clone())),
            ("outcome", Value::from(place.what)),
            ("file", Value::String(origin.file.clone())),
            ("line", Value::Integer(i64::from(origin.line))),
            ("value", value(&place.occurrence, reveals)),
        ]
        .into_iter()
        .map(|(name, value)| (Value::from(name), value))
        .collect();
        Value::hash(hash)
    };
    let entries = all(lookups, keys, found).iter().map(entry).collect::<Vec<_>>();
    if let Value::Hash(hash) = story {
        let mut hash = (**hash).clone();
        hash.insert(Value::from("values"), Value::array(entries));
        *story = Value::hash(hash);
    }
}
