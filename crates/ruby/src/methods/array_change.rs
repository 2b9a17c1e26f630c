//! `Array`: what changes it.

use std::rc::Rc;

use super::tools::from_end;
use crate::run::{Args, Eval, Run};
use crate::value::{List, RubyValue};

/// An array that was asked to grow beyond this is refused.
const MAX_LEN: usize = 1 << 24;

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(super) fn array_change(
        &mut self,
        this: &Rc<List>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let own = || Ok(Some(RubyValue::Array(Rc::clone(this))));
        match name {
            "<<" | "push" | "append" => {
                self.array_check(this)?;
                self.charge(a.len() * 24)?;
                this.items.borrow_mut().extend_from_slice(a.items);
                own()
            }
            "[]=" => self.array_store(this, a).map(Some),
            "pop" | "shift" => {
                self.array_check(this)?;
                let mut items = this.items.borrow_mut();
                if a.is_empty() {
                    let item = match name {
                        "pop" => items.pop(),
                        _ if items.is_empty() => None,
                        _ => Some(items.remove(0)),
                    };
                    return Ok(Some(item.unwrap_or_default()));
                }
                drop(items);
                let n = self.usize_arg(&a.items[0], "negative array size")?;
                let mut items = this.items.borrow_mut();
                let n = n.min(items.len());
                let taken = if name == "pop" {
                    let at = items.len() - n;
                    items.split_off(at)
                } else {
                    items.drain(..n).collect()
                };
                Ok(Some(RubyValue::array(taken)))
            }
            "unshift" | "prepend" => {
                self.array_check(this)?;
                this.items.borrow_mut().splice(0..0, a.items.iter().cloned());
                own()
            }
            "insert" => {
                self.array_check(this)?;
                let index = self.int_arg(&a.get(0))?;
                let len = this.items.borrow().len();
                let at = match index {
                    -1 => Some(len),
                    ..0 => from_end(index, len).map(|at| at + 1),
                    _ => usize::try_from(index).ok(),
                };
                let Some(at) = at.filter(|&at| at < MAX_LEN) else {
                    return self.raise(
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
                own()
            }
            "concat" => {
                self.array_check(this)?;
                for other in a.items {
                    let more = self.array_arg(other)?;
                    self.charge(more.len() * 24)?;
                    this.items.borrow_mut().extend(more);
                }
                own()
            }
            "clear" => {
                self.array_check(this)?;
                this.items.borrow_mut().clear();
                own()
            }
            "replace" => {
                self.array_check(this)?;
                let new = self.array_arg(&a.get(0))?;
                this.items.replace(new);
                own()
            }
            "delete" => {
                self.array_check(this)?;
                let mut kept = Vec::new();
                let mut gone = None;
                for item in this.items.borrow().clone() {
                    if self.equal(&item, &a.get(0))? {
                        gone = Some(item);
                    } else {
                        kept.push(item);
                    }
                }
                this.items.replace(kept);
                match (gone, a.block) {
                    (Some(item), _) => Ok(Some(item)),
                    (None, Some(block)) => self.yield1(block, &a.get(0)).map(Some),
                    (None, None) => Ok(Some(RubyValue::Nil)),
                }
            }
            "delete_at" => {
                self.array_check(this)?;
                let index = self.int_arg(&a.get(0))?;
                let mut items = this.items.borrow_mut();
                let at = from_end(index, items.len()).filter(|&at| at < items.len());
                Ok(Some(at.map_or(RubyValue::Nil, |at| items.remove(at))))
            }
            "slice!" => {
                self.array_check(this)?;
                let taken = self.array_method(this, "[]", a)?.unwrap_or_default();
                match &taken {
                    RubyValue::Array(part)
                        if a.len() > 1 || matches!(a.get(0), RubyValue::Range(_)) =>
                    {
                        let len = this.items.borrow().len();
                        let start = match a.get(0) {
                            RubyValue::Range(range) => {
                                self.range_span(&range, len)?.map(|(start, _)| start)
                            }
                            start => {
                                let start = self.int_arg(&start)?;
                                from_end(start, len)
                            }
                        };
                        if let Some(start) = start {
                            let end = start + part.items.borrow().len();
                            this.items.borrow_mut().drain(start..end);
                        }
                    }
                    _ => {
                        self.array_change(this, "delete_at", a)?;
                    }
                }
                Ok(Some(taken))
            }
            "fill" => {
                self.array_check(this)?;
                if a.len() > 1 {
                    return self.unsupported("fill of a part");
                }
                let len = this.items.borrow().len();
                for index in 0..len {
                    let value = match (a.items.first(), a.block) {
                        (Some(value), _) => value.clone(),
                        (None, Some(block)) => self.yield1(block, &super::tools::int(index))?,
                        (None, None) => RubyValue::Nil,
                    };
                    this.items.borrow_mut()[index] = value;
                }
                own()
            }
            "delete_if" | "keep_if" => {
                self.array_check(this)?;
                let plain = if name == "delete_if" { "reject" } else { "select" };
                self.replace_by(this, plain, a)?;
                own()
            }
            "freeze" => {
                this.frozen.set(true);
                own()
            }
            "frozen?" => Ok(Some(RubyValue::Bool(this.frozen.get()))),
            other => match other.strip_suffix('!') {
                Some(plain) if BANG.contains(&plain) => {
                    self.array_check(this)?;
                    let before = this.items.borrow().clone();
                    let changed = plain == "flatten"
                        && before.iter().any(|item| matches!(item, RubyValue::Array(_)));
                    self.replace_by(this, plain, a)?;
                    let always = matches!(
                        plain,
                        "map" | "collect" | "sort" | "sort_by" | "reverse" | "rotate"
                    );
                    let same = this.items.borrow().len() == before.len() && !changed;
                    if !always && same { Ok(Some(RubyValue::Nil)) } else { own() }
                }
                _ => Ok(None),
            },
        }
    }

    fn replace_by(&mut self, this: &Rc<List>, plain: &str, a: Args<'_>) -> Eval<()> {
        let new = self.array_method(this, plain, a)?.unwrap_or_default();
        let new = self.array_arg(&new)?;
        this.items.replace(new);
        Ok(())
    }

    fn array_store(&mut self, this: &Rc<List>, a: Args<'_>) -> Eval {
        self.array_check(this)?;
        self.arity(a, 2, 3)?;
        let len = this.items.borrow().len();
        let value = a.items[a.len() - 1].clone();
        let span = match (&a.items[0], a.len()) {
            (RubyValue::Range(range), 2) => match self.range_span(range, len)? {
                Some(span) => Some(span),
                None => {
                    let shown = crate::show::inspect(&a.items[0]);
                    return self.raise("RangeError", format!("{shown} out of range"));
                }
            },
            (start, 3) => {
                let (start, count) = (self.int_arg(start)?, self.int_arg(&a.items[1])?);
                match (from_end(start, len), usize::try_from(count)) {
                    (Some(start), Ok(count)) => Some((start, count)),
                    _ => {
                        return self.raise(
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
        let index = self.int_arg(&a.items[0])?;
        match from_end(index, len) {
            Some(at) if at < MAX_LEN => {
                let mut items = this.items.borrow_mut();
                if at >= items.len() {
                    items.resize(at + 1, RubyValue::Nil);
                }
                items[at] = value.clone();
                Ok(value)
            }
            Some(_) => self.unsupported("very long arrays"),
            None => self
                .raise("IndexError", format!("index {index} too small for array; minimum: -{len}")),
        }
    }
}

/// Methods that have a twin with `!`.
const BANG: &[&str] = &[
    "map", "collect", "select", "filter", "reject", "sort", "sort_by", "reverse", "rotate",
    "flatten", "compact", "uniq",
];
