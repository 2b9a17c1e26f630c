//! `Enumerable`: methods that put items together.

use super::tools::list;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, RubyValue};

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(super) fn enumerate_groups(
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
}
