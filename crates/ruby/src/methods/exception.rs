//! Exceptions, structs and sets: objects that we make.

use std::rc::Rc;

use super::tools::int;
use crate::class::{Data, Native, Object};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, RubyValue};

impl Run<'_> {
    pub(crate) fn object_data_method(
        &mut self,
        this: &Rc<Object>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let own = RubyValue::Object(Rc::clone(this));
        if matches!(*this.data.borrow(), Data::Enumerator(..)) {
            return self.enumerator_method(&own, name, a);
        }
        if this.class.native == Native::Exception {
            return self.exception_method(this, name, a);
        }
        if this.class.native == Native::Struct {
            return self.struct_method(this, name, a);
        }
        let set = match &*this.data.borrow() {
            Data::Set(set) => Some(set.clone()),
            _ => None,
        };
        if let Some(set) = set {
            return self.set_method(this, &set, name, a);
        }
        if let Some(value) = self.library_object_method(this, name, a)? {
            return Ok(Some(value));
        }
        if this.class.is_a("Comparable") && name != "<=>" && name != "==" {
            let value = self.comparable(&own, name, a)?;
            if value.is_some() {
                return Ok(value);
            }
        }
        if this.class.is_a("Enumerable") && name != "each" {
            return self.enumerable(&own, name, a);
        }
        Ok(None)
    }

    fn exception_method(
        &mut self,
        this: &Rc<Object>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "message" | "to_s" | "detailed_message" | "original_message" => {
                if name == "message" && this.class.find_method("to_s").is_some() {
                    return self.call(&RubyValue::Object(Rc::clone(this)), "to_s", &[]).map(Some);
                }
                match this.ivar("@message") {
                    RubyValue::Nil => RubyValue::str(this.class.name.borrow().clone()),
                    message => RubyValue::str(self.to_s(&message)?),
                }
            }
            "full_message" | "set_backtrace" | "backtrace_locations" => {
                return self.unsupported(format!("method Exception#{name}"));
            }
            "inspect" => {
                let message = self.message_of(this)?;
                let class = this.class.name.borrow().clone();
                RubyValue::str(if message.is_empty() {
                    class.to_string()
                } else {
                    format!("#<{class}: {message}>")
                })
            }
            "backtrace" => match &*this.data.borrow() {
                Data::Raised { file, line } if *line > 0 => {
                    RubyValue::array(vec![RubyValue::str(format!("{file}:{line}:in `<main>'"))])
                }
                _ => RubyValue::Nil,
            },
            "cause" => this.ivar("@cause"),
            "exception" => {
                if let Some(message) = a.items.first() {
                    this.set_ivar("@message", message.clone());
                }
                RubyValue::Object(Rc::clone(this))
            }
            "name" => this.ivar("@name"),
            "key" | "receiver" | "result" => this.ivar(&format!("@{name}")),
            "==" => RubyValue::Bool(
                matches!(a.get(0), RubyValue::Object(other) if Rc::ptr_eq(&other, this)),
            ),
            _ => return Ok(None),
        }))
    }

    fn struct_method(
        &mut self,
        this: &Rc<Object>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let members = this
            .class
            .ancestors()
            .iter()
            .find_map(|class| class.ivars.borrow().get("__members__").cloned());
        let Some(RubyValue::Array(members)) = members else { return Ok(None) };
        let names: Vec<ecow::EcoString> =
            members.items.borrow().iter().filter_map(RubyValue::as_name).collect();
        let value_of = |name: &str| this.ivar(&format!("@{name}"));
        let values: Vec<RubyValue> = names.iter().map(|name| value_of(name)).collect();
        Ok(Some(match name {
            "to_a" | "values" | "deconstruct" => RubyValue::array(values),
            "members" => RubyValue::Array(members),
            "to_h" => {
                let entries = names
                    .iter()
                    .zip(values)
                    .map(|(name, value)| (Key(RubyValue::Sym(name.clone())), value));
                RubyValue::hash(entries.collect::<Entries>())
            }
            "[]" => match a.get(0) {
                RubyValue::Int(index) => {
                    self.call(&RubyValue::array(values), "[]", &[RubyValue::Int(index)])?
                }
                key => value_of(&self.name_arg(&key)?),
            },
            "[]=" => {
                let key = match a.get(0) {
                    RubyValue::Int(index) => names
                        .get(usize::try_from(index).unwrap_or(usize::MAX))
                        .cloned()
                        .unwrap_or_default(),
                    key => self.name_arg(&key)?,
                };
                this.set_ivar(&format!("@{key}"), a.get(1));
                a.get(1)
            }
            "each" => {
                let block = self.need_block(&a, name)?;
                for value in &values {
                    self.yield1(block, value)?;
                }
                RubyValue::Object(Rc::clone(this))
            }
            "==" => match a.get(0) {
                RubyValue::Object(other) if Rc::ptr_eq(&other.class, &this.class) => {
                    let others = names.iter().map(|name| other.ivar(&format!("@{name}"))).collect();
                    RubyValue::Bool(
                        self.equal(&RubyValue::array(values), &RubyValue::array(others))?,
                    )
                }
                _ => RubyValue::Bool(false),
            },
            "to_s" | "inspect" => {
                let mut parts = Vec::new();
                for (name, value) in names.iter().zip(&values) {
                    parts.push(format!("{name}={}", self.inspect(value)?));
                }
                RubyValue::str(format!(
                    "#<struct {} {}>",
                    this.class.name.borrow(),
                    parts.join(", ")
                ))
            }
            _ => return Ok(None),
        }))
    }

    fn set_method(
        &mut self,
        this: &Rc<Object>,
        set: &RubyValue,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let RubyValue::Hash(map) = set else { return Ok(None) };
        let items: Vec<RubyValue> = map.entries.borrow().keys().map(|key| key.0.clone()).collect();
        let own = RubyValue::Object(Rc::clone(this));
        Ok(Some(match name {
            "add" | "<<" | "add?" => {
                let is_new = map
                    .entries
                    .borrow_mut()
                    .insert(Key::new(&a.get(0)), RubyValue::Bool(true))
                    .is_none();
                if name == "add?" && !is_new { RubyValue::Nil } else { own }
            }
            "delete" => {
                map.entries.borrow_mut().shift_remove(&Key(a.get(0)));
                own
            }
            "include?" | "member?" | "===" | "contain?" | "key?" => {
                RubyValue::Bool(map.entries.borrow().contains_key(&Key(a.get(0))))
            }
            "size" | "length" | "count" if a.is_empty() && a.block.is_none() => int(items.len()),
            "empty?" => RubyValue::Bool(items.is_empty()),
            "to_a" => RubyValue::array(items),
            "to_set" => own,
            "each" => {
                let block = self.need_block(&a, name)?;
                for item in &items {
                    self.yield1(block, item)?;
                }
                own
            }
            "merge" => {
                for other in a.items {
                    for item in self.items_of(other)? {
                        map.entries.borrow_mut().insert(Key::new(&item), RubyValue::Bool(true));
                    }
                }
                own
            }
            "|" | "union" | "+" | "&" | "intersection" | "-" | "difference" => {
                let other = RubyValue::array(self.items_of(&a.get(0))?);
                let operator = match name {
                    "&" | "intersection" => "&",
                    "-" | "difference" => "-",
                    _ => "|",
                };
                let result = self.call(&RubyValue::array(items), operator, &[other])?;
                let result = self.array_arg(&result)?;
                self.make_set(&result)?
            }
            "subset?" | "<=" | "superset?" | ">=" | "disjoint?" | "intersect?" => {
                let others = self.items_of(&a.get(0))?;
                let has = |list: &[RubyValue], item: &RubyValue| {
                    list.iter().any(|known| crate::value::eql(known, item))
                };
                RubyValue::Bool(match name {
                    "subset?" | "<=" => items.iter().all(|item| has(&others, item)),
                    "superset?" | ">=" => others.iter().all(|item| has(&items, item)),
                    "disjoint?" => !items.iter().any(|item| has(&others, item)),
                    _ => items.iter().any(|item| has(&others, item)),
                })
            }
            "inspect" | "to_s" => {
                let mut parts = Vec::new();
                for item in &items {
                    parts.push(self.inspect(item)?);
                }
                RubyValue::str(format!("#<Set: {{{}}}>", parts.join(", ")))
            }
            "select" | "filter" | "reject" => {
                let kept = self.call_with(&RubyValue::array(items), name, a)?;
                let kept = self.array_arg(&kept)?;
                self.make_set(&kept)?
            }
            "freeze" | "dup" => own,
            _ => return self.enumerable(&own, name, a),
        }))
    }

    /// `==` of objects that we make.
    pub(crate) fn equal_data(&mut self, this: &Rc<Object>, other: &RubyValue) -> Eval<bool> {
        let RubyValue::Object(other_object) = other else { return Ok(false) };
        if Rc::ptr_eq(this, other_object) {
            return Ok(true);
        }
        if this.class.native == Native::Struct {
            let value = self.struct_method(this, "==", Args::new(std::slice::from_ref(other)))?;
            return Ok(value.unwrap_or_default().truthy());
        }
        match (&*this.data.borrow(), &*other_object.data.borrow()) {
            (Data::Set(a), Data::Set(b)) => Ok(crate::value::eql(a, b)),
            (Data::Ip(a), Data::Ip(b)) => Ok(a == b),
            (Data::Uri(a), Data::Uri(b)) => Ok(a == b),
            (
                Data::Time { seconds: a, nanoseconds: b, .. },
                Data::Time { seconds: c, nanoseconds: d, .. },
            ) => Ok(a == c && b == d),
            _ => Ok(false),
        }
    }
}
