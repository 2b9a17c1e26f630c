//! `Enumerable`: what all collections have, and `Enumerator`s over them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::tools::int;
use crate::class::{Data, Object};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, ProcBody, RubyValue};

/// Methods that give an `Enumerator` when there is no block.
pub(crate) fn is_iterator(recv: &RubyValue, name: &str) -> bool {
    match recv {
        RubyValue::Str(_) => matches!(name, "each_char" | "each_line" | "each_byte" | "upto"),
        RubyValue::Int(_) | RubyValue::Big(_) => {
            matches!(name, "times" | "upto" | "downto" | "step")
        }
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
}

/// Several values that are yielded at once count as an array.
fn packed(a: Args<'_>) -> RubyValue {
    match a.items {
        [one] => one.clone(),
        many => RubyValue::array(many.to_vec()),
    }
}
