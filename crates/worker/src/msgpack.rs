//! Conversion between values and msgpack.
//!
//! Values that are not plain data are converted to rich data first, so that the other side can restore them.

use kukla_pcore::richdata::{self, Options};
use kukla_pcore::{Hash, Value};
use kukla_rubytext::msgpack::{MsgpackError, Reader, Token, Writer};

use crate::WorkerError;

/// The maximum depth of values.
const MAX_DEPTH: usize = 500;

/// The key of a type's name in rich data.
const TYPE_KEY: &str = "__ptype";

/// Encodes a value.
pub(crate) fn write(value: &Value) -> Vec<u8> {
    let mut out = Writer::new();
    put(&mut out, value, Form::Value, 0);
    out.finish()
}

/// The encoding of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Value,
    /// Rich data already: the key of a type is written as it is.
    Data,
}

fn put(out: &mut Writer, value: &Value, form: Form, depth: usize) {
    match value {
        // No value that code can create is so deep.
        _ if depth > MAX_DEPTH => out.write(Token::Nil),
        Value::Undef => out.write(Token::Nil),
        Value::Boolean(value) => out.write(Token::Bool(*value)),
        Value::Integer(number) => out.write(Token::Int(*number)),
        Value::Float(number) => out.write(Token::Float(*number)),
        Value::String(text) => out.write(Token::Str(text)),
        Value::Array(items) => {
            out.write(Token::Array(length(items.len())));
            items.iter().for_each(|item| put(out, item, form, depth + 1));
        }
        Value::Hash(hash) if form == Form::Data || is_plain(hash) => {
            out.write(Token::Map(length(hash.len())));
            for (key, value) in hash.iter() {
                put(out, key, form, depth + 1);
                put(out, value, form, depth + 1);
            }
        }
        _ if form == Form::Data => out.write(Token::Nil),
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

fn length(length: usize) -> u32 {
    // Frames are limited to far less.
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Decodes a value as data: rich data in it stays a hash.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, WorkerError> {
    let mut reader = Reader::new(bytes);
    let value = self::value(&mut reader, 0)?;
    match reader.n_left() {
        0 => Ok(value),
        _ => Err(WorkerError::Nonsense("there is more than one value")),
    }
}

fn value(reader: &mut Reader<'_>, depth: usize) -> Result<Value, WorkerError> {
    if depth > MAX_DEPTH {
        return Err(WorkerError::Nonsense("a value is nested too deeply"));
    }
    Ok(match reader.next_token().map_err(error)? {
        Token::Nil => Value::Undef,
        Token::Bool(value) => Value::Boolean(value),
        Token::Int(number) => Value::Integer(number),
        Token::Float(number) => Value::Float(number),
        Token::Str(text) => Value::string(text),
        Token::Array(length) => {
            let mut items = Vec::new();
            for _ in 0..length {
                items.push(value(reader, depth + 1)?);
            }
            Value::array_of(items)
        }
        Token::Map(length) => {
            let mut hash = Hash::with_capacity(0);
            for _ in 0..length {
                let key = value(reader, depth + 1)?;
                hash.insert(key, value(reader, depth + 1)?);
            }
            Value::hash(hash)
        }
        Token::Extension(..) => return Err(error(MsgpackError::OtherKind)),
    })
}

fn error(error: MsgpackError) -> WorkerError {
    WorkerError::Nonsense(match error {
        MsgpackError::Truncated => "a message is cut off",
        MsgpackError::TooLarge => "an integer is too large",
        MsgpackError::NotUtf8 => "a text is not UTF-8",
        MsgpackError::OtherKind => "there is a value of another kind",
    })
}

/// Returns whether a value contains rich data.
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
