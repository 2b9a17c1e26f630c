//! The resolver: from all values of a key to the effective one.

use super::parse::{Fields, Value};
use super::token::{Number, number};
use super::{HoconError, error};
use crate::{Data, RubyInteger as _, float, tree};

/// Resolves a document.
pub(super) fn resolve(
    root: &Fields,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Data, HoconError> {
    let mut resolver = Resolver { root, environment, open: Vec::new(), n_steps: 0 };
    resolver.fields(root, &[])
}

/// The maximum number of steps, since substitutions can grow a small document exponentially.
const MAX_STEPS: usize = 1_000_000;
const MAX_OPEN: usize = 200;

struct Resolver<'a> {
    root: &'a Fields,
    environment: &'a dyn Fn(&str) -> Option<String>,
    /// The values that are being resolved: their paths, and how many values of the key are visible to them.
    open: Vec<(Vec<String>, usize)>,
    n_steps: usize,
}

impl<'a> Resolver<'a> {
    fn fields(&mut self, fields: &'a Fields, path: &[String]) -> Result<Data, HoconError> {
        let mut entries = Vec::new();
        for (key, values) in &fields.0 {
            let path = [path, std::slice::from_ref(key)].concat();
            if let Some(value) = self.values(values, &path)? {
                entries.push((Data::str(key.as_str()), value));
            }
        }
        Ok(Data::Hash(entries))
    }

    /// Returns the last value, merged over those before it as long as they are hashes.
    fn values(&mut self, values: &'a [Value], path: &[String]) -> Result<Option<Data>, HoconError> {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS || self.open.len() > MAX_OPEN {
            return Err(error("ArgumentError", "the document has too many substitutions"));
        }
        // A value that is no hash hides those before it, which are not resolved then.
        let may_merge = |value: &Value| {
            matches!(value, Value::Hash(_) | Value::Joined(_) | Value::Substitution { .. })
        };
        let first = values.iter().rposition(|value| !may_merge(value)).unwrap_or(0);
        let mut result: Option<Data> = None;
        for (index, value) in values.iter().enumerate().skip(first) {
            self.open.push((path.to_vec(), index));
            let resolved = self.value(value, path);
            self.open.pop();
            let Some(data) = resolved? else { continue };
            result = Some(match result {
                None => data,
                Some(under) => merge(data, under),
            });
        }
        Ok(result)
    }

    fn value(&mut self, value: &'a Value, path: &[String]) -> Result<Option<Data>, HoconError> {
        Ok(Some(match value {
            Value::Quoted(text) | Value::Space(text) => Data::str(text.as_str()),
            Value::Bare(text) => bare(text)?,
            Value::Array(items) => {
                let mut list = Vec::new();
                for item in items {
                    list.extend(self.value(item, path)?);
                }
                Data::Array(list)
            }
            Value::Hash(fields) => self.fields(fields, path)?,
            Value::Substitution { path, optional, line } => {
                return self.substitution(path, *optional, *line);
            }
            Value::Joined(parts) => return self.joined(parts, path),
        }))
    }

    fn substitution(
        &mut self,
        path: &[String],
        optional: bool,
        line: usize,
    ) -> Result<Option<Data>, HoconError> {
        // A value that refers to itself means the previous value of its key.
        let own = self.open.iter().rposition(|(open, _)| open.as_slice() == path);
        let value = match own {
            Some(place) if place + 1 == self.open.len() => {
                let before = self.open[place].1;
                self.lookup(path, before)?
            }
            Some(_) => return Err(cycle(&self.open, path, line)),
            None => self.lookup(path, usize::MAX)?,
        };
        if value.is_some() {
            return Ok(value);
        }
        if let Some(text) = (self.environment)(&path.join(".")) {
            return Ok(Some(Data::Str(text)));
        }
        if optional {
            return Ok(None);
        }
        let path = path.join(".");
        let message = format!("Could not resolve substitution to a value: ${{{path}}}");
        Err(unresolved(line, message))
    }

    /// Returns the value at a path, from the first `limit` values of its key.
    fn lookup(&mut self, path: &[String], limit: usize) -> Result<Option<Data>, HoconError> {
        let Some((last, parents)) = path.split_last() else { return Ok(None) };
        let root = self.root;
        if let Some(fields) = plain_fields(root, parents) {
            let Some(values) = fields.get(last) else { return Ok(None) };
            return self.values(&values[..values.len().min(limit)], path);
        }
        // The path does not lead through plain hashes only: resolve the parent, and look in the result.
        if parents.is_empty() {
            return Ok(None);
        }
        let above = self.lookup(parents, usize::MAX)?;
        Ok(above.and_then(|above| above.get(last).cloned()))
    }

    fn joined(&mut self, parts: &'a [Value], path: &[String]) -> Result<Option<Data>, HoconError> {
        let mut resolved: Vec<(&Value, Data)> = Vec::new();
        for part in parts {
            if let Some(data) = self.value(part, path)? {
                resolved.push((part, data));
            }
        }
        let nested: Vec<usize> = (0..resolved.len())
            .filter(|&i| matches!(resolved[i].1, Data::Array(_) | Data::Hash(_)))
            .collect();
        if nested.is_empty() {
            return Ok(text(&resolved));
        }
        resolved.retain(|(part, _)| !matches!(part, Value::Space(_)));
        let mut values = resolved.into_iter().map(|(_, data)| data);
        let Some(mut all) = values.next() else { return Ok(None) };
        for value in values {
            all = match (all, value) {
                (Data::Array(mut list), Data::Array(more)) => {
                    list.extend(more);
                    Data::Array(list)
                }
                (under @ Data::Hash(_), over @ Data::Hash(_)) => merge(over, under),
                _ => {
                    let message = "Cannot concatenate object or list with a non-object-or-list";
                    return Err(super::parse_error(1, message));
                }
            };
        }
        Ok(Some(all))
    }
}

/// Returns the fields at a path, if each key on it has a single value, which is a hash.
fn plain_fields<'a>(root: &'a Fields, path: &[String]) -> Option<&'a Fields> {
    path.iter().try_fold(root, |fields, key| match fields.get(key)? {
        [Value::Hash(inner)] => Some(inner),
        _ => None,
    })
}

/// Merges hashes: the keys of `over` come first, those that only `under` has after them.
fn merge(over: Data, under: Data) -> Data {
    let (Data::Hash(mut over), Data::Hash(under)) = (over.clone(), under) else { return over };
    for (key, value) in under {
        match over.iter_mut().find(|(name, _)| *name == key) {
            Some((_, present)) => *present = merge(std::mem::replace(present, Data::Nil), value),
            None => over.push((key, value)),
        }
    }
    Data::Hash(over)
}

/// Joins values on a line to one text, with the space between them.
fn text(parts: &[(&Value, Data)]) -> Option<Data> {
    if let [(_, only)] = parts {
        return Some(only.clone());
    }
    let mut out = String::new();
    for (part, data) in parts {
        match part {
            // A number is joined as written.
            Value::Bare(text) => out.push_str(text),
            _ => out.push_str(&if *data == Data::Nil {
                "null".to_owned()
            } else {
                tree::to_s(&tree::Tree::view(data))
            }),
        }
    }
    (!parts.is_empty()).then_some(Data::Str(out))
}

fn bare(text: &str) -> Result<Data, HoconError> {
    Ok(match text {
        "true" => Data::Bool(true),
        "false" => Data::Bool(false),
        "null" => Data::Nil,
        _ => match number(text) {
            Some(Number::Int(number)) => number.to_i64().map_or(Data::Big(number), Data::Int),
            Some(Number::Float(number)) if number.is_infinite() => {
                return Err(error("FloatDomainError", float::to_s(number)));
            }
            Some(Number::Float(number)) => Data::Float(number),
            None => Data::str(text),
        },
    })
}

fn cycle(open: &[(Vec<String>, usize)], path: &[String], line: usize) -> HoconError {
    let names: Vec<String> =
        open.iter().map(|(path, _)| format!("${{{}}}", path.join("."))).collect();
    let first = path.join(".");
    let message = format!(
        "Could not resolve substitution to a value: ${{{first}}} was part of a cycle of substitutions involving {}",
        names.join(", ")
    );
    unresolved(line, message)
}

fn unresolved(line: usize, message: String) -> HoconError {
    let class = "Hocon::ConfigError::UnresolvedSubstitutionError";
    HoconError { class, line: Some(line), message }
}
