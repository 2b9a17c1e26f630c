//! `Hash.new` and `Struct.new`

use std::sync::LazyLock;

use super::elements::elements;
use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError, numeric, tree};
use crate::types::access::ruby_class;
use crate::{Hash, Value};

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    NewFunction::new(
        "new_hash",
        &[
            ("KeyValueArray", "Array[Tuple[Any,Any],1]"),
            ("TreeArray", "Array[Tuple[Array,Any],1]"),
            ("NewHashOption", "Enum[tree, hash_tree]"),
        ],
        &[
            SignatureRow::Make(
                &[("from", "TreeArray"), ("build_option?", "NewHashOption")],
                from_tree,
            ),
            SignatureRow::Make(&[("from", "KeyValueArray")], from_tuples),
            SignatureRow::Make(&[("from", "Any")], from_any),
        ],
    )
});

fn from_tree(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    match args {
        [Value::Array(entries), option] => {
            tree::build(entries, option.as_str() == Some("hash_tree"))
        }
        _ => from_tuples(convert, args),
    }
}

fn from_tuples(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Array(pairs)) = args.first() else { return Ok(Value::Undef) };
    pairs_to_hash(pairs)
}

fn from_any(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    match args.first() {
        Some(Value::Array(values)) => flat_to_hash(values),
        Some(hash @ Value::Hash(_)) => Ok(hash.clone()),
        Some(other) => match elements(other)? {
            Some(values) => spread(&values),
            None => Err(ConvertError(numeric::type_cannot_be_converted(other, "Hash"))),
        },
        None => Ok(Value::Undef),
    }
}

/// Implements Ruby's `Hash[*values]`: a single value may be a list of pairs or a hash.
fn spread(values: &[Value]) -> Result<Value, ConvertError> {
    match values {
        [Value::Array(pairs)] => pairs_to_hash(pairs),
        [hash @ Value::Hash(_)] => Ok(hash.clone()),
        _ => flat_to_hash(values),
    }
}

/// Converts `[key, value, key, value]`.
fn flat_to_hash(values: &[Value]) -> Result<Value, ConvertError> {
    let (pairs, []) = values.as_chunks::<2>() else {
        return Err(ConvertError::new("odd number of arguments for Hash"));
    };
    Ok(pairs.iter().cloned().map(|[key, value]| (key, value)).collect::<Hash>().into())
}

/// Converts `[[key, value], [key, value]]`.
fn pairs_to_hash(pairs: &[Value]) -> Result<Value, ConvertError> {
    let pair = |(index, pair): (usize, &Value)| match pair {
        Value::Array(pair) => match pair.as_slice() {
            [key, value] => Ok((key.clone(), value.clone())),
            [key] => Ok((key.clone(), Value::Undef)),
            other => Err(ConvertError::new(format!(
                "invalid number of elements ({} for 1..2)",
                other.len()
            ))),
        },
        other => Err(ConvertError::new(format!(
            "wrong element type {} at {index} (expected array)",
            ruby_class(other)
        ))),
    };
    Ok(pairs.iter().enumerate().map(pair).collect::<Result<Hash, _>>()?.into())
}
