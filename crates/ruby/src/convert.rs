//! Conversion of Puppet's values to Ruby's, and back.

use std::rc::Rc;

use kukla_base::cancel::walk;
use kukla_foreign::Host;
use kukla_pcore::{Hash, Value};

use crate::class::Data;
use crate::run::{Eval, Run};
use crate::value::{Entries, Key, MAX_NESTING, RubyValue};

/// Converts a value as templates and functions of the 4.x API see it.
pub(crate) fn to_ruby(value: &Value) -> RubyValue {
    match value {
        Value::Undef => RubyValue::Nil,
        Value::Default => RubyValue::sym("default"),
        Value::Boolean(value) => RubyValue::Bool(*value),
        Value::Integer(number) => RubyValue::Int(*number),
        Value::Float(number) => RubyValue::Float(*number),
        Value::String(text) => RubyValue::str(text.clone()),
        Value::Array(items) => {
            walk(RubyValue::Nil, || RubyValue::array(items.iter().map(to_ruby).collect()))
        }
        Value::Hash(hash) => walk(RubyValue::Nil, || {
            let entry = |(key, value): (&Value, &Value)| (Key::new(&to_ruby(key)), to_ruby(value));
            RubyValue::hash(hash.iter().map(entry).collect::<Entries>())
        }),
        Value::Regexp(regex) => RubyValue::Regexp(Rc::new(regex.clone())),
        other => RubyValue::Puppet(Rc::new(other.clone())),
    }
}

/// Converts a value that can't be changed in place.
pub(crate) fn to_frozen_ruby(value: &Value) -> RubyValue {
    let converted = to_ruby(value);
    freeze(&converted);
    converted
}

fn freeze(value: &RubyValue) {
    match value {
        RubyValue::Str(text) => text.frozen.set(true),
        RubyValue::Array(list) => {
            list.frozen.set(true);
            walk((), || list.items.borrow().iter().for_each(freeze));
        }
        RubyValue::Hash(map) => {
            map.frozen.set(true);
            walk((), || map.entries.borrow().values().for_each(freeze));
        }
        _ => (),
    }
}

/// Converts an argument as functions of the 3.x API see it: `undef` is an empty string, but not inside of collections.
pub(crate) fn to_old_ruby(value: &Value) -> RubyValue {
    if value.is_undef() { RubyValue::str("") } else { to_ruby(value) }
}

impl Run<'_> {
    /// Converts a value to Puppet's. Symbols become strings, except `:undef` and `:default`; so do objects without a
    /// counterpart in Puppet.
    pub(crate) fn to_puppet(&mut self, value: &RubyValue) -> Eval<Value> {
        match to_puppet_within(value, MAX_NESTING, self.host) {
            Ok(value) => Ok(value),
            Err(Inconvertible::Integer) => {
                self.unsupported("integer of more than 64 bits outside of Ruby")
            }
            Err(Inconvertible::TooDeep) => {
                let message =
                    format!("stack level too deep: the value has more than {MAX_NESTING} levels");
                self.raise("SystemStackError", message)
            }
        }
    }

    /// Returns a string of bytes without an encoding: text if they are only ASCII, which Ruby takes for equal.
    pub(crate) fn bytes(&mut self, bytes: Vec<u8>) -> RubyValue {
        match std::str::from_utf8(&bytes) {
            Ok(text) if text.is_ascii() => RubyValue::str(self.host.text_of_bytes(text)),
            _ => RubyValue::Bytes(bytes.into()),
        }
    }
}

/// The reason why Puppet can't have a value.
enum Inconvertible {
    /// An integer of more than 64 bits.
    Integer,
    /// A value with too many levels; in Ruby an array may contain itself.
    TooDeep,
}

/// Converts a value that is nested at most `levels` deep.
fn to_puppet_within(
    value: &RubyValue,
    levels: usize,
    host: &mut dyn Host,
) -> Result<Value, Inconvertible> {
    let levels = levels.checked_sub(1).ok_or(Inconvertible::TooDeep)?;
    let mut to_puppet = |value: &RubyValue| {
        walk(Err(Inconvertible::TooDeep), || to_puppet_within(value, levels, host))
    };
    Ok(match value {
        RubyValue::Nil => Value::Undef,
        RubyValue::Bool(value) => Value::Boolean(*value),
        RubyValue::Int(number) => Value::Integer(*number),
        RubyValue::Big(_) => return Err(Inconvertible::Integer),
        RubyValue::Float(number) => Value::Float(*number),
        RubyValue::Sym(name) => match name.as_str() {
            "undef" => Value::Undef,
            "default" => Value::Default,
            _ => Value::String(name.clone()),
        },
        RubyValue::Str(text) => Value::String(text.text.borrow().clone()),
        RubyValue::Array(list) => {
            let items = list.items.borrow();
            let items: Result<Vec<Value>, _> = items.iter().map(&mut to_puppet).collect();
            Value::array(items?)
        }
        RubyValue::Hash(map) => {
            let mut hash = Hash::with_capacity(map.entries.borrow().len());
            for (key, value) in map.entries.borrow().iter() {
                hash.insert(to_puppet(&key.0)?, to_puppet(value)?);
            }
            Value::hash(hash)
        }
        RubyValue::Regexp(regex) => Value::Regexp((**regex).clone()),
        RubyValue::Puppet(value) => (**value).clone(),
        RubyValue::Object(object) => match &*object.data.borrow() {
            Data::Set(members) => {
                let entries = members.entries.borrow();
                let items: Result<Vec<Value>, _> =
                    entries.keys().map(|key| to_puppet(&key.0)).collect();
                Value::array(items?)
            }
            Data::Time(time) => Value::string(time.shown()),
            _ => Value::string(crate::show::to_s(value)),
        },
        RubyValue::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::String(host.text_of_bytes(text)),
            // A text to Puppet, but what it says could not be kept; catalogs have it as Binary anyway.
            Err(_) => Value::Binary(bytes.to_vec().into()),
        },
        other => Value::string(crate::show::to_s(other)),
    })
}
