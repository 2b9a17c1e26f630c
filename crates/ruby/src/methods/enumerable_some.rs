//! `Enumerable`: methods that choose items.

use super::tools::{int, list, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    /// Some of the elements, or whether there are any.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(super) fn enumerate_some(
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
}
