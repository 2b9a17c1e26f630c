//! `Hash`: what changes it.

use std::rc::Rc;

use crate::run::{Args, Eval, Run};
use crate::value::{Key, Map, RubyValue};

impl Run<'_> {
    pub(super) fn hash_change(
        &mut self,
        this: &Rc<Map>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let own = || Ok(Some(RubyValue::Hash(Rc::clone(this))));
        match name {
            "[]=" | "store" => {
                self.arity(a, 2, 2)?;
                self.hash_check(this)?;
                self.charge(64)?;
                this.entries.borrow_mut().insert(Key::new(&a.items[0]), a.items[1].clone());
                Ok(Some(a.items[1].clone()))
            }
            "delete" => {
                self.hash_check(this)?;
                let gone = this.entries.borrow_mut().shift_remove(&Key(a.get(0)));
                match (gone, a.block) {
                    (Some(value), _) => Ok(Some(value)),
                    (None, Some(block)) => self.yield1(block, &a.get(0)).map(Some),
                    (None, None) => Ok(Some(RubyValue::Nil)),
                }
            }
            "merge!" | "update" => {
                self.hash_check(this)?;
                self.hash_merge(this, a)?;
                own()
            }
            "replace" => {
                self.hash_check(this)?;
                let RubyValue::Hash(other) = a.get(0) else {
                    return self.no_conversion(&a.get(0), "Hash");
                };
                let entries = other.entries.borrow().clone();
                this.entries.replace(entries);
                own()
            }
            "clear" => {
                self.hash_check(this)?;
                this.entries.borrow_mut().clear();
                own()
            }
            "shift" => {
                self.hash_check(this)?;
                let first = this.entries.borrow_mut().shift_remove_index(0);
                Ok(Some(
                    first.map_or(RubyValue::Nil, |(key, value)| {
                        RubyValue::array(vec![key.0, value])
                    }),
                ))
            }
            "default=" => {
                this.default.replace(a.get(0));
                Ok(Some(a.get(0)))
            }
            "freeze" => {
                this.frozen.set(true);
                own()
            }
            "frozen?" => Ok(Some(RubyValue::Bool(this.frozen.get()))),
            "delete_if" | "keep_if" | "select!" | "filter!" | "reject!" | "compact!"
            | "transform_values!" | "transform_keys!" => {
                self.hash_check(this)?;
                let plain = match name {
                    "delete_if" => "reject",
                    "keep_if" => "select",
                    other => other.trim_end_matches('!'),
                };
                let before = this.entries.borrow().len();
                let new = self.hash_method(this, plain, a)?.unwrap_or_default();
                if let RubyValue::Hash(new) = &new {
                    let entries = new.entries.borrow().clone();
                    this.entries.replace(entries);
                }
                let same = this.entries.borrow().len() == before;
                let says_nil = matches!(name, "select!" | "filter!" | "reject!" | "compact!");
                if says_nil && same { Ok(Some(RubyValue::Nil)) } else { own() }
            }
            _ => Ok(None),
        }
    }

    fn hash_check(&mut self, this: &Rc<Map>) -> Eval<()> {
        if this.frozen.get() {
            return self.frozen(&RubyValue::Hash(Rc::clone(this)));
        }
        Ok(())
    }
}
