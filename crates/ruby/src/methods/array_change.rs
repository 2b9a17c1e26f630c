//! `Array`: methods that change it.

use std::rc::Rc;

use super::array::own;
use super::table::{Builtin, iterator, method, with_block};
use super::tools::{from_end, int, list};
use crate::run::{Args, Eval, Run};
use crate::value::{List, RubyValue};

/// The largest length to which an array may grow.
const MAX_LEN: usize = 1 << 24;

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<List>>] = &[
    method("<<", append),
    method("push", append),
    method("append", append),
    method("[]=", store),
    method("pop", pop),
    method("shift", shift),
    method("unshift", unshift),
    method("prepend", unshift),
    method("insert", insert),
    method("concat", concat),
    method("clear", clear),
    method("replace", replace),
    method("delete", delete),
    method("delete_at", delete_at),
    method("slice!", slice_in_place),
    method("fill", fill),
    iterator("delete_if", |run, this, _, a| in_place(run, this, "reject", a)),
    iterator("keep_if", |run, this, _, a| in_place(run, this, "select", a)),
    iterator("map!", |run, this, _, a| in_place(run, this, "map", a)),
    iterator("collect!", |run, this, _, a| in_place(run, this, "map", a)),
    method("sort!", |run, this, a| in_place(run, this, "sort", a)),
    with_block("sort_by!", |run, this, _, a| in_place(run, this, "sort_by", a)),
    method("reverse!", |run, this, a| in_place(run, this, "reverse", a)),
    method("rotate!", |run, this, a| in_place(run, this, "rotate", a)),
    iterator("select!", |run, this, _, a| in_place_or_nil(run, this, "select", a)),
    with_block("filter!", |run, this, _, a| in_place_or_nil(run, this, "select", a)),
    iterator("reject!", |run, this, _, a| in_place_or_nil(run, this, "reject", a)),
    method("flatten!", |run, this, a| in_place_or_nil(run, this, "flatten", a)),
    method("compact!", |run, this, a| in_place_or_nil(run, this, "compact", a)),
    method("uniq!", |run, this, a| in_place_or_nil(run, this, "uniq", a)),
    method("freeze", freeze),
    method("frozen?", |_, this, _| Ok(RubyValue::Bool(this.frozen.get()))),
];

fn append(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    run.charge(a.len() * 24)?;
    this.items.borrow_mut().extend_from_slice(a.items);
    Ok(own(this))
}

fn pop(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    if a.is_empty() {
        return Ok(this.items.borrow_mut().pop().unwrap_or_default());
    }
    let n = run.usize_arg(&a.items[0], "negative array size")?;
    let mut items = this.items.borrow_mut();
    let at = items.len().saturating_sub(n);
    list(items.split_off(at))
}

fn shift(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    if a.is_empty() {
        let mut items = this.items.borrow_mut();
        return Ok(if items.is_empty() { RubyValue::Nil } else { items.remove(0) });
    }
    let n = run.usize_arg(&a.items[0], "negative array size")?;
    let mut items = this.items.borrow_mut();
    let n = n.min(items.len());
    list(items.drain(..n).collect())
}

fn unshift(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    this.items.borrow_mut().splice(0..0, a.items.iter().cloned());
    Ok(own(this))
}

fn insert(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    let index = run.int_arg(&a.get(0))?;
    let len = this.items.borrow().len();
    let at = match index {
        -1 => Some(len),
        ..0 => from_end(index, len).map(|at| at + 1),
        _ => usize::try_from(index).ok(),
    };
    let Some(at) = at.filter(|&at| at < MAX_LEN) else {
        return run.raise(
            "IndexError",
            format!("index {index} too small for array; minimum: -{}", len + 1),
        );
    };
    let mut items = this.items.borrow_mut();
    if at > items.len() {
        items.resize(at, RubyValue::Nil);
    }
    items.splice(at..at, a.items.iter().skip(1).cloned());
    drop(items);
    Ok(own(this))
}

fn concat(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    for other in a.items {
        let more = run.array_arg(other)?;
        run.charge(more.len() * 24)?;
        this.items.borrow_mut().extend(more);
    }
    Ok(own(this))
}

fn clear(run: &mut Run<'_>, this: &Rc<List>, _a: Args<'_>) -> Eval {
    run.change_array(this)?;
    this.items.borrow_mut().clear();
    Ok(own(this))
}

fn replace(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    let new = run.array_arg(&a.get(0))?;
    this.items.replace(new);
    Ok(own(this))
}

fn delete(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    let mut kept = Vec::new();
    let mut gone = None;
    for item in this.items.borrow().clone() {
        if run.equal(&item, &a.get(0))? {
            gone = Some(item);
        } else {
            kept.push(item);
        }
    }
    this.items.replace(kept);
    match (gone, a.block) {
        (Some(item), _) => Ok(item),
        (None, Some(block)) => run.yield1(block, &a.get(0)),
        (None, None) => Ok(RubyValue::Nil),
    }
}

fn delete_at(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    let index = run.int_arg(&a.get(0))?;
    let mut items = this.items.borrow_mut();
    let at = from_end(index, items.len()).filter(|&at| at < items.len());
    Ok(at.map_or(RubyValue::Nil, |at| items.remove(at)))
}

fn slice_in_place(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    let taken = run.array_index(this, a)?;
    match &taken {
        RubyValue::Array(part) if a.len() > 1 || matches!(a.get(0), RubyValue::Range(_)) => {
            let len = this.items.borrow().len();
            let start = match a.get(0) {
                RubyValue::Range(range) => run.range_span(&range, len)?.map(|(start, _)| start),
                start => {
                    let start = run.int_arg(&start)?;
                    from_end(start, len)
                }
            };
            if let Some(start) = start {
                let end = start + part.items.borrow().len();
                this.items.borrow_mut().drain(start..end);
            }
        }
        _ => {
            delete_at(run, this, a)?;
        }
    }
    Ok(taken)
}

fn fill(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    if a.len() > 1 {
        return run.unsupported("fill of a part");
    }
    let len = this.items.borrow().len();
    for index in 0..len {
        let value = match (a.items.first(), a.block) {
            (Some(value), _) => value.clone(),
            (None, Some(block)) => run.yield1(block, &int(index))?,
            (None, None) => RubyValue::Nil,
        };
        this.items.borrow_mut()[index] = value;
    }
    Ok(own(this))
}

fn freeze(_run: &mut Run<'_>, this: &Rc<List>, _a: Args<'_>) -> Eval {
    this.frozen.set(true);
    Ok(own(this))
}

/// Replaces the items by the result of the method without `!`.
fn in_place(run: &mut Run<'_>, this: &Rc<List>, plain: &str, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    let new = run.builtin(&own(this), plain, a)?.unwrap_or_default();
    let new = run.array_arg(&new)?;
    this.items.replace(new);
    Ok(own(this))
}

/// Like [`in_place`], but returns `nil` if nothing changed.
fn in_place_or_nil(run: &mut Run<'_>, this: &Rc<List>, plain: &str, a: Args<'_>) -> Eval {
    let n_before = this.items.borrow().len();
    let is_nested = this.items.borrow().iter().any(|item| matches!(item, RubyValue::Array(_)));
    let result = in_place(run, this, plain, a)?;
    let is_same = this.items.borrow().len() == n_before && !(plain == "flatten" && is_nested);
    Ok(if is_same { RubyValue::Nil } else { result })
}

fn store(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    run.change_array(this)?;
    run.arity(a, 2, 3)?;
    let len = this.items.borrow().len();
    let value = a.items[a.len() - 1].clone();
    let span = match (&a.items[0], a.len()) {
        (RubyValue::Range(range), 2) => match run.range_span(range, len)? {
            Some(span) => Some(span),
            None => {
                let shown = crate::show::inspect(&a.items[0]);
                return run.raise("RangeError", format!("{shown} out of range"));
            }
        },
        (start, 3) => {
            let (start, count) = (run.int_arg(start)?, run.int_arg(&a.items[1])?);
            match (from_end(start, len), usize::try_from(count)) {
                (Some(start), Ok(count)) => Some((start, count)),
                _ => {
                    return run.raise(
                        "IndexError",
                        format!("index {start} too small for array; minimum: -{len}"),
                    );
                }
            }
        }
        _ => None,
    };
    if let Some((start, count)) = span {
        let new = match &value {
            RubyValue::Array(list) => list.items.borrow().clone(),
            other => vec![other.clone()],
        };
        let mut items = this.items.borrow_mut();
        if start > items.len() && start < MAX_LEN {
            items.resize(start, RubyValue::Nil);
        }
        let end = start.saturating_add(count).min(items.len());
        items.splice(start.min(end)..end, new);
        return Ok(value);
    }
    let index = run.int_arg(&a.items[0])?;
    match from_end(index, len) {
        Some(at) if at < MAX_LEN => {
            let mut items = this.items.borrow_mut();
            if at >= items.len() {
                items.resize(at + 1, RubyValue::Nil);
            }
            items[at] = value.clone();
            Ok(value)
        }
        Some(_) => run.unsupported("very long arrays"),
        None => {
            run.raise("IndexError", format!("index {index} too small for array; minimum: -{len}"))
        }
    }
}
