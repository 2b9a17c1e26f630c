//! Values in msgpack, and back.
//!
//! What is no plain data becomes rich data first, so that the other side can make the same value of it.

use kukla_pcore::richdata::{self, Options};
use kukla_pcore::{Hash, Value};

use crate::WorkerError;

/// Deeper values are refused.
const MAX_DEPTH: usize = 500;

/// The key of a type's name in rich data.
const TYPE_KEY: &str = "__ptype";

/// The bytes of a value.
pub(crate) fn write(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, value, Form::Value, 0);
    out
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Value,
    /// Data already, in which the key of a type means what it says.
    Data,
}

fn put(out: &mut Vec<u8>, value: &Value, form: Form, depth: usize) {
    match value {
        // Nothing that code can make is so deep.
        _ if depth > MAX_DEPTH => out.push(0xC0),
        Value::Undef => out.push(0xC0),
        Value::Boolean(value) => out.push(if *value { 0xC3 } else { 0xC2 }),
        Value::Integer(number) => {
            out.push(0xD3);
            out.extend(number.to_be_bytes());
        }
        Value::Float(number) => {
            out.push(0xCB);
            out.extend(number.to_be_bytes());
        }
        Value::String(text) => put_text(out, text),
        Value::Array(items) => {
            length(out, 0xDD, items.len());
            items.iter().for_each(|item| put(out, item, form, depth + 1));
        }
        Value::Hash(hash) if form == Form::Data || is_plain(hash) => {
            length(out, 0xDF, hash.len());
            for (key, value) in hash.iter() {
                put(out, key, form, depth + 1);
                put(out, value, form, depth + 1);
            }
        }
        _ if form == Form::Data => out.push(0xC0),
        rich => {
            let options = Options { local_references: false, ..Options::default() };
            let data = richdata::to_data(rich, &options, &mut |_| Ok(())).unwrap_or_default();
            put(out, &data, Form::Data, depth);
        }
    }
}

fn is_plain(hash: &Hash) -> bool {
    hash.iter().all(|(key, _)| key.as_str().is_some_and(|key| key != TYPE_KEY))
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    length(out, 0xDB, text.len());
    out.extend(text.as_bytes());
}

fn length(out: &mut Vec<u8>, code: u8, length: usize) {
    out.push(code);
    // Frames are limited to far less.
    out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
}

/// The value of bytes, as data: what is rich in it stays a hash.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, WorkerError> {
    let mut reader = Reader { rest: bytes };
    let value = reader.value(0)?;
    match reader.rest {
        [] => Ok(value),
        _ => Err(WorkerError::Nonsense("there is more than one value")),
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], WorkerError> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(SHORT)?;
        self.rest = rest;
        Ok(*head)
    }

    fn length(&mut self) -> Result<usize, WorkerError> {
        Ok(u32::from_be_bytes(self.take()?) as usize)
    }

    fn value(&mut self, depth: usize) -> Result<Value, WorkerError> {
        if depth > MAX_DEPTH {
            return Err(WorkerError::Nonsense("a value is nested too deeply"));
        }
        let [code] = self.take()?;
        Ok(match code {
            0xC0 => Value::Undef,
            0xC2 => Value::Boolean(false),
            0xC3 => Value::Boolean(true),
            0xD3 => Value::Integer(i64::from_be_bytes(self.take()?)),
            0xCB => Value::Float(f64::from_be_bytes(self.take()?)),
            0xDB => {
                let length = self.length()?;
                let (text, rest) = self.rest.split_at_checked(length).ok_or(SHORT)?;
                self.rest = rest;
                let text = str::from_utf8(text);
                Value::string(text.map_err(|_| WorkerError::Nonsense("a text is not UTF-8"))?)
            }
            0xDD => {
                let mut items = Vec::new();
                for _ in 0..self.length()? {
                    items.push(self.value(depth + 1)?);
                }
                Value::array_of(items)
            }
            0xDF => {
                let mut hash = Hash::with_capacity(0);
                for _ in 0..self.length()? {
                    let key = self.value(depth + 1)?;
                    hash.insert(key, self.value(depth + 1)?);
                }
                Value::hash(hash)
            }
            _ => return Err(WorkerError::Nonsense("there is a value of another kind")),
        })
    }
}

const SHORT: WorkerError = WorkerError::Nonsense("a message is cut off");

/// Whether there is rich data in a value.
pub(crate) fn is_rich(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(is_rich),
        Value::Hash(hash) => {
            hash.get_str(TYPE_KEY).is_some() || hash.iter().any(|(_, value)| is_rich(value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let mut hash = Hash::with_capacity(0);
        hash.insert(Value::string("é"), Value::Integer(i64::MIN));
        let value = Value::array([
            Value::Undef,
            Value::Boolean(true),
            Value::Float(0.1),
            Value::hash(hash),
        ]);
        assert_eq!(read(&write(&value)), Ok(value));
    }

    #[test]
    fn rich_data_is_marked() {
        let value = Value::array([Value::Sensitive(Value::Integer(1).into())]);
        assert!(is_rich(&read(&write(&value)).expect("it is whole")));
    }

    #[test]
    fn nonsense_is_an_error() {
        for bytes in [
            &[][..],
            &[0xC1],
            &[0xDB, 0, 0, 0, 9, 65],
            &[0xDD, 255, 255, 255, 255],
            &[0xDB, 0, 0, 0, 1, 255],
        ] {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
        assert!(read(&[[0xDD, 0, 0, 0, 1]; 100_000].concat()).is_err());
    }
}
