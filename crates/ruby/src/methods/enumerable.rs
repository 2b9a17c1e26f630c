//! `Enumerable`: what all collections have.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

use super::tools::int;
use crate::class::{Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Proc, ProcBody, RubyValue};

fn list(items: Vec<RubyValue>) -> Eval<Option<RubyValue>> {
    Ok(Some(RubyValue::array(items)))
}

fn yes(value: bool) -> Eval<Option<RubyValue>> {
    Ok(Some(RubyValue::Bool(value)))
}

/// Methods that give an `Enumerator` when there is no block.
pub(crate) fn is_iterator(recv: &RubyValue, name: &str) -> bool {
    match recv {
        RubyValue::Str(_) => matches!(name, "each_char" | "each_line" | "each_byte" | "upto"),
        RubyValue::Int(_) => matches!(name, "times" | "upto" | "downto" | "step"),
        RubyValue::Array(_) | RubyValue::Range(_) | RubyValue::Hash(_) => {
            is_collection_iterator(name)
        }
        _ => false,
    }
}

#[rustfmt::skip]
fn is_collection_iterator(name: &str) -> bool {
    matches!(
        name,
        "each" | "each_with_index" | "map" | "collect" | "select" | "filter" | "reject" | "each_pair" | "each_index"
            | "each_key" | "each_value" | "flat_map" | "collect_concat" | "group_by" | "partition" | "sort_by"
            | "min_by" | "max_by" | "each_entry" | "reverse_each" | "find_all" | "filter_map" | "each_with_object"
            | "each_slice" | "each_cons" | "step" | "delete_if" | "map!" | "collect!" | "select!" | "reject!" | "find"
            | "detect" | "take_while" | "drop_while" | "transform_values" | "transform_keys" | "keep_if"
    )
}

impl Run<'_> {
    pub(crate) fn enumerator(&mut self, recv: &RubyValue, name: &str, a: Args<'_>) -> RubyValue {
        let class = self.class_named("Enumerator");
        let data = Data::Enumerator(recv.clone(), name.into(), a.items.to_vec());
        RubyValue::Object(Rc::new(Object::new(class, data)))
    }

    pub(crate) fn native(
        &self,
        function: impl for<'a, 'b> Fn(&mut Run<'a>, Args<'b>) -> Eval + 'static,
    ) -> Rc<Proc> {
        Rc::new(Proc { body: ProcBody::Native(Rc::new(function)), is_lambda: false })
    }

    /// The elements that `each` or another iterator yields.
    pub(crate) fn collect_with(
        &mut self,
        recv: &RubyValue,
        method: &str,
        args: &[RubyValue],
    ) -> Eval<Vec<RubyValue>> {
        let items = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&items);
        let block = self.native(move |_, a| {
            sink.borrow_mut().push(packed(a));
            Ok(RubyValue::Nil)
        });
        self.call_with(recv, method, Args::with_block(args, Some(&block)))?;
        let items = items.borrow().clone();
        Ok(items)
    }

    pub(crate) fn collect_each(&mut self, value: &RubyValue) -> Eval<Vec<RubyValue>> {
        let RubyValue::Object(object) = value else { return self.unsupported("each") };
        let source = match &*object.data.borrow() {
            Data::Enumerator(recv, method, args) => {
                Some((recv.clone(), method.clone(), args.clone()))
            }
            Data::Set(set) => {
                return self.call(set, "keys", &[]).and_then(|keys| self.array_arg(&keys));
            }
            _ => None,
        };
        match source {
            Some((recv, method, args)) => self.collect_with(&recv, &method, &args),
            None => self.collect_with(value, "each", &[]),
        }
    }

    /// `with_index` and `with_object` of an enumerator.
    pub(crate) fn enumerator_method(
        &mut self,
        recv: &RubyValue,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let RubyValue::Object(object) = recv else { return Ok(None) };
        let (source, method, args) = match &*object.data.borrow() {
            Data::Enumerator(recv, method, args) => (recv.clone(), method.clone(), args.clone()),
            _ => return Ok(None),
        };
        match name {
            "with_index" | "each_with_index" => {
                let start = if a.get(0).is_nil() { 0 } else { self.int_arg(&a.items[0])? };
                let Some(block) = a.block.cloned() else {
                    return Ok(Some(self.enumerator(recv, name, a)));
                };
                let count = Cell::new(start);
                let counting = self.native(move |run, a| {
                    let index = count.replace(count.get() + 1);
                    run.yield2(&block, &packed(a), &RubyValue::Int(index))
                });
                self.call_with(&source, &method, Args::with_block(&args, Some(&counting))).map(Some)
            }
            "with_object" => {
                let Some(block) = a.block.cloned() else {
                    return self.unsupported("with_object without a block");
                };
                let memo = a.get(0);
                let object = memo.clone();
                let passing = self.native(move |run, a| run.yield2(&block, &packed(a), &object));
                self.call_with(&source, &method, Args::with_block(&args, Some(&passing)))?;
                Ok(Some(memo))
            }
            "each" => match a.block {
                Some(block) => {
                    self.call_with(&source, &method, Args::with_block(&args, Some(block))).map(Some)
                }
                None => Ok(Some(recv.clone())),
            },
            "size" => {
                let items = self.collect_each(recv)?;
                Ok(Some(int(items.len())))
            }
            "rewind" => Ok(Some(recv.clone())),
            "next" | "peek" | "lazy" => self.unsupported(format!("method Enumerator#{name}")),
            "inspect" | "to_s" => {
                let shown = self.inspect(&source)?;
                Ok(Some(RubyValue::str(format!("#<Enumerator: {shown}:{method}>"))))
            }
            _ => self.enumerable(recv, name, a),
        }
    }

    pub(crate) fn enumerable(
        &mut self,
        recv: &RubyValue,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if !super::known::is_enumerable(name) {
            return Ok(None);
        }
        let items = self.items_of(recv)?;
        if let Some(value) = self.enumerate_all(recv, &items, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.enumerate_some(&items, name, a)? {
            return Ok(Some(value));
        }
        self.enumerate_order(recv, &items, name, a)
    }

    /// Each element makes something of the result.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn enumerate_all(
        &mut self,
        recv: &RubyValue,
        items: &[RubyValue],
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "to_a" | "entries" => list(items.to_vec()),
            "map" | "collect" | "flat_map" | "collect_concat" => {
                let block = self.need_block(&a, name)?;
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    let value = self.yield1(block, item)?;
                    match value {
                        RubyValue::Array(inner) if name.len() > 7 || name == "flat_map" => {
                            out.extend(inner.items.borrow().iter().cloned());
                        }
                        value => out.push(value),
                    }
                }
                self.charge(out.len() * 24)?;
                list(out)
            }
            "filter_map" => {
                let block = self.need_block(&a, name)?;
                let mut out = Vec::new();
                for item in items {
                    let value = self.yield1(block, item)?;
                    if value.truthy() {
                        out.push(value);
                    }
                }
                list(out)
            }
            "each_entry" | "reverse_each" => {
                let block = self.need_block(&a, name)?;
                let mut items = items.to_vec();
                if name == "reverse_each" {
                    items.reverse();
                }
                for item in &items {
                    self.yield1(block, item)?;
                }
                Ok(Some(recv.clone()))
            }
            "each_with_index" => {
                let block = self.need_block(&a, name)?;
                for (index, item) in items.iter().enumerate() {
                    self.yield2(block, item, &int(index))?;
                }
                Ok(Some(recv.clone()))
            }
            "each_with_object" => {
                let block = self.need_block(&a, name)?;
                let memo = a.get(0);
                for item in items {
                    self.yield2(block, item, &memo)?;
                }
                Ok(Some(memo))
            }
            "inject" | "reduce" => self.inject(items, a).map(Some),
            "sum" => self.sum(items, a).map(Some),
            "each_slice" | "each_cons" => {
                let n = self.int_arg(&a.get(0))?;
                let Some(n) = usize::try_from(n).ok().filter(|&n| n > 0) else {
                    return self.argument_error(if name == "each_slice" {
                        "invalid slice size"
                    } else {
                        "invalid size"
                    });
                };
                let block = self.need_block(&a, name)?;
                let parts: Vec<RubyValue> = if name == "each_slice" {
                    items.chunks(n).map(|part| RubyValue::array(part.to_vec())).collect()
                } else {
                    items.windows(n).map(|part| RubyValue::array(part.to_vec())).collect()
                };
                for part in &parts {
                    self.yield1(block, part)?;
                }
                Ok(Some(recv.clone()))
            }
            "zip" => {
                let mut others = Vec::new();
                for other in a.items {
                    others.push(self.items_of(other)?);
                }
                let row = |index: usize, item: &RubyValue| {
                    let mut row = vec![item.clone()];
                    row.extend(
                        others.iter().map(|other| other.get(index).cloned().unwrap_or_default()),
                    );
                    RubyValue::array(row)
                };
                let rows: Vec<RubyValue> =
                    items.iter().enumerate().map(|(index, item)| row(index, item)).collect();
                match a.block {
                    Some(block) => {
                        for row in &rows {
                            self.yield1(block, row)?;
                        }
                        Ok(Some(RubyValue::Nil))
                    }
                    None => list(rows),
                }
            }
            "group_by" | "tally" | "to_h" | "to_set" | "partition" | "chunk_while"
            | "slice_when" | "each_index" => self.enumerate_groups(items, name, a),
            "cycle" => {
                let block = self.need_block(&a, name)?;
                let times = if a.get(0).is_nil() { i64::MAX } else { self.int_arg(&a.items[0])? };
                for _ in 0..times {
                    if items.is_empty() {
                        break;
                    }
                    for item in items {
                        self.yield1(block, item)?;
                    }
                }
                Ok(Some(RubyValue::Nil))
            }
            _ => Ok(None),
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn enumerate_groups(
        &mut self,
        items: &[RubyValue],
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "group_by" => {
                let block = self.need_block(&a, name)?;
                let mut groups: indexmap::IndexMap<
                    Key,
                    Vec<RubyValue>,
                    foldhash::fast::FixedState,
                > = indexmap::IndexMap::default();
                for item in items {
                    let key = Key::new(&self.yield1(block, item)?);
                    groups.entry(key).or_default().push(item.clone());
                }
                let entries =
                    groups.into_iter().map(|(key, items)| (key, RubyValue::array(items))).collect();
                Ok(Some(RubyValue::hash(entries)))
            }
            "tally" => {
                let mut counts = Entries::default();
                for item in items {
                    let count = counts.entry(Key::new(item)).or_insert(RubyValue::Int(0));
                    *count = RubyValue::Int(count.as_int().unwrap_or(0) + 1);
                }
                Ok(Some(RubyValue::hash(counts)))
            }
            "to_h" => {
                let mut entries = Entries::default();
                for (index, item) in items.iter().enumerate() {
                    let pair = match a.block {
                        Some(block) => self.yield1(block, item)?,
                        None => item.clone(),
                    };
                    let RubyValue::Array(pair) = &pair else {
                        let class = crate::show::class_name(&pair);
                        let what = if a.block.is_some() {
                            format!("wrong element type {class} (expected array)")
                        } else {
                            format!("wrong element type {class} at {index} (expected array)")
                        };
                        return self.type_error(what);
                    };
                    let pair = pair.items.borrow().clone();
                    let [key, value] = &pair[..] else {
                        let n = pair.len();
                        let what = if a.block.is_some() {
                            format!("element has wrong array length (expected 2, was {n})")
                        } else {
                            format!("wrong array length at {index} (expected 2, was {n})")
                        };
                        return self.argument_error(what);
                    };
                    entries.insert(Key::new(key), value.clone());
                }
                Ok(Some(RubyValue::hash(entries)))
            }
            "to_set" => self.make_set(items).map(Some),
            "partition" => {
                let block = self.need_block(&a, name)?;
                let (mut with, mut without) = (Vec::new(), Vec::new());
                for item in items {
                    let side =
                        if self.yield1(block, item)?.truthy() { &mut with } else { &mut without };
                    side.push(item.clone());
                }
                list(vec![RubyValue::array(with), RubyValue::array(without)])
            }
            "chunk_while" | "slice_when" => {
                let block = self.need_block(&a, name)?;
                let mut parts: Vec<Vec<RubyValue>> = Vec::new();
                for item in items {
                    let joins = match parts.last().and_then(|part| part.last()) {
                        Some(before) => {
                            self.yield2(block, &before.clone(), item)?.truthy()
                                == (name == "chunk_while")
                        }
                        None => false,
                    };
                    match parts.last_mut() {
                        Some(part) if joins => part.push(item.clone()),
                        _ => parts.push(vec![item.clone()]),
                    }
                }
                let parts = RubyValue::array(parts.into_iter().map(RubyValue::array).collect());
                Ok(Some(self.enumerator(&parts, "each", Args::new(&[]))))
            }
            _ => Ok(None),
        }
    }

    /// Some of the elements, or whether there are any.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn enumerate_some(
        &mut self,
        items: &[RubyValue],
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "select" | "filter" | "find_all" | "reject" => {
                let block = self.need_block(&a, name)?;
                let mut out = Vec::new();
                for item in items {
                    if self.yield1(block, item)?.truthy() == (name != "reject") {
                        out.push(item.clone());
                    }
                }
                list(out)
            }
            "find" | "detect" | "find_index" => {
                for (index, item) in items.iter().enumerate() {
                    let hit = match (a.items.first(), a.block) {
                        (Some(value), _) if name == "find_index" => self.equal(item, value)?,
                        (_, Some(block)) => self.yield1(block, item)?.truthy(),
                        _ => return self.unsupported("find without a block"),
                    };
                    if hit {
                        return Ok(Some(if name == "find_index" {
                            int(index)
                        } else {
                            item.clone()
                        }));
                    }
                }
                Ok(Some(RubyValue::Nil))
            }
            "first" if a.is_empty() => Ok(Some(items.first().cloned().unwrap_or_default())),
            "first" | "take" => {
                let n = self.usize_arg(
                    &a.get(0),
                    if name == "first" {
                        "negative array size"
                    } else {
                        "attempt to take negative size"
                    },
                )?;
                list(items[..n.min(items.len())].to_vec())
            }
            "drop" => {
                let n = self.usize_arg(&a.get(0), "attempt to drop negative size")?;
                list(items[n.min(items.len())..].to_vec())
            }
            "take_while" | "drop_while" => {
                let block = self.need_block(&a, name)?;
                let mut end = items.len();
                for (index, item) in items.iter().enumerate() {
                    if !self.yield1(block, item)?.truthy() {
                        end = index;
                        break;
                    }
                }
                list(if name == "take_while" {
                    items[..end].to_vec()
                } else {
                    items[end..].to_vec()
                })
            }
            "include?" | "member?" => {
                self.arity(a, 1, 1)?;
                yes(self.includes(items, &a.items[0])?)
            }
            "any?" | "all?" | "none?" | "one?" => {
                let mut hits = 0;
                for item in items {
                    let hit = match (a.items.first(), a.block) {
                        (Some(pattern), _) => {
                            self.call(pattern, "===", std::slice::from_ref(item))?.truthy()
                        }
                        (None, Some(block)) => self.yield1(block, item)?.truthy(),
                        (None, None) => item.truthy(),
                    };
                    hits += usize::from(hit);
                    match name {
                        "any?" if hit => return yes(true),
                        "all?" if !hit => return yes(false),
                        "none?" if hit => return yes(false),
                        _ => (),
                    }
                }
                yes(match name {
                    "any?" => false,
                    "one?" => hits == 1,
                    _ => true,
                })
            }
            "count" => {
                let mut hits = 0;
                for item in items {
                    let hit = match (a.items.first(), a.block) {
                        (Some(value), _) => self.equal(item, value)?,
                        (None, Some(block)) => self.yield1(block, item)?.truthy(),
                        (None, None) => true,
                    };
                    hits += usize::from(hit);
                }
                Ok(Some(int(hits)))
            }
            "grep" | "grep_v" => {
                let mut out = Vec::new();
                for item in items {
                    if self.call(&a.get(0), "===", std::slice::from_ref(item))?.truthy()
                        == (name == "grep")
                    {
                        out.push(match a.block {
                            Some(block) => self.yield1(block, item)?,
                            None => item.clone(),
                        });
                    }
                }
                list(out)
            }
            "uniq" => list(self.unique(items, a.block)?),
            "compact" => list(items.iter().filter(|item| !item.is_nil()).cloned().collect()),
            _ => Ok(None),
        }
    }

    fn enumerate_order(
        &mut self,
        _recv: &RubyValue,
        items: &[RubyValue],
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "sort" => list(self.sort(items.to_vec(), a.block)?),
            "sort_by" => {
                let block = self.need_block(&a, name)?;
                list(self.sort_by(items, block)?)
            }
            "min" | "max" | "minmax" => {
                if let Some(n) = a.items.first() {
                    let n = self.usize_arg(n, "negative size")?;
                    let mut sorted = self.sort(items.to_vec(), a.block)?;
                    if name == "max" {
                        sorted.reverse();
                    }
                    sorted.truncate(n);
                    return list(sorted);
                }
                let (mut least, mut most): (Option<RubyValue>, Option<RubyValue>) = (None, None);
                for item in items {
                    if replaces(self, a.block, item, least.as_ref(), Ordering::Less)? {
                        least = Some(item.clone());
                    }
                    if replaces(self, a.block, item, most.as_ref(), Ordering::Greater)? {
                        most = Some(item.clone());
                    }
                }
                let (least, most) = (least.unwrap_or_default(), most.unwrap_or_default());
                Ok(Some(match name {
                    "min" => least,
                    "max" => most,
                    _ => RubyValue::array(vec![least, most]),
                }))
            }
            "min_by" | "max_by" => {
                let block = self.need_block(&a, name)?;
                let wanted = if name == "min_by" { Ordering::Less } else { Ordering::Greater };
                let mut best: Option<(RubyValue, RubyValue)> = None;
                for item in items {
                    let key = self.yield1(block, item)?;
                    let better = match &best {
                        Some((known, _)) => self.order(&key, known)? == wanted,
                        None => true,
                    };
                    if better {
                        best = Some((key, item.clone()));
                    }
                }
                Ok(Some(best.map_or(RubyValue::Nil, |(_, item)| item)))
            }
            _ => Ok(None),
        }
    }

    fn inject(&mut self, items: &[RubyValue], a: Args<'_>) -> Eval {
        let (start, name) = match (a.items, a.block) {
            ([], Some(_)) => (None, None),
            ([start], Some(_)) => (Some(start.clone()), None),
            ([name], None) => (None, Some(self.name_arg(name)?)),
            ([start, name], _) => (Some(start.clone()), Some(self.name_arg(name)?)),
            _ => return self.wrong_arity(a.len(), "0..2"),
        };
        let mut items = items.iter();
        let Some(mut memo) = start.or_else(|| items.next().cloned()) else {
            return Ok(RubyValue::Nil);
        };
        for item in items {
            memo = match (&name, a.block) {
                (Some(name), _) => self.call(&memo, name, std::slice::from_ref(item))?,
                (None, Some(block)) => self.yield2(block, &memo, item)?,
                (None, None) => return Ok(memo),
            };
        }
        Ok(memo)
    }

    fn sum(&mut self, items: &[RubyValue], a: Args<'_>) -> Eval {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(match a.block {
                Some(block) => self.yield1(block, item)?,
                None => item.clone(),
            });
        }
        let mut sum = if a.is_empty() { RubyValue::Int(0) } else { a.get(0) };
        for (index, value) in values.iter().enumerate() {
            // Ruby sums floats more exactly than by adding them.
            if matches!(value, RubyValue::Float(_))
                && matches!(sum, RubyValue::Int(_) | RubyValue::Float(_))
            {
                return self.sum_floats(&sum, &values[index..]);
            }
            sum = self.call(&sum, "+", std::slice::from_ref(value))?;
        }
        Ok(sum)
    }

    /// Kahan and Babuška's sum.
    #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
    fn sum_floats(&mut self, start: &RubyValue, values: &[RubyValue]) -> Eval {
        let as_float = |value: &RubyValue| match value {
            RubyValue::Int(number) => Some(*number as f64),
            RubyValue::Float(number) => Some(*number),
            _ => None,
        };
        let (mut sum, mut lost) = (as_float(start).unwrap_or(0.0), 0.0);
        for (index, value) in values.iter().enumerate() {
            let Some(x) = as_float(value) else {
                let mut total = RubyValue::Float(sum + lost);
                for value in &values[index..] {
                    total = self.call(&total, "+", std::slice::from_ref(value))?;
                }
                return Ok(total);
            };
            if !x.is_finite() || !sum.is_finite() {
                sum += x;
                continue;
            }
            let next = sum + x;
            lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
            sum = next;
        }
        Ok(RubyValue::Float(sum + lost))
    }
}

/// Whether an element takes the place of the best so far.
fn replaces(
    run: &mut Run<'_>,
    block: Option<&Rc<Proc>>,
    item: &RubyValue,
    best: Option<&RubyValue>,
    wanted: Ordering,
) -> Eval<bool> {
    let Some(best) = best else { return Ok(true) };
    let order = match block {
        Some(block) => {
            let result = run.yield2(block, item, best)?;
            run.sign(&result, item, best)?
        }
        // Ruby asks the best so far, unless there is a block.
        None => run.order(best, item)?.reverse(),
    };
    Ok(order == wanted)
}

/// Several values that are yielded at once count as an array.
fn packed(a: Args<'_>) -> RubyValue {
    match a.items {
        [one] => one.clone(),
        many => RubyValue::array(many.to_vec()),
    }
}
