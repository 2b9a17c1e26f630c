//! `new` of types with trivial conversions: Sensitive, Type, URI, and the identity.

use std::sync::{Arc, LazyLock};

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError};
use crate::Value;
use crate::types::parse;
use crate::uri::Uri;
use crate::value::Rare;

pub(super) static SENSITIVE_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let rows = [
        SignatureRow::Make(&[("value", "Sensitive")], itself),
        SignatureRow::Make(&[("value", "Any")], sensitive),
    ];
    NewFunction::new("new_Sensitive", &[], &rows)
});

pub(super) static UNIT_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    NewFunction::new("new_unit", &[], &[SignatureRow::Make(&[("from", "Any")], itself)])
});

pub(super) static TYPE_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let rows = [SignatureRow::Make(&[("type_string", "String[1]")], type_from_string)];
    NewFunction::new("new_type", &[], &rows)
});

/// The components of a URI.
const URI_HASH: &str = "Struct[{
    Optional[scheme] => String[1], Optional[userinfo] => String[1], Optional[host] => String[1],
    Optional[port] => Integer[0], Optional[path] => String[1], Optional[query] => String[1],
    Optional[fragment] => String[1], Optional[opaque] => String[1]
}]";

/// Named after another function, as in Puppet.
pub(super) static URI_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let rows = [
        SignatureRow::Make(&[("uri", "String[1]")], uri_from_string),
        SignatureRow::Make(&[("hash", URI_HASH)], uri_from_hash),
    ];
    NewFunction::new("new_error", &[], &rows)
});

fn itself(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    Ok(args.first().cloned().unwrap_or_default())
}

fn sensitive(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    Ok(Value::Sensitive(Arc::new(args.first().cloned().unwrap_or_default())))
}

fn type_from_string(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let text = args.first().and_then(Value::as_str).unwrap_or_default();
    let type_ = parse(text, convert.names);
    type_.map(Value::type_).map_err(|error| ConvertError(error.to_string()))
}

fn uri_from_string(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    Ok(uri(Uri::parse(args.first().and_then(Value::as_str).unwrap_or_default())?))
}

fn uri_from_hash(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Hash(hash)) = args.first() else { return Ok(Value::Undef) };
    Ok(uri(Uri::build(hash)?))
}

fn uri(uri: Uri) -> Value {
    Value::Rare(Arc::new(Rare::Uri(uri)))
}
