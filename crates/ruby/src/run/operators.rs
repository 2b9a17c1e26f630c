//! Equality, order and text of all values.

use std::cmp::Ordering;
use std::rc::Rc;

use kukla_base::Editions;
use kukla_rubytext::{BigInt, RubyInteger as _};

use super::raise::short_class;
use super::{Args, Eval, Frame, Run};
use crate::show;
use crate::value::{Key, List, MAX_NESTING, RubyValue};

impl Run<'_> {
    /// Calls `to_s`, also one that the code defines.
    pub(crate) fn to_s(&mut self, value: &RubyValue) -> Eval<String> {
        match value {
            RubyValue::Object(_) => {
                let text = self.call(value, "to_s", &[])?;
                Ok(show::to_s(&text))
            }
            RubyValue::Array(_) | RubyValue::Hash(_) => self.inspect(value),
            RubyValue::Big(number) => self.big_text(number, 10),
            RubyValue::Bytes(_) => self.unsupported("bytes within text"),
            other => Ok(show::to_s(other)),
        }
    }

    pub(crate) fn inspect(&mut self, value: &RubyValue) -> Eval<String> {
        self.step()?;
        let is_list = match value {
            RubyValue::Array(_) => true,
            RubyValue::Hash(_) => false,
            _ => return self.inspect_new(value),
        };
        let address = value.address().unwrap_or_default();
        if self.vm.showing.contains(&address) {
            return Ok(if is_list { "[...]" } else { "{...}" }.to_owned());
        }
        if self.vm.showing.len() >= MAX_NESTING {
            return self.raise("SystemStackError", "stack level too deep");
        }
        self.vm.showing.push(address);
        let shown = self.nested(|this| this.inspect_new(value));
        self.vm.showing.pop();
        // Parts that are shared are shown as often as they occur.
        let shown = shown?;
        self.check_room(shown.len().saturating_mul(2))?;
        Ok(shown)
    }

    /// Returns `inspect` of a value that is not being inspected already.
    fn inspect_new(&mut self, value: &RubyValue) -> Eval<String> {
        match value {
            RubyValue::Object(_) => {
                let text = self.call(value, "inspect", &[])?;
                Ok(show::to_s(&text))
            }
            RubyValue::Array(list) => {
                let items = list.items.borrow().clone();
                if !items.iter().any(holds_objects) {
                    return Ok(show::inspect(value));
                }
                let mut shown = Vec::with_capacity(items.len());
                for item in &items {
                    shown.push(self.inspect(item)?);
                }
                Ok(format!("[{}]", shown.join(", ")))
            }
            RubyValue::Hash(map) => {
                let entries = map.entries.borrow().clone();
                if !entries.iter().any(|(key, value)| holds_objects(&key.0) || holds_objects(value))
                {
                    return Ok(show::inspect(value));
                }
                let mut shown = Vec::with_capacity(entries.len());
                let ruby = Editions::current().ruby;
                for (key, value) in &entries {
                    let key = match &key.0 {
                        RubyValue::Sym(name) => show::symbol_key(name, ruby),
                        key => self.inspect(key)? + ruby.arrow(),
                    };
                    shown.push(key + &self.inspect(value)?);
                }
                Ok(format!("{{{}}}", shown.join(", ")))
            }
            RubyValue::Big(number) => self.big_text(number, 10),
            other => Ok(show::inspect(other)),
        }
    }

    /// `==`
    pub(crate) fn equal(&mut self, a: &RubyValue, b: &RubyValue) -> Eval<bool> {
        self.nested(|this| this.equal_parts(a, b))
    }

    fn equal_parts(&mut self, a: &RubyValue, b: &RubyValue) -> Eval<bool> {
        self.step()?;
        Ok(match (a, b) {
            (RubyValue::Float(a), RubyValue::Float(b)) => a == b,
            #[expect(
                clippy::cast_precision_loss,
                reason = "Ruby compares exactly; beyond 2^53 we are near enough"
            )]
            (RubyValue::Int(a), RubyValue::Float(b)) | (RubyValue::Float(b), RubyValue::Int(a)) => {
                *a as f64 == *b
            }
            (RubyValue::Big(a), RubyValue::Float(b)) | (RubyValue::Float(b), RubyValue::Big(a)) => {
                a.compare_f64(*b) == Some(Ordering::Equal)
            }
            (RubyValue::Array(a), RubyValue::Array(b)) => {
                if Rc::ptr_eq(a, b) {
                    return Ok(true);
                }
                let (a, b) = (a.items.borrow().clone(), b.items.borrow().clone());
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (a, b) in a.iter().zip(&b) {
                    if !self.equal(a, b)? {
                        return Ok(false);
                    }
                }
                true
            }
            (RubyValue::Hash(a), RubyValue::Hash(b)) => {
                if Rc::ptr_eq(a, b) {
                    return Ok(true);
                }
                let (a, b) = (a.entries.borrow().clone(), b.entries.borrow().clone());
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (key, value) in &a {
                    match b.get(key) {
                        Some(other) if self.equal(value, other)? => (),
                        _ => return Ok(false),
                    }
                }
                true
            }
            (RubyValue::Object(object), other) => {
                if object.class.find_method("==").is_some() {
                    return Ok(self.call(a, "==", std::slice::from_ref(other))?.truthy());
                }
                if object.class.is_a("Comparable") && object.class.find_method("<=>").is_some() {
                    let order = self.call(a, "<=>", std::slice::from_ref(other))?;
                    return Ok(order.as_int() == Some(0));
                }
                return self.equal_data(object, other);
            }
            _ => crate::value::eql(a, b),
        })
    }

    /// `===`
    pub(crate) fn case_equal(
        &mut self,
        pattern: &RubyValue,
        value: &RubyValue,
        frame: &Rc<Frame>,
    ) -> Eval<bool> {
        match pattern {
            RubyValue::Str(_)
            | RubyValue::Sym(_)
            | RubyValue::Int(_)
            | RubyValue::Big(_)
            | RubyValue::Nil => self.equal(pattern, value),
            other => {
                Ok(self.send(other, "===", Args::new(std::slice::from_ref(value)), frame)?.truthy())
            }
        }
    }

    /// `<=>`; `None` if there is no order.
    pub(crate) fn compare(&mut self, a: &RubyValue, b: &RubyValue) -> Eval<Option<Ordering>> {
        self.step()?;
        Ok(match (a, b) {
            (RubyValue::Int(a), RubyValue::Int(b)) => Some(a.cmp(b)),
            (RubyValue::Big(a), RubyValue::Big(b)) => Some(a.cmp(b)),
            (RubyValue::Big(a), RubyValue::Int(_)) => Some(sign(a)),
            (RubyValue::Int(_), RubyValue::Big(b)) => Some(sign(b).reverse()),
            (RubyValue::Big(a), RubyValue::Float(b)) => a.compare_f64(*b),
            (RubyValue::Float(a), RubyValue::Big(b)) => b.compare_f64(*a).map(Ordering::reverse),
            (RubyValue::Float(a), RubyValue::Float(b)) => a.partial_cmp(b),
            #[expect(
                clippy::cast_precision_loss,
                reason = "Ruby compares exactly; beyond 2^53 we are near enough"
            )]
            (RubyValue::Int(a), RubyValue::Float(b)) => (*a as f64).partial_cmp(b),
            #[expect(
                clippy::cast_precision_loss,
                reason = "Ruby compares exactly; beyond 2^53 we are near enough"
            )]
            (RubyValue::Float(a), RubyValue::Int(b)) => a.partial_cmp(&(*b as f64)),
            (RubyValue::Str(a), RubyValue::Str(b)) => {
                Some(a.text.borrow().as_bytes().cmp(b.text.borrow().as_bytes()))
            }
            (RubyValue::Sym(a), RubyValue::Sym(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (RubyValue::Array(a), RubyValue::Array(b)) => {
                self.nested(|this| this.compare_arrays(a, b))?
            }
            (RubyValue::Object(_), _) => {
                let result = self.call(a, "<=>", std::slice::from_ref(b))?;
                result.as_int().map(|number| number.cmp(&0))
            }
            _ => self.equal(a, b)?.then_some(Ordering::Equal),
        })
    }

    fn compare_arrays(&mut self, a: &Rc<List>, b: &Rc<List>) -> Eval<Option<Ordering>> {
        if Rc::ptr_eq(a, b) {
            return Ok(Some(Ordering::Equal));
        }
        let (a, b) = (a.items.borrow().clone(), b.items.borrow().clone());
        for (a, b) in a.iter().zip(&b) {
            match self.compare(a, b)? {
                Some(Ordering::Equal) => (),
                other => return Ok(other),
            }
        }
        Ok(Some(a.len().cmp(&b.len())))
    }

    /// Compares values that must be comparable; raises Ruby's `ArgumentError` otherwise.
    pub(crate) fn order(&mut self, a: &RubyValue, b: &RubyValue) -> Eval<Ordering> {
        match self.compare(a, b)? {
            Some(order) => Ok(order),
            None => self.incomparable(a, b),
        }
    }

    pub(crate) fn incomparable<T>(&mut self, a: &RubyValue, b: &RubyValue) -> Eval<T> {
        let shown = match b {
            RubyValue::Nil
            | RubyValue::Bool(_)
            | RubyValue::Int(_)
            | RubyValue::Big(_)
            | RubyValue::Float(_)
            | RubyValue::Sym(_) => show::inspect(b),
            other => short_class(other),
        };
        let message = format!("comparison of {} with {shown} failed", show::class_name(a));
        self.argument_error(message)
    }

    /// Returns the elements of a value that can be iterated over.
    pub(crate) fn items_of(&mut self, value: &RubyValue) -> Eval<Vec<RubyValue>> {
        match value {
            RubyValue::Array(list) => Ok(list.items.borrow().clone()),
            RubyValue::Hash(map) => Ok(pairs(&map.entries.borrow())),
            RubyValue::Range(range) => self.range_items(range),
            RubyValue::Nil => Ok(Vec::new()),
            RubyValue::Object(_) => self.collect_each(value),
            other => {
                let other = other.clone();
                self.no_method(&other, "each", false)
            }
        }
    }

    pub(crate) fn make_range(
        &mut self,
        from: RubyValue,
        to: RubyValue,
        excludes_end: bool,
    ) -> Eval {
        let comparable = from.is_nil() || to.is_nil() || self.compare(&from, &to)?.is_some();
        if !comparable {
            return self.argument_error("bad value for range");
        }
        Ok(RubyValue::range(from, to, excludes_end))
    }
}

fn holds_objects(value: &RubyValue) -> bool {
    matches!(
        value,
        RubyValue::Object(_) | RubyValue::Array(_) | RubyValue::Hash(_) | RubyValue::Big(_)
    )
}

/// Compares a big integer with any integer of 64 bits.
fn sign(number: &BigInt) -> Ordering {
    if number.is_negative() { Ordering::Less } else { Ordering::Greater }
}

/// Returns the entries of a hash as arrays of two.
pub(crate) fn pairs(entries: &crate::value::Entries) -> Vec<RubyValue> {
    let pair =
        |(key, value): (&Key, &RubyValue)| RubyValue::array(vec![key.0.clone(), value.clone()]);
    entries.iter().map(pair).collect()
}
