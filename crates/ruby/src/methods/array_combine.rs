//! `Array`: methods that combine arrays.

use std::rc::Rc;

use super::table::{Builtin, method};
use super::tools::list;
use crate::run::{Args, Eval, Run};
use crate::value::{Key, List, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<List>>] = &[
    method("+", add),
    method("-", subtract),
    method("difference", subtract),
    method("&", intersection),
    method("intersection", intersection),
    method("|", union),
    method("union", union),
    method("intersect?", intersects),
    method("*", repeat),
    method("==", equal),
    method("eql?", is_eql),
    method("<=>", compare),
    method("transpose", transpose),
    method("product", product),
    method("combination", |run, this, a| choices(run, this, a, false)),
    method("permutation", |run, this, a| choices(run, this, a, true)),
];

fn add(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let more = run.array_arg(&a.get(0))?;
    run.charge((this.items.borrow().len() + more.len()) * size_of::<RubyValue>())?;
    let mut items = this.items.borrow().clone();
    items.extend(more);
    list(items)
}

fn subtract(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let mut items = this.items.borrow().clone();
    for other in a.items {
        let gone = keys(&run.array_arg(other)?);
        items.retain(|item| !gone.contains_key(&Key::new(item)));
    }
    list(items)
}

fn intersection(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let mut items = this.items.borrow().clone();
    for other in a.items {
        let kept = keys(&run.array_arg(other)?);
        items.retain(|item| kept.contains_key(&Key::new(item)));
    }
    list(run.unique(&items, None)?)
}

fn union(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let mut items = this.items.borrow().clone();
    for other in a.items {
        items.extend(run.array_arg(other)?);
    }
    list(run.unique(&items, None)?)
}

fn intersects(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let kept = keys(&run.array_arg(&a.get(0))?);
    let has = this.items.borrow().iter().any(|item| kept.contains_key(&Key::new(item)));
    Ok(RubyValue::Bool(has))
}

fn repeat(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    if let RubyValue::Str(separator) = a.get(0) {
        let separator = separator.text.borrow().clone();
        let items = this.items.borrow().clone();
        return Ok(RubyValue::str(run.join(&items, &separator)?));
    }
    let times = run.usize_arg(&a.get(0), "argument must be non-negative")?;
    let items = this.items.borrow().clone();
    run.charge(items.len().saturating_mul(times).saturating_mul(24))?;
    list(std::iter::repeat_n(items, times).flatten().collect())
}

fn equal(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let other = a.get(0);
    Ok(RubyValue::Bool(run.equal(&RubyValue::Array(Rc::clone(this)), &other)?))
}

fn is_eql(_run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    Ok(RubyValue::Bool(crate::value::eql(&RubyValue::Array(Rc::clone(this)), &a.get(0))))
}

fn compare(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let order = match a.get(0) {
        other @ RubyValue::Array(_) => run.compare(&RubyValue::Array(Rc::clone(this)), &other)?,
        _ => None,
    };
    Ok(order.map_or(RubyValue::Nil, |order| RubyValue::Int(order as i64)))
}

fn transpose(run: &mut Run<'_>, this: &Rc<List>, _a: Args<'_>) -> Eval {
    let mut rows = Vec::new();
    for row in this.items.borrow().clone() {
        rows.push(run.array_arg(&row)?);
    }
    let width = rows.first().map_or(0, Vec::len);
    if let Some(row) = rows.iter().find(|row| row.len() != width) {
        let message = format!("element size differs ({} should be {width})", row.len());
        return run.raise("IndexError", message);
    }
    let column = |at: usize| RubyValue::array(rows.iter().map(|row| row[at].clone()).collect());
    list((0..width).map(column).collect())
}

fn product(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>) -> Eval {
    let mut lists = vec![this.items.borrow().clone()];
    for other in a.items {
        lists.push(run.array_arg(other)?);
    }
    let total = lists.iter().fold(1_usize, |n, list| n.saturating_mul(list.len()));
    run.charge(total.saturating_mul(24 * lists.len() + 72))?;
    let mut rows: Vec<Vec<RubyValue>> = vec![Vec::new()];
    for list in &lists {
        let with =
            |row: &Vec<RubyValue>, item: &RubyValue| row.iter().chain([item]).cloned().collect();
        rows = rows
            .iter()
            .flat_map(|row| list.iter().map(|item| with(row, item)).collect::<Vec<_>>())
            .collect();
    }
    list(rows.into_iter().map(RubyValue::array).collect())
}

fn choices(run: &mut Run<'_>, this: &Rc<List>, a: Args<'_>, ordered: bool) -> Eval {
    let n = if a.is_empty() {
        this.items.borrow().len()
    } else {
        run.usize_arg(&a.items[0], "negative")?
    };
    let items = this.items.borrow().clone();
    if items.len() > 12 {
        return run.unsupported("combinations of many elements");
    }
    let n_rows = (0..n.min(items.len())).fold(1_usize, |rows, chosen| {
        let rows = rows.saturating_mul(items.len() - chosen);
        if ordered { rows } else { rows / (chosen + 1) }
    });
    // A row is made of its elements, an array, and the list that it is in while it grows.
    run.charge(n_rows.saturating_mul(n.saturating_mul(24) + 96))?;
    let rows: Vec<RubyValue> =
        choose(&items, n, ordered).into_iter().map(RubyValue::array).collect();
    match a.block {
        Some(block) => {
            for row in &rows {
                run.yield1(block, row)?;
            }
            Ok(RubyValue::Array(Rc::clone(this)))
        }
        None => list(rows),
    }
}

fn keys(items: &[RubyValue]) -> crate::value::Entries {
    items.iter().map(|item| (Key::new(item), RubyValue::Nil)).collect()
}

/// Returns all ways to choose `n` items, in Ruby's order.
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
