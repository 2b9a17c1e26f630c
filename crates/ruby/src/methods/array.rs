//! `Array`: what leaves it as it is.

use std::rc::Rc;

use super::tools::{from_end, int};
use crate::run::{Args, Eval, Run};
use crate::value::{Key, List, RubyValue};

fn list(items: Vec<RubyValue>) -> Eval<Option<RubyValue>> {
    Ok(Some(RubyValue::array(items)))
}

impl Run<'_> {
    pub(crate) fn array_method(
        &mut self,
        this: &Rc<List>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if let Some(value) = self.array_read(this, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.array_combine(this, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.array_change(this, name, a)? {
            return Ok(Some(value));
        }
        let recv = RubyValue::Array(Rc::clone(this));
        self.enumerable(&recv, name, a)
    }

    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn array_read(&mut self, this: &Rc<List>, name: &str, a: Args<'_>) -> Eval<Option<RubyValue>> {
        let own = || RubyValue::Array(Rc::clone(this));
        match name {
            "each" => {
                let block = self.need_block(&a, name)?;
                let mut index = 0;
                loop {
                    let item = this.items.borrow().get(index).cloned();
                    let Some(item) = item else { break };
                    self.yield1(block, &item)?;
                    index += 1;
                }
                Ok(Some(own()))
            }
            "each_index" => {
                let block = self.need_block(&a, name)?;
                let mut index = 0;
                while index < this.items.borrow().len() {
                    self.yield1(block, &int(index))?;
                    index += 1;
                }
                Ok(Some(own()))
            }
            "length" | "size" => Ok(Some(int(this.items.borrow().len()))),
            "empty?" => Ok(Some(RubyValue::Bool(this.items.borrow().is_empty()))),
            "[]" | "slice" => self.array_index(this, a).map(Some),
            "at" => {
                self.arity(a, 1, 1)?;
                self.array_index(this, a).map(Some)
            }
            "dig" => {
                let first = self.array_index(this, Args::new(&a.items[..1.min(a.len())]))?;
                self.dig_rest(&first, a).map(Some)
            }
            "fetch" => {
                let index = self.int_arg(&a.get(0))?;
                let len = this.items.borrow().len();
                let found =
                    from_end(index, len).and_then(|index| this.items.borrow().get(index).cloned());
                match (found, a.block, a.items.get(1)) {
                    (Some(value), ..) => Ok(Some(value)),
                    (None, Some(block), _) => self.yield1(block, &a.get(0)).map(Some),
                    (None, None, Some(default)) => Ok(Some(default.clone())),
                    (None, None, None) => {
                        let sign = if len > 0 { "-" } else { "" };
                        let message =
                            format!("index {index} outside of array bounds: {sign}{len}...{len}");
                        self.raise("IndexError", message)
                    }
                }
            }
            "last" => {
                let items = this.items.borrow().clone();
                if a.is_empty() {
                    return Ok(Some(items.last().cloned().unwrap_or_default()));
                }
                let n = self.usize_arg(&a.items[0], "negative array size")?;
                list(items[items.len().saturating_sub(n)..].to_vec())
            }
            "join" => {
                let separator = match a.get(0) {
                    RubyValue::Nil => "".into(),
                    other => self.text_arg(&other)?,
                };
                let items = this.items.borrow().clone();
                Ok(Some(RubyValue::str(self.join(&items, &separator)?)))
            }
            "to_a" | "to_ary" | "entries" if a.is_empty() => Ok(Some(if name == "entries" {
                RubyValue::array(this.items.borrow().clone())
            } else {
                own()
            })),
            "inspect" | "to_s" => Ok(Some(RubyValue::str(self.inspect(&own())?))),
            "reverse" => list(this.items.borrow().iter().rev().cloned().collect()),
            "rotate" => {
                let mut items = this.items.borrow().clone();
                let by = if a.is_empty() { 1 } else { self.int_arg(&a.items[0])? };
                if let Ok(len) = i64::try_from(items.len())
                    && len > 0
                {
                    items.rotate_left(usize::try_from(by.rem_euclid(len)).unwrap_or(0));
                }
                list(items)
            }
            "compact" => {
                list(this.items.borrow().iter().filter(|item| !item.is_nil()).cloned().collect())
            }
            "flatten" => {
                let levels = if a.get(0).is_nil() { -1 } else { self.int_arg(&a.items[0])? };
                let items = this.items.borrow().clone();
                list(self.flatten(&items, levels)?.0)
            }
            "index" | "find_index" | "rindex" => {
                self.array_find(this, name == "rindex", a).map(Some)
            }
            "values_at" => {
                let mut values = Vec::new();
                for index in a.items {
                    let value = self.array_index(this, Args::new(std::slice::from_ref(index)))?;
                    match (index, value) {
                        (RubyValue::Range(_), RubyValue::Array(part)) => {
                            values.extend(part.items.borrow().clone())
                        }
                        (RubyValue::Range(_), _) => (),
                        (_, value) => values.push(value),
                    }
                }
                list(values)
            }
            "assoc" | "rassoc" => {
                let at = usize::from(name == "rassoc");
                for item in this.items.borrow().clone() {
                    let RubyValue::Array(pair) = &item else { continue };
                    let key = pair.items.borrow().get(at).cloned();
                    if let Some(key) = key
                        && self.equal(&key, &a.get(0))?
                    {
                        return Ok(Some(item));
                    }
                }
                Ok(Some(RubyValue::Nil))
            }
            "hash" => Ok(Some(int(this.items.borrow().len()))),
            "pack" => {
                let items = this.items.borrow().clone();
                self.pack(&items, a).map(Some)
            }
            "shuffle" | "sample" => {
                let items = this.items.borrow().clone();
                self.shuffled(items, name, a).map(Some)
            }
            "shelljoin" => {
                let mut words = Vec::new();
                for item in this.items.borrow().clone() {
                    words.push(self.to_s(&item)?);
                }
                Ok(Some(RubyValue::str(kukla_rubytext::shell::join(&words))))
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn dig_rest(&mut self, first: &RubyValue, a: Args<'_>) -> Eval {
        match a.items.get(1..) {
            Some(rest) if !rest.is_empty() && !first.is_nil() => {
                if !matches!(first, RubyValue::Array(_) | RubyValue::Hash(_) | RubyValue::Object(_))
                {
                    let class = crate::show::class_name(first);
                    return self.type_error(format!("{class} does not have #dig method"));
                }
                self.call(first, "dig", rest)
            }
            _ => Ok(first.clone()),
        }
    }

    fn array_index(&mut self, this: &Rc<List>, a: Args<'_>) -> Eval {
        self.arity(a, 1, 2)?;
        let items = this.items.borrow();
        let len = items.len();
        match (&a.items[0], a.items.get(1)) {
            (RubyValue::Int(index), None) => Ok(from_end(*index, len)
                .and_then(|index| items.get(index).cloned())
                .unwrap_or_default()),
            (RubyValue::Range(range), None) => {
                let range = Rc::clone(range);
                drop(items);
                let Some((start, count)) = self.range_span(&range, len)? else {
                    return Ok(RubyValue::Nil);
                };
                Ok(RubyValue::array(this.items.borrow()[start..(start + count).min(len)].to_vec()))
            }
            (start, Some(count)) => {
                drop(items);
                let (start, count) = (self.int_arg(start)?, self.int_arg(count)?);
                let start = from_end(start, len).filter(|&start| start <= len);
                let (Some(start), Ok(count)) = (start, usize::try_from(count)) else {
                    return Ok(RubyValue::Nil);
                };
                Ok(RubyValue::array(
                    this.items.borrow()[start..start.saturating_add(count).min(len)].to_vec(),
                ))
            }
            (other, None) => {
                drop(items);
                let index = self.int_arg(other)?;
                let items = this.items.borrow();
                Ok(from_end(index, len)
                    .and_then(|index| items.get(index).cloned())
                    .unwrap_or_default())
            }
        }
    }

    fn array_find(&mut self, this: &Rc<List>, last: bool, a: Args<'_>) -> Eval {
        let items = this.items.borrow().clone();
        let mut order: Vec<usize> = (0..items.len()).collect();
        if last {
            order.reverse();
        }
        for index in order {
            let hit = match (a.items.first(), a.block) {
                (Some(value), _) => self.equal(&items[index], value)?,
                (None, Some(block)) => self.yield1(block, &items[index])?.truthy(),
                (None, None) => return self.unsupported("index without a block"),
            };
            if hit {
                return Ok(int(index));
            }
        }
        Ok(RubyValue::Nil)
    }

    /// Two arrays make one.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn array_combine(
        &mut self,
        this: &Rc<List>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "+" => {
                let mut items = this.items.borrow().clone();
                items.extend(self.array_arg(&a.get(0))?);
                self.charge(items.len() * 24)?;
                list(items)
            }
            "-" | "difference" => {
                let mut items = this.items.borrow().clone();
                for other in a.items {
                    let gone = keys(&self.array_arg(other)?);
                    items.retain(|item| !gone.contains_key(&Key::new(item)));
                }
                list(items)
            }
            "&" | "intersection" => {
                let mut items = this.items.borrow().clone();
                for other in a.items {
                    let kept = keys(&self.array_arg(other)?);
                    items.retain(|item| kept.contains_key(&Key::new(item)));
                }
                list(self.unique(&items, None)?)
            }
            "|" | "union" => {
                let mut items = this.items.borrow().clone();
                for other in a.items {
                    items.extend(self.array_arg(other)?);
                }
                list(self.unique(&items, None)?)
            }
            "intersect?" => {
                let kept = keys(&self.array_arg(&a.get(0))?);
                let has = this.items.borrow().iter().any(|item| kept.contains_key(&Key::new(item)));
                Ok(Some(RubyValue::Bool(has)))
            }
            "*" => {
                if let RubyValue::Str(separator) = a.get(0) {
                    let separator = separator.text.borrow().clone();
                    let items = this.items.borrow().clone();
                    return Ok(Some(RubyValue::str(self.join(&items, &separator)?)));
                }
                let times = self.usize_arg(&a.get(0), "argument must be non-negative")?;
                let items = this.items.borrow().clone();
                self.charge(items.len().saturating_mul(times).saturating_mul(24))?;
                list(std::iter::repeat_n(items, times).flatten().collect())
            }
            "==" => {
                let other = a.get(0);
                Ok(Some(RubyValue::Bool(self.equal(&RubyValue::Array(Rc::clone(this)), &other)?)))
            }
            "eql?" => Ok(Some(RubyValue::Bool(crate::value::eql(
                &RubyValue::Array(Rc::clone(this)),
                &a.get(0),
            )))),
            "<=>" => {
                let order = match a.get(0) {
                    other @ RubyValue::Array(_) => {
                        self.compare(&RubyValue::Array(Rc::clone(this)), &other)?
                    }
                    _ => None,
                };
                Ok(Some(order.map_or(RubyValue::Nil, |order| RubyValue::Int(order as i64))))
            }
            "transpose" => {
                let mut rows = Vec::new();
                for row in this.items.borrow().clone() {
                    rows.push(self.array_arg(&row)?);
                }
                let width = rows.first().map_or(0, Vec::len);
                if let Some(row) = rows.iter().find(|row| row.len() != width) {
                    let message = format!("element size differs ({} should be {width})", row.len());
                    return self.raise("IndexError", message);
                }
                let column =
                    |at: usize| RubyValue::array(rows.iter().map(|row| row[at].clone()).collect());
                list((0..width).map(column).collect())
            }
            "product" => {
                let mut lists = vec![this.items.borrow().clone()];
                for other in a.items {
                    lists.push(self.array_arg(other)?);
                }
                let total = lists.iter().fold(1_usize, |n, list| n.saturating_mul(list.len()));
                self.charge(total.saturating_mul(48))?;
                let mut rows: Vec<Vec<RubyValue>> = vec![Vec::new()];
                for list in &lists {
                    let with = |row: &Vec<RubyValue>, item: &RubyValue| {
                        row.iter().chain([item]).cloned().collect()
                    };
                    rows = rows
                        .iter()
                        .flat_map(|row| list.iter().map(|item| with(row, item)).collect::<Vec<_>>())
                        .collect();
                }
                list(rows.into_iter().map(RubyValue::array).collect())
            }
            "combination" | "permutation" => {
                let n = if a.is_empty() {
                    this.items.borrow().len()
                } else {
                    self.usize_arg(&a.items[0], "negative")?
                };
                let items = this.items.borrow().clone();
                if items.len() > 12 {
                    return self.unsupported("combinations of many elements");
                }
                let rows: Vec<RubyValue> = choose(&items, n, name == "permutation")
                    .into_iter()
                    .map(RubyValue::array)
                    .collect();
                match a.block {
                    Some(block) => {
                        for row in &rows {
                            self.yield1(block, row)?;
                        }
                        Ok(Some(RubyValue::Array(Rc::clone(this))))
                    }
                    None => list(rows),
                }
            }
            _ => Ok(None),
        }
    }
}

fn keys(items: &[RubyValue]) -> crate::value::Entries {
    items.iter().map(|item| (Key::new(item), RubyValue::Nil)).collect()
}

/// All ways to choose, in Ruby's order.
fn choose(items: &[RubyValue], n: usize, ordered: bool) -> Vec<Vec<RubyValue>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut rows = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let rest: Vec<RubyValue> = if ordered {
            items
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != index)
                .map(|(_, item)| item.clone())
                .collect()
        } else {
            items[index + 1..].to_vec()
        };
        for mut row in choose(&rest, n - 1, ordered) {
            row.insert(0, item.clone());
            rows.push(row);
        }
    }
    rows
}
