//! `Binary.new`

use std::sync::LazyLock;

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError};
use crate::Value;
use kukla_rubytext::base64;

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    NewFunction::new(
        "new_Binary",
        &[
            ("ByteInteger", "Integer[0,255]"),
            ("Base64Format", "Enum['%b', '%u', '%B', '%s', '%r']"),
            ("StringHash", "Struct[{value => String, 'format' => Optional[Base64Format]}]"),
            ("ArrayHash", "Struct[{value => Array[ByteInteger]}]"),
            ("BinaryArgsHash", "Variant[StringHash, ArrayHash]"),
        ],
        &[
            SignatureRow::Make(&[("str", "String"), ("format?", "Base64Format")], from_args),
            SignatureRow::Make(&[("byte_array", "Array[ByteInteger]")], from_args),
            SignatureRow::Make(&[("hash_args", "BinaryArgsHash")], from_hash),
        ],
    )
});

fn from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let bytes = match args {
        [Value::String(text), rest @ ..] => {
            from_text(text, rest.first().and_then(Value::as_str).unwrap_or("%B"))?
        }
        [Value::Array(values), ..] => values.iter().map(byte).collect(),
        _ => Vec::new(),
    };
    Ok(Value::Binary(bytes.into()))
}

fn from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Hash(hash)) = args.first() else { return Ok(Value::Undef) };
    let arguments = ["value", "format"].map(|key| hash.get_str(key).cloned().unwrap_or_default());
    from_args(convert, &arguments)
}

/// Converts a byte. The signature allows no other values.
fn byte(value: &Value) -> u8 {
    match value {
        Value::Integer(value) => u8::try_from(*value).unwrap_or_default(),
        _ => 0,
    }
}

fn from_text(text: &str, format: &str) -> Result<Vec<u8>, ConvertError> {
    Ok(match format {
        "%b" => base64::decode(text),
        "%u" => base64::urlsafe_decode(text)?,
        "%B" => base64::strict_decode(text)?,
        // Text and bytes are kept unchanged.
        _ => text.as_bytes().to_vec(),
    })
}
