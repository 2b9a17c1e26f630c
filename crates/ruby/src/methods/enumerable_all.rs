//! `Enumerable`: methods that look at every item.

use std::rc::Rc;

use super::table::{Builtin, iterator, method, with_block};
use super::tools::{int, list};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue, SIZE_OF_LIST};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<RubyValue>] = &[
    method("to_a", |run, this, _| list(run.items_of(this)?)),
    method("entries", |run, this, _| list(run.items_of(this)?)),
    iterator("map", map),
    iterator("collect", map),
    iterator("flat_map", flat_map),
    iterator("collect_concat", flat_map),
    iterator("filter_map", filter_map),
    iterator("each_entry", each_entry),
    iterator("reverse_each", reverse_each),
    iterator("each_with_index", each_with_index),
    iterator("each_with_object", each_with_object),
    method("each_slice", each_slice),
    method("each_cons", each_cons),
    method("zip", zip),
    with_block("cycle", cycle),
];

fn map(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut out = Vec::with_capacity(items.len());
    for item in &items {
        out.push(run.yield1(block, item)?);
    }
    run.charge(out.len() * 24)?;
    list(out)
}

fn flat_map(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let mut out = Vec::new();
    for item in run.items_of(this)? {
        match run.yield1(block, &item)? {
            RubyValue::Array(inner) => out.extend(inner.items.borrow().iter().cloned()),
            value => out.push(value),
        }
    }
    run.charge(out.len() * 24)?;
    list(out)
}

fn filter_map(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut out = Vec::new();
    for item in &items {
        let value = run.yield1(block, item)?;
        if value.truthy() {
            out.push(value);
        }
    }
    list(out)
}

fn each_entry(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for item in run.items_of(this)? {
        run.yield1(block, &item)?;
    }
    Ok(this.clone())
}

fn reverse_each(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    for item in run.items_of(this)?.iter().rev() {
        run.yield1(block, item)?;
    }
    Ok(this.clone())
}

fn each_with_index(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    for (index, item) in items.iter().enumerate() {
        run.yield2(block, item, &int(index))?;
    }
    Ok(this.clone())
}

fn each_with_object(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let memo = a.get(0);
    for item in &items {
        run.yield2(block, item, &memo)?;
    }
    Ok(memo)
}

fn each_slice(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let Some(n) = part_size(run, this, a, "invalid slice size")? else {
        return without_block(run, this, "each_slice", a);
    };
    let items = run.items_of(this)?;
    yield_parts(run, items.chunks(n), a)?;
    Ok(this.clone())
}

fn each_cons(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let Some(n) = part_size(run, this, a, "invalid size")? else {
        return without_block(run, this, "each_cons", a);
    };
    let items = run.items_of(this)?;
    yield_parts(run, items.windows(n), a)?;
    Ok(this.clone())
}

/// The size of the parts of a collection; `None` if there is no block to get them.
///
/// A size that makes no sense is refused before anything is iterated.
fn part_size(
    run: &mut Run<'_>,
    this: &RubyValue,
    a: Args<'_>,
    message: &str,
) -> Eval<Option<usize>> {
    let is_enumerator = a.block.is_none() && !matches!(this, RubyValue::Object(_));
    if is_enumerator && !matches!(a.items.first(), Some(RubyValue::Int(_))) {
        return Ok(None);
    }
    let n = run.int_arg(&a.get(0))?;
    match usize::try_from(n) {
        Ok(n) if n > 0 => Ok(a.block.map(|_| n)),
        _ => run.argument_error(message),
    }
}

/// Returns the result of an iterator without a block: an `Enumerator`, except for objects.
fn without_block(run: &mut Run<'_>, this: &RubyValue, name: &str, a: Args<'_>) -> Eval {
    match this {
        RubyValue::Object(_) => run.unsupported(format!("{name} without a block")),
        _ => Ok(run.enumerator(this, name, a)),
    }
}

fn yield_parts<'i>(
    run: &mut Run<'_>,
    parts: impl Iterator<Item = &'i [RubyValue]>,
    a: Args<'_>,
) -> Eval<()> {
    let Some(block) = a.block else { return Ok(()) };
    for part in parts {
        run.charge(SIZE_OF_LIST + size_of_val(part))?;
        run.yield1(block, &RubyValue::array(part.to_vec()))?;
    }
    Ok(())
}

fn zip(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let mut others = Vec::new();
    for other in a.items {
        others.push(run.items_of(other)?);
    }
    let row_size = SIZE_OF_LIST + size_of::<RubyValue>() * (others.len() + 2);
    run.charge(items.len().saturating_mul(row_size))?;
    let row = |index: usize, item: &RubyValue| {
        let mut row = vec![item.clone()];
        row.extend(others.iter().map(|other| other.get(index).cloned().unwrap_or_default()));
        RubyValue::array(row)
    };
    let rows: Vec<RubyValue> =
        items.iter().enumerate().map(|(index, item)| row(index, item)).collect();
    match a.block {
        Some(block) => {
            for row in &rows {
                run.yield1(block, row)?;
            }
            Ok(RubyValue::Nil)
        }
        None => list(rows),
    }
}

fn cycle(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let items = run.items_of(this)?;
    let times = if a.get(0).is_nil() { i64::MAX } else { run.int_arg(&a.items[0])? };
    for _ in 0..times {
        if items.is_empty() {
            break;
        }
        for item in &items {
            run.yield1(block, item)?;
        }
    }
    Ok(RubyValue::Nil)
}
