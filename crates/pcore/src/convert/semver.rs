//! `SemVer.new` and `SemVerRange.new`

use std::sync::{Arc, LazyLock};

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError};
use crate::value::Rare;
use crate::{Hash, Value};
use kukla_rubytext::semver::{Segment, Version, VersionNumber, VersionRange};

const QUALIFIER: &str = r"Pattern[/\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z/]";

const VERSION: &str = concat!(
    r"Pattern[/\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)",
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z/]"
);

const VERSION_HASH: &str = "Struct[{
    major => PositiveInteger, minor => PositiveInteger, patch => PositiveInteger,
    Optional[prerelease] => SemVerQualifier, Optional[build] => SemVerQualifier
}]";

const RANGE_HASH: &str = "Struct[{
    min => Variant[Default,SemVer], Optional[max] => Variant[Default,SemVer], Optional[exclude_max] => Boolean
}]";

pub(super) static VERSION_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let number = "PositiveInteger";
    NewFunction::new(
        "new_Version",
        &[
            (number, "Integer[0,default]"),
            ("SemVerQualifier", QUALIFIER),
            ("SemVerPattern", VERSION),
            ("SemVerHash", VERSION_HASH),
        ],
        &[
            SignatureRow::Make(&[("str", "SemVerPattern")], from_string),
            SignatureRow::Make(
                &[
                    ("major", number),
                    ("minor", number),
                    ("patch", number),
                    ("prerelease?", "SemVerQualifier"),
                    ("build?", "SemVerQualifier"),
                ],
                from_args,
            ),
            SignatureRow::Make(&[("hash_args", "SemVerHash")], from_hash),
            SignatureRow::Refuse(&[("str", "String")], refuse),
        ],
    )
});

pub(super) static RANGE_FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let border = "Variant[Default,SemVer]";
    NewFunction::new(
        "new_VersionRange",
        &[("SemVerRangeString", "String[1]"), ("SemVerRangeHash", RANGE_HASH)],
        &[
            SignatureRow::Make(&[("str", "SemVerRangeString")], range_from_string),
            SignatureRow::Make(
                &[("min", border), ("max", border), ("exclude_max?", "Boolean")],
                range_from_args,
            ),
            SignatureRow::Make(&[("hash_args", "SemVerRangeHash")], range_from_hash),
        ],
    )
});

fn from_string(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::String(text)) = args.first() else { return Ok(Value::Undef) };
    Ok(version(Version::parse(text)?))
}

fn from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let [Value::Integer(major), Value::Integer(minor), Value::Integer(patch), rest @ ..] = args
    else {
        return Ok(Value::Undef);
    };
    // A single qualifier; it is not split at its dots.
    let part = |index: usize| rest.get(index).and_then(Value::as_str);
    let number = |number: &i64| VersionNumber::Number(u64::try_from(*number).unwrap_or_default());
    Ok(version(Version {
        prerelease: part(0).map(|text| vec![Segment::Text(text.into())]),
        build: part(1).map(|text| vec![text.into()]),
        ..Version::new(number(major), number(minor), number(patch))
    }))
}

fn from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Hash(hash)) = args.first() else { return Ok(Value::Undef) };
    let keys = ["major", "minor", "patch", "prerelease", "build"];
    from_args(convert, &keys.map(|key| hash.get_str(key).cloned().unwrap_or_default()))
}

fn version(version: Version) -> Value {
    Value::Rare(Arc::new(Rare::SemVer(version)))
}

fn refuse(args: &[Value]) -> Result<String, ConvertError> {
    let text = args.first().and_then(Value::as_str).unwrap_or_default();
    Ok(format!("The string '{text}' cannot be converted to a SemVer"))
}

fn range_from_string(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::String(text)) = args.first() else { return Ok(Value::Undef) };
    Ok(range(VersionRange::parse(text)?))
}

fn range_from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let min = border(args.first()).unwrap_or_else(Version::lowest);
    let max = border(args.get(1)).unwrap_or_else(Version::highest);
    let exclude_max = args.get(2).is_some_and(Value::is_truthy);
    Ok(range(VersionRange::between(&min, &max, exclude_max)?))
}

fn range_from_hash(convert: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let Some(Value::Hash(hash)) = args.first() else { return Ok(Value::Undef) };
    range_from_args(convert, &by_name(hash))
}

fn by_name(hash: &Hash) -> [Value; 3] {
    ["min", "max", "exclude_max"].map(|key| hash.get_str(key).cloned().unwrap_or_default())
}

/// Returns a bound; `default` and a missing argument are none.
fn border(value: Option<&Value>) -> Option<Version> {
    match value? {
        Value::Rare(rare) => match &**rare {
            Rare::SemVer(version) => Some(version.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn range(range: VersionRange) -> Value {
    Value::Rare(Arc::new(Rare::SemVerRange(range)))
}
