//! `String.new`

use std::sync::LazyLock;

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError};
use crate::{Value, format};

/// The syntax of a format.
const FORMAT: &str = r"Pattern[/^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$/]";

const CONTAINER_FORMAT: &str = "Struct[{
    Optional[format] => Format,
    Optional[separator] => String,
    Optional[separator2] => String,
    Optional[string_formats] => Hash[Type, Format]
}]";

pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    NewFunction::new(
        "new_string",
        &[
            ("Format", FORMAT),
            ("ContainerFormat", CONTAINER_FORMAT),
            ("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]"),
            ("Convertible", "Any"),
            ("Formats", "Variant[Default, String[1], TypeMap]"),
        ],
        &[SignatureRow::Make(
            &[("from", "Convertible"), ("string_formats?", "Formats")],
            from_args,
        )],
    )
});

fn from_args(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let [from, rest @ ..] = args else { return Ok(Value::Undef) };
    let formats = rest.first().unwrap_or(&Value::Default);
    Ok(format::convert(from, formats)?.into())
}
