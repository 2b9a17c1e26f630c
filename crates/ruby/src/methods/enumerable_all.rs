//! `Enumerable`: methods that look at every item.

use super::tools::{int, list};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    /// Each element makes something of the result.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(super) fn enumerate_all(
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
}
