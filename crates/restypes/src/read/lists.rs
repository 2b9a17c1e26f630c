//! Methods of arrays and hashes.

use std::rc::Rc;

use super::value::{Closure, Value};
use super::{Jump, Reader};

impl Reader<'_> {
    pub(super) fn send_array(
        &mut self,
        items: &Rc<[Value]>,
        name: &str,
        args: &[Value],
        block: Option<&Rc<Closure>>,
    ) -> Result<Option<Value>, Jump> {
        if let Some(block) = block {
            return self.iterate(items, name, args, block);
        }
        Ok(plain(items, name, args))
    }

    fn iterate(
        &mut self,
        items: &Rc<[Value]>,
        name: &str,
        args: &[Value],
        block: &Rc<Closure>,
    ) -> Result<Option<Value>, Jump> {
        let is_each = matches!(name, "each" | "reverse_each" | "each_with_index" | "each_entry");
        let gives_items =
            matches!(name, "map" | "collect" | "flat_map" | "collect_concat" | "filter_map");
        let chooses = matches!(name, "select" | "filter" | "reject" | "find_all");
        let folds = matches!(name, "each_with_object" | "inject" | "reduce");
        if !(is_each || gives_items || chooses || folds) {
            return Ok(None);
        }
        let mut results = Vec::new();
        let mut folded = args.first().cloned().unwrap_or(Value::Nil);
        let list: Vec<Value> = match name {
            "reverse_each" => items.iter().rev().cloned().collect(),
            _ => items.to_vec(),
        };
        for (index, item) in list.into_iter().enumerate() {
            let block_args = match name {
                "each_with_index" => {
                    vec![item.clone(), Value::Int(i64::try_from(index).unwrap_or(0))]
                }
                "each_with_object" => vec![item.clone(), folded.clone()],
                "inject" | "reduce" if index == 0 && args.is_empty() => {
                    folded = item;
                    continue;
                }
                "inject" | "reduce" => vec![folded.clone(), item.clone()],
                _ => vec![item.clone()],
            };
            let outcome = match self.call_block(block, block_args, None) {
                Err(Jump::Break(value)) => return Ok(Some(value)),
                other => other?,
            };
            match name {
                "select" | "filter" | "find_all" | "reject" => match outcome.truth() {
                    Some(is_true) if is_true != (name == "reject") => results.push(item),
                    Some(_) => {}
                    None => return Ok(Some(Value::Unknown)),
                },
                "inject" | "reduce" => folded = outcome,
                "filter_map" if outcome.truth() == Some(false) => {}
                "flat_map" | "collect_concat" => match outcome {
                    Value::Array(inner) => results.extend(inner.iter().cloned()),
                    other => results.push(other),
                },
                _ => results.push(outcome),
            }
        }
        Ok(Some(match () {
            () if is_each => Value::Array(Rc::clone(items)),
            // Changes in place are not tracked.
            () if name == "each_with_object" => Value::Unknown,
            () if folds => folded,
            () => Value::array(results),
        }))
    }

    pub(super) fn send_hash(
        &mut self,
        pairs: &Rc<[(Value, Value)]>,
        name: &str,
        args: &[Value],
        block: Option<&Rc<Closure>>,
    ) -> Result<Option<Value>, Jump> {
        let as_arrays = || -> Rc<[Value]> {
            let pair = |(key, value): &(Value, Value)| vec![key.clone(), value.clone()];
            pairs.iter().map(|both| Value::array(pair(both))).collect()
        };
        if let Some(block) = block {
            let (items, name): (Rc<[Value]>, &str) = match name {
                "each_pair" => (as_arrays(), "each"),
                "each_key" => (pairs.iter().map(|(key, _)| key.clone()).collect(), "each"),
                "each_value" => (pairs.iter().map(|(_, value)| value.clone()).collect(), "each"),
                "each" | "map" | "collect" | "flat_map" | "each_with_index" => (as_arrays(), name),
                _ => return Ok(None),
            };
            return self.iterate(&items, name, args, block);
        }
        let hash = Value::Hash(Rc::clone(pairs));
        Ok(match (name, args) {
            ("keys", []) => Some(Value::array(pairs.iter().map(|(key, _)| key.clone()).collect())),
            ("values", []) => {
                Some(Value::array(pairs.iter().map(|(_, value)| value.clone()).collect()))
            }
            ("to_a", []) => Some(Value::Array(as_arrays())),
            ("[]" | "fetch" | "dig", [key]) => {
                let entry = pairs.iter().rev().find(|(other, _)| other.equals(key) == Some(true));
                Some(entry.map_or(Value::Nil, |(_, value)| value.clone()))
            }
            ("key?" | "has_key?" | "include?" | "member?", [key]) => {
                Some(Value::Bool(pairs.iter().any(|(other, _)| other.equals(key) == Some(true))))
            }
            ("merge" | "merge!" | "update", [Value::Hash(other)]) => {
                Some(Value::hash(pairs.iter().chain(other.iter()).cloned().collect()))
            }
            ("empty?", []) => Some(Value::Bool(pairs.is_empty())),
            ("delete", [key]) => hash.at(key.text().map_or("", |text| text)).cloned(),
            _ => None,
        })
    }
}

/// Calls a method of arrays without a block.
fn plain(items: &Rc<[Value]>, name: &str, args: &[Value]) -> Option<Value> {
    let all = || items.iter().cloned();
    Some(match (name, args) {
        ("+" | "concat" | "|", [Value::Array(other)]) => {
            Value::array(all().chain(other.iter().cloned()).collect())
        }
        ("<<" | "push" | "append", [item]) => Value::array(all().chain([item.clone()]).collect()),
        ("unshift", [item]) => Value::array([item.clone()].into_iter().chain(all()).collect()),
        ("-", [Value::Array(other)]) => {
            let is_other =
                |item: &Value| other.iter().any(|other| item.equals(other) == Some(true));
            Value::array(all().filter(|item| !is_other(item)).collect())
        }
        ("first", []) => items.first().cloned().unwrap_or(Value::Nil),
        ("last", []) => items.last().cloned().unwrap_or(Value::Nil),
        ("[]", [Value::Int(index)]) => {
            let index = usize::try_from(*index).ok()?;
            items.get(index).cloned().unwrap_or(Value::Nil)
        }
        ("flatten", []) => Value::array(flat(items)),
        ("compact", []) => Value::array(all().filter(|item| !matches!(item, Value::Nil)).collect()),
        ("uniq", []) => {
            let mut unique: Vec<Value> = Vec::new();
            for item in all() {
                if !unique.iter().any(|other| other.equals(&item) == Some(true)) {
                    unique.push(item);
                }
            }
            Value::array(unique)
        }
        ("reverse", []) => Value::array(items.iter().rev().cloned().collect()),
        ("to_a" | "each" | "sort", []) => Value::Array(Rc::clone(items)),
        ("join", [by]) => {
            let texts: Option<Vec<String>> = items.iter().map(Value::to_s).collect();
            Value::str(&texts?.join(by.text()?))
        }
        ("join", []) => Value::str(&items.iter().map(Value::to_s).collect::<Option<String>>()?),
        ("include?" | "member?", [item]) => {
            let equalities: Option<Vec<bool>> =
                items.iter().map(|other| other.equals(item)).collect();
            Value::Bool(equalities?.contains(&true))
        }
        ("empty?", []) => Value::Bool(items.is_empty()),
        ("length" | "size" | "count", []) => Value::Int(i64::try_from(items.len()).ok()?),
        ("to_h", []) => {
            let pair = |item: &Value| match item {
                Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
                _ => None,
            };
            Value::hash(items.iter().map(pair).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

fn flat(items: &[Value]) -> Vec<Value> {
    let parts = items.iter().flat_map(|item| match item {
        Value::Array(inner) => flat(inner),
        other => vec![other.clone()],
    });
    parts.collect()
}
