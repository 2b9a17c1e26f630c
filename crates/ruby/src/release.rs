//! Frees values without recursion, however deeply they are nested.
//!
//! A value that goes takes out the parts of its parts before they go themselves, so each is dropped empty.

use std::rc::Rc;

use crate::class::{Data, Object};
use crate::run::Frame;
use crate::value::{List, Map, Proc, ProcBody, RubyValue};

impl RubyValue {
    /// Returns true for a value whose parts may be nested.
    fn may_be_deep(&self) -> bool {
        matches!(
            self,
            Self::Array(_) | Self::Hash(_) | Self::Object(_) | Self::Proc(_) | Self::Range(_)
        )
    }
}

/// Drops values whose owner goes.
fn release(mut open: Vec<RubyValue>) {
    while let Some(value) = open.pop() {
        match value {
            RubyValue::Array(list) => {
                let list = Rc::into_inner(list);
                open.extend(list.into_iter().flat_map(|mut list| deep_of(list.items.get_mut())));
            }
            RubyValue::Hash(map) => open.extend(Rc::into_inner(map).iter_mut().flat_map(Map::take)),
            RubyValue::Object(object) => {
                open.extend(Rc::into_inner(object).iter_mut().flat_map(Object::take));
            }
            RubyValue::Proc(proc) => {
                open.extend(Rc::into_inner(proc).into_iter().flat_map(parts_of_proc));
            }
            RubyValue::Range(range) => {
                open.extend(Rc::into_inner(range).into_iter().flat_map(|it| [it.from, it.to]));
            }
            _ => (),
        }
    }
}

/// Takes the values that may be nested out of a list; those that are not are dropped with it.
fn deep_of(values: &mut [RubyValue]) -> Vec<RubyValue> {
    values.iter_mut().filter(|value| value.may_be_deep()).map(std::mem::take).collect()
}

fn parts_of_proc(proc: Proc) -> Vec<RubyValue> {
    match proc.body {
        ProcBody::Block { frame, self_value, .. } => {
            let mut parts: Vec<RubyValue> = self_value.into_iter().collect();
            let mut next = Some(frame);
            while let Some(mut frame) = next.and_then(Rc::into_inner) {
                parts.extend(deep_of(frame.vars.get_mut()));
                next = frame.parent.take();
            }
            parts
        }
        ProcBody::Method(receiver, _) => vec![receiver],
        ProcBody::Symbol(_) | ProcBody::Host | ProcBody::Native(_) => Vec::new(),
    }
}

impl Map {
    fn take(&mut self) -> Vec<RubyValue> {
        let mut parts = Vec::new();
        for (key, value) in std::mem::take(self.entries.get_mut()) {
            parts.extend([key.0, value].into_iter().filter(RubyValue::may_be_deep));
        }
        parts.push(self.default.take());
        parts.extend(self.default_proc.take().map(RubyValue::Proc));
        parts
    }
}

impl Object {
    fn take(&mut self) -> Vec<RubyValue> {
        let mut parts: Vec<RubyValue> = self.ivars.take().into_values().collect();
        match self.data.take() {
            Data::Set(map) | Data::Resource(map) => parts.push(RubyValue::Hash(map)),
            Data::Template(values) => parts.extend(values.into_iter().map(|(_, value)| value)),
            Data::Enumerator(receiver, _, arguments) => {
                parts.push(receiver);
                parts.extend(arguments);
            }
            _ => (),
        }
        parts
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let items = self.items.get_mut();
        if items.iter().any(RubyValue::may_be_deep) {
            release(deep_of(items));
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        let deep = |value: &RubyValue| value.may_be_deep();
        let is_deep = self.entries.get_mut().iter().any(|(key, value)| deep(&key.0) || deep(value));
        if is_deep || deep(self.default.get_mut()) || self.default_proc.get_mut().is_some() {
            release(self.take());
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if !self.ivars.get_mut().is_empty() || !matches!(self.data.get_mut(), Data::None) {
            release(self.take());
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        let is_last = |value: &RubyValue| match value {
            RubyValue::Array(list) => Rc::strong_count(list) == 1,
            RubyValue::Hash(map) => Rc::strong_count(map) == 1,
            RubyValue::Object(object) => Rc::strong_count(object) == 1,
            RubyValue::Proc(proc) => Rc::strong_count(proc) == 1,
            _ => false,
        };
        if self.vars.get_mut().iter().any(is_last) {
            release(deep_of(self.vars.get_mut()));
        }
    }
}
