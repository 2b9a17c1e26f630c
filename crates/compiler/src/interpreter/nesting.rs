//! Values are not nested without end.
//!
//! Values are dropped, compared and shown level by level, so one with a million levels would exhaust the stack. Code
//! has no way to build one but by calling a block or function again and again with what the last call gave. So the
//! values of calls are looked at, now and then: one call in sixteen, which is known beforehand but follows no pattern
//! of the code.

use kukla_pcore::value::Rare;
use kukla_pcore::{Type, Value};
use rustc_hash::FxHashSet;

use super::{CatalogHost, Interpreter};
use crate::{Eval, fault};

/// How many levels a value may have. Puppet gives up on showing fewer.
const MAX_LEVELS: usize = 2_000;
/// How many values are looked at to find the levels of one.
const MAX_LOOKED_AT: usize = 16 * MAX_LEVELS;
/// How many elements are looked at from each end of a list. Code that hides a value behind more of them at each level
/// needs more memory than it may.
const ENDS: usize = 8_192;

impl<C: CatalogHost> Interpreter<C> {
    /// An error if the value of a call is nested too deeply; it is looked at in one call of sixteen.
    #[inline]
    pub(crate) fn watch_nesting(&self, value: &Value) -> Eval<()> {
        if let Value::Undef
        | Value::Default
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::String(_) = value
        {
            return Ok(());
        }
        let is_sampled = self.steps.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60 == 0;
        if is_sampled && is_too_deep(value) {
            return fault(crate::issues::nested_too_deeply(MAX_LEVELS));
        }
        Ok(())
    }
}

/// Something that has parts.
enum Part<'a> {
    Value(&'a Value),
    Type(&'a Type),
}

impl Part<'_> {
    /// Returns false for values that are not made of others.
    fn has_parts(&self) -> bool {
        match self {
            Part::Type(_) => true,
            Part::Value(value) => matches!(
                value,
                Value::Array(_)
                    | Value::Hash(_)
                    | Value::Sensitive(_)
                    | Value::Type(_)
                    | Value::Rare(_)
            ),
        }
    }

    fn address(&self) -> Option<usize> {
        match self {
            Part::Value(Value::Array(values)) => Some(values.as_ptr().addr()),
            Part::Value(Value::Hash(hash)) => Some(std::sync::Arc::as_ptr(hash).addr()),
            _ => None,
        }
    }
}

fn is_too_deep(value: &Value) -> bool {
    let mut open = vec![(Part::Value(value), 0)];
    let mut seen = FxHashSet::default();
    for _ in 0..MAX_LOOKED_AT {
        let Some((part, level)) = open.pop() else { return false };
        // A shared part is looked at again only where it is much deeper.
        if !part.address().is_none_or(|address| seen.insert((address, level / 64))) {
            continue;
        }
        if level > MAX_LEVELS {
            return true;
        }
        match part {
            Part::Value(value) => parts(value, |part| open.push((part, level + 1))),
            Part::Type(type_) => parts_of_type(type_, |part| open.push((part, level + 1))),
        }
    }
    false
}

fn parts<'a>(value: &'a Value, mut push: impl FnMut(Part<'a>)) {
    let mut push = |part: Part<'a>| {
        if part.has_parts() {
            push(part);
        }
    };
    match value {
        Value::Array(values) => ends(values).for_each(|value| push(Part::Value(value))),
        Value::Hash(hash) => {
            let n = hash.len();
            let places = (0..n.min(ENDS)).chain(n.saturating_sub(ENDS).max(ENDS)..n);
            for (key, value) in places.filter_map(|place| hash.entry(place)) {
                push(Part::Value(key));
                push(Part::Value(value));
            }
        }
        Value::Sensitive(value) => push(Part::Value(value)),
        Value::Type(type_) => push(Part::Type(type_)),
        Value::Rare(rare) => {
            if let Rare::Object(object) = &**rare {
                ends(&object.values).for_each(|value| push(Part::Value(value)));
            }
        }
        _ => (),
    }
}

fn parts_of_type<'a>(type_: &'a Type, mut push: impl FnMut(Part<'a>)) {
    match type_ {
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Iterable(Some(inner))
        | Type::Iterator(Some(inner))
        | Type::Type(Some(inner))
        | Type::Sensitive(Some(inner)) => push(Part::Type(inner)),
        Type::Variant(types) => ends(types).for_each(|type_| push(Part::Type(type_))),
        Type::Tuple(tuple) => ends(&tuple.types).for_each(|type_| push(Part::Type(type_))),
        Type::Struct(elements) => {
            ends(elements).for_each(|element| push(Part::Type(&element.value)));
        }
        Type::Array(array) => push(Part::Type(&array.element)),
        Type::Hash(hash) => {
            push(Part::Type(&hash.key));
            push(Part::Type(&hash.value));
        }
        Type::Callable(callable) => {
            let parameters = callable.parameters.iter().flat_map(|tuple| ends(&tuple.types));
            let others = callable.block.iter().chain(&callable.returns);
            parameters.chain(others).for_each(|type_| push(Part::Type(type_)));
        }
        Type::Init(Some(init)) => {
            push(Part::Type(&init.type_));
            ends(&init.arguments).for_each(|value| push(Part::Value(value)));
        }
        _ => (),
    }
}

/// The first and the last elements.
fn ends<T>(values: &[T]) -> impl Iterator<Item = &T> {
    let n = values.len();
    values.iter().take(ENDS).chain(values.iter().skip(n.saturating_sub(ENDS).max(ENDS)))
}
