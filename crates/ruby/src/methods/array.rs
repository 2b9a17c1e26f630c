//! `Array`: methods that don't change it.

use std::rc::Rc;

use super::table::{Builtin, iterator, method, plain};
use super::tools::{from_end, int, list};
use crate::run::{Args, Eval, Run};
use crate::value::{List, Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<List>>] = &[
    iterator("each", each),
    iterator("each_index", each_index),
    method("length", |_, this, _| Ok(int(this.items.borrow().len()))),
    method("size", |_, this, _| Ok(int(this.items.borrow().len()))),
    method("empty?", |_, this, _| Ok(RubyValue::Bool(this.items.borrow().is_empty()))),
    method("[]", |run, this, a| run.array_index(this, a)).arity(1, 2),
    method("slice", |run, this, a| run.array_index(this, a)).arity(1, 2),
    method("at", |run, this, a| run.array_index(this, a)).arity(1, 1),
    method("dig", dig),
    method("fetch", fetch),
    method("last", last),
    method("join", join),
    method("to_a", |_, this, _| Ok(own(this))),
    plain("to_ary", |_, this, _| Ok(own(this))),
    method("entries", |_, this, _| list(this.items.borrow().clone())),
    method("inspect", |run, this, _| Ok(RubyValue::str(run.inspect(&own(this))?))),
    method("to_s", |run, this, _| Ok(RubyValue::str(run.inspect(&own(this))?))),
    method("reverse", |_, this, _| list(this.items.borrow().iter().rev().cloned().collect())),
    method("rotate", rotate),
    method("compact", compact),
    method("flatten", flatten),
    method("index", |run, this, a| run.array_find(this, false, a)),
    method("find_index", |run, this, a| run.array_find(this, false, a)),
    method("rindex", |run, this, a| run.array_find(this, true, a)),
    method("values_at", values_at),
    method("assoc", |run, this, a| pair_with(run, this, a, 0)),
    method("rassoc", |run, this, a| pair_with(run, this, a, 1)),
    method("hash", |_, this, _| Ok(int(this.items.borrow().len()))),
    method("pack", pack),
    method("shuffle", |run, this, a| run.shuffle(this.items.borrow().clone(), a)),
    method("sample", |run, this, a| run.sample(this.items.borrow().clone(), a)),
    method("shelljoin", shelljoin),
];

/// Returns the array itself as the result of a method.
pub(super) fn own(this: &Rc<List>) -> RubyValue {
    RubyValue::Array(Rc::clone(this))
}

fn each(run: &mut Run<'_>, this: &Rc<List>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let mut index = 0;
    loop {
        let item = this.items.borrow().get(index).cloned();
        let Some(item) = item else { break };
        run.yield1(block, &item)?;
        index += 1;
    }
    Ok(own(this))
}

fn each_index(run: &mut Run<'_>, this: &Rc<List>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let mut index = 0;
    while index < this.items.borrow().len() {
        run.yield1(block, &int(index))?;
        index += 1;
    }
    Ok(own(this))
}

fn dig(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let first = run.array_index(this, Args::new(&a.items[..1.min(a.len())]))?;
    run.dig_rest(&first, a)
}

fn fetch(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let index = run.int_arg(&a.get(0))?;
    let len = this.items.borrow().len();
    let found = from_end(index, len).and_then(|index| this.items.borrow().get(index).cloned());
    match (found, a.block, a.items.get(1)) {
        (Some(value), ..) => Ok(value),
        (None, Some(block), _) => run.yield1(block, &a.get(0)),
        (None, None, Some(default)) => Ok(default.clone()),
        (None, None, None) => {
            let sign = if len > 0 { "-" } else { "" };
            let message = format!("index {index} outside of array bounds: {sign}{len}...{len}");
            run.raise("IndexError", message)
        }
    }
}

fn last(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let items = this.items.borrow().clone();
    if a.is_empty() {
        return Ok(items.last().cloned().unwrap_or_default());
    }
    let n = run.usize_arg(&a.items[0], "negative array size")?;
    list(items[items.len().saturating_sub(n)..].to_vec())
}

fn join(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let separator = match a.get(0) {
        RubyValue::Nil => "".into(),
        other => run.text_arg(&other)?,
    };
    let items = this.items.borrow().clone();
    Ok(RubyValue::str(run.join(&items, &separator)?))
}

fn rotate(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let mut items = this.items.borrow().clone();
    let by = if a.is_empty() { 1 } else { run.int_arg(&a.items[0])? };
    if let Ok(len) = i64::try_from(items.len())
        && len > 0
    {
        items.rotate_left(usize::try_from(by.rem_euclid(len)).unwrap_or(0));
    }
    list(items)
}

fn compact(_run: &mut Run<'_>, this: &Rc<List>, _a: Args<'_>) -> Eval {
    list(this.items.borrow().iter().filter(|item| !item.is_nil()).cloned().collect())
}

fn flatten(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let levels = if a.get(0).is_nil() { -1 } else { run.int_arg(&a.items[0])? };
    let items = this.items.borrow().clone();
    list(run.flatten(&items, levels)?.0)
}

fn values_at(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let mut values = Vec::new();
    for index in a.items {
        let value = run.array_index(this, Args::new(std::slice::from_ref(index)))?;
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

/// Finds the first array within this one whose item at `at` is equal to the argument.
fn pair_with(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>, at: usize) -> Eval {
    for item in this.items.borrow().clone() {
        let RubyValue::Array(pair) = &item else { continue };
        let key = pair.items.borrow().get(at).cloned();
        if let Some(key) = key
            && run.equal(&key, &a.get(0))?
        {
            return Ok(item);
        }
    }
    Ok(RubyValue::Nil)
}

fn pack(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let items = this.items.borrow().clone();
    run.pack(&items, a)
}

fn shelljoin(run: &mut Run<'_>, this: &Rc<List>, _a: Args<'_>) -> Eval {
    let mut words = Vec::new();
    for item in this.items.borrow().clone() {
        words.push(run.to_s(&item)?);
    }
    Ok(RubyValue::str(kukla_rubytext::shell::join(&words)))
}

impl Run<'_> {
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

    /// `array[index]`, `array[range]`, `array[start, length]`
    pub(super) fn array_index(&mut self, this: &Rc<List>, a: Args<'_>) -> Eval {
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
}
