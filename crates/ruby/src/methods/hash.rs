//! `Hash`: what leaves it as it is.

use std::rc::Rc;

use super::tools::int;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Map, RubyValue};

fn yes(value: bool) -> Eval<Option<RubyValue>> {
    Ok(Some(RubyValue::Bool(value)))
}

impl Run<'_> {
    pub(crate) fn hash_method(
        &mut self,
        this: &Rc<Map>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if let Some(value) = self.hash_read(this, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.hash_select(this, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.hash_change(this, name, a)? {
            return Ok(Some(value));
        }
        let recv = RubyValue::Hash(Rc::clone(this));
        self.enumerable(&recv, name, a)
    }

    /// The value of a key, or the default.
    pub(crate) fn hash_get(&mut self, this: &Rc<Map>, key: &RubyValue) -> Eval {
        if let Some(value) = this.entries.borrow().get(&Key(key.clone())) {
            return Ok(value.clone());
        }
        let block = this.default_proc.borrow().clone();
        match block {
            Some(block) => self.yield2(&block, &RubyValue::Hash(Rc::clone(this)), key),
            None => Ok(this.default.borrow().clone()),
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn hash_read(&mut self, this: &Rc<Map>, name: &str, a: Args<'_>) -> Eval<Option<RubyValue>> {
        let own = || RubyValue::Hash(Rc::clone(this));
        let find = |key: &RubyValue| this.entries.borrow().get(&Key(key.clone())).cloned();
        match name {
            "[]" => {
                self.arity(a, 1, 1)?;
                self.hash_get(this, &a.items[0]).map(Some)
            }
            "key?" | "has_key?" | "include?" | "member?" => {
                self.arity(a, 1, 1)?;
                yes(find(&a.items[0]).is_some())
            }
            "flatten" => {
                self.arity(a, 0, 1)?;
                let levels = if a.is_empty() { 1 } else { self.int_arg(&a.items[0])? };
                let pairs: Vec<RubyValue> = this
                    .entries
                    .borrow()
                    .iter()
                    .map(|(key, value)| RubyValue::array(vec![key.0.clone(), value.clone()]))
                    .collect();
                let flat = self.flatten(&pairs, levels)?.0;
                Ok(Some(RubyValue::array(flat)))
            }
            "fetch" => {
                self.arity(a, 1, 2)?;
                match (find(&a.items[0]), a.block, a.items.get(1)) {
                    (Some(value), ..) => Ok(Some(value)),
                    (None, Some(block), _) => self.yield1(block, &a.items[0]).map(Some),
                    (None, None, Some(default)) => Ok(Some(default.clone())),
                    (None, None, None) => {
                        let shown = self.inspect(&a.items[0])?;
                        self.raise("KeyError", format!("key not found: {shown}"))
                    }
                }
            }
            "dig" => {
                let first = self.hash_get(this, &a.get(0))?;
                self.dig_rest(&first, a).map(Some)
            }
            "each" | "each_pair" => {
                let block = self.need_block(&a, name)?;
                let mut index = 0;
                loop {
                    let entry = this
                        .entries
                        .borrow()
                        .get_index(index)
                        .map(|(key, value)| (key.0.clone(), value.clone()));
                    let Some((key, value)) = entry else { break };
                    self.yield1(block, &RubyValue::array(vec![key.clone(), value]))?;
                    // The entry may have been deleted by the block.
                    let stays = this
                        .entries
                        .borrow()
                        .get_index(index)
                        .is_some_and(|(now, _)| *now == Key(key));
                    index += usize::from(stays);
                }
                Ok(Some(own()))
            }
            "each_key" | "each_value" => {
                let block = self.need_block(&a, name)?;
                for (key, value) in this.entries.borrow().clone() {
                    self.yield1(block, if name == "each_key" { &key.0 } else { &value })?;
                }
                Ok(Some(own()))
            }
            "keys" => Ok(Some(RubyValue::array(
                this.entries.borrow().keys().map(|key| key.0.clone()).collect(),
            ))),
            "values" => {
                Ok(Some(RubyValue::array(this.entries.borrow().values().cloned().collect())))
            }
            "length" | "size" => Ok(Some(int(this.entries.borrow().len()))),
            "count" if a.is_empty() && a.block.is_none() => {
                Ok(Some(int(this.entries.borrow().len())))
            }
            "empty?" => yes(this.entries.borrow().is_empty()),
            "any?" if a.is_empty() && a.block.is_none() => yes(!this.entries.borrow().is_empty()),
            "value?" | "has_value?" => {
                let values: Vec<RubyValue> = this.entries.borrow().values().cloned().collect();
                yes(self.includes(&values, &a.get(0))?)
            }
            "key" => {
                for (key, value) in this.entries.borrow().clone() {
                    if self.equal(&value, &a.get(0))? {
                        return Ok(Some(key.0));
                    }
                }
                Ok(Some(RubyValue::Nil))
            }
            "values_at" | "fetch_values" => {
                let mut values = Vec::new();
                for key in a.items {
                    values.push(if name == "values_at" {
                        self.hash_get(this, key)?
                    } else {
                        let args = Args { items: std::slice::from_ref(key), ..a };
                        self.hash_read(this, "fetch", args)?.unwrap_or_default()
                    });
                }
                Ok(Some(RubyValue::array(values)))
            }
            "to_h" | "to_hash" if a.block.is_none() => Ok(Some(own())),
            "to_s" | "inspect" => Ok(Some(RubyValue::str(self.inspect(&own())?))),
            "==" | "eql?" => yes(self.equal(&own(), &a.get(0))?),
            "<=" | ">=" | "<" | ">" => {
                let RubyValue::Hash(other) = a.get(0) else {
                    return self.no_conversion(&a.get(0), "Hash");
                };
                let (less, more) =
                    if name.starts_with('<') { (this, &other) } else { (&other, this) };
                let (less, more) = (less.entries.borrow().clone(), more.entries.borrow().clone());
                for (key, value) in &less {
                    match more.get(key) {
                        Some(other) if self.equal(value, other)? => (),
                        _ => return yes(false),
                    }
                }
                yes(name.len() == 2 || less.len() < more.len())
            }
            "default" => Ok(Some(this.default.borrow().clone())),
            "hash" => Ok(Some(int(this.entries.borrow().len()))),
            "assoc" => Ok(Some(
                find(&a.get(0))
                    .map_or(RubyValue::Nil, |value| RubyValue::array(vec![a.get(0), value])),
            )),
            "compare_by_identity" => self.unsupported("method Hash#compare_by_identity"),
            _ => Ok(None),
        }
    }

    /// A hash made of this one. Blocks get key and value as two arguments.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn hash_select(&mut self, this: &Rc<Map>, name: &str, a: Args<'_>) -> Eval<Option<RubyValue>> {
        let entries = || this.entries.borrow().clone();
        let mut out = Entries::default();
        match name {
            "select" | "filter" | "reject" => {
                let block = self.need_block(&a, name)?;
                for (key, value) in entries() {
                    if self.yield2(block, &key.0, &value)?.truthy() == (name != "reject") {
                        out.insert(key, value);
                    }
                }
            }
            "partition" | "min_by" | "max_by" | "group_by" | "sort_by" | "find" | "detect"
            | "find_all" => return Ok(None),
            "transform_values" => {
                let block = self.need_block(&a, name)?;
                for (key, value) in entries() {
                    let value = self.yield1(block, &value)?;
                    out.insert(key, value);
                }
            }
            "transform_keys" => {
                for (key, value) in entries() {
                    let mapped = match &a.get(0) {
                        RubyValue::Hash(map) => map.entries.borrow().get(&key).cloned(),
                        _ => None,
                    };
                    let new = match (mapped, a.block) {
                        (Some(new), _) => new,
                        (None, Some(block)) => self.yield1(block, &key.0)?,
                        (None, None) => key.0.clone(),
                    };
                    out.insert(Key::new(&new), value);
                }
            }
            "merge" => {
                let copy = Rc::new(Map { entries: entries().into(), ..Map::default() });
                copy.default.replace(this.default.borrow().clone());
                copy.default_proc.replace(this.default_proc.borrow().clone());
                self.hash_merge(&copy, a)?;
                return Ok(Some(RubyValue::Hash(copy)));
            }
            "compact" => out = entries().into_iter().filter(|(_, value)| !value.is_nil()).collect(),
            "invert" => {
                out = entries().into_iter().map(|(key, value)| (Key::new(&value), key.0)).collect()
            }
            "slice" => {
                let all = entries();
                for key in a.items {
                    if let Some((key, value)) = all.get_key_value(&Key(key.clone())) {
                        out.insert(key.clone(), value.clone());
                    }
                }
            }
            "except" => {
                out = entries();
                for key in a.items {
                    out.shift_remove(&Key(key.clone()));
                }
            }
            "filter_map" | "flat_map" | "map" | "collect" => return Ok(None),
            "sum" | "each_with_index" => return Ok(None),
            "to_h" => {
                let block = self.need_block(&a, name)?;
                for (key, value) in entries() {
                    let pair = self.yield2(block, &key.0, &value)?;
                    let pair = match &pair {
                        RubyValue::Array(pair) if pair.items.borrow().len() == 2 => {
                            pair.items.borrow().clone()
                        }
                        RubyValue::Array(pair) => {
                            let n = pair.items.borrow().len();
                            return self.argument_error(format!(
                                "element has wrong array length (expected 2, was {n})"
                            ));
                        }
                        other => {
                            let class = crate::show::class_name(other);
                            return self.type_error(format!(
                                "wrong element type {class} (expected array)"
                            ));
                        }
                    };
                    out.insert(Key::new(&pair[0]), pair[1].clone());
                }
            }
            _ => return Ok(None),
        }
        self.charge(out.len() * 64)?;
        Ok(Some(RubyValue::hash(out)))
    }

    pub(super) fn hash_merge(&mut self, this: &Rc<Map>, a: Args<'_>) -> Eval<()> {
        for other in a.items {
            let RubyValue::Hash(other) = other else { return self.no_conversion(other, "Hash") };
            let other = other.entries.borrow().clone();
            self.charge(other.len() * 64)?;
            for (key, value) in other {
                let old = this.entries.borrow().get(&key).cloned();
                let value = match (old, a.block) {
                    (Some(old), Some(block)) => {
                        self.call_block(block, Args::new(&[key.0.clone(), old, value]))?
                    }
                    _ => value,
                };
                this.entries.borrow_mut().insert(key, value);
            }
        }
        Ok(())
    }
}
