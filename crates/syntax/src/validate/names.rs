//! Which names are names.

/// `\w`
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A segment that starts with a byte that `first` accepts.
fn is_segment(segment: &str, first: fn(u8) -> bool) -> bool {
    let bytes = segment.as_bytes();
    bytes.first().is_some_and(|&byte| first(byte)) && bytes.iter().all(|&byte| is_word(byte))
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

/// The name of a class, define, function or plan: `apache::vhost`, not `::apache`.
pub(super) fn is_definition_name(name: &str) -> bool {
    name.split("::").all(|segment| is_segment(segment, is_lower))
}

/// The name of a type alias: `Apache::Vhost`, not `::Apache`.
pub(super) fn is_type_name(name: &str) -> bool {
    name.split("::").all(|segment| is_segment(segment, |byte| byte.is_ascii_uppercase()))
}

/// The name of a variable: `a`, `::a::b`, `a::_b`.
pub(super) fn is_variable_name(name: &str) -> bool {
    is_parameter_name(name) || is_qualified_variable(name)
}

fn is_qualified_variable(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    match name.rsplit_once("::") {
        None => is_parameter_name(name),
        Some((scope, last)) => is_parameter_name(last) && is_definition_name(scope),
    }
}

/// The name of a parameter: `a`, `_a`.
pub(super) fn is_parameter_name(name: &str) -> bool {
    is_segment(name, |byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// The name of a match variable: `0`, `10`, not `01`.
pub(super) fn is_numeric_variable(name: &str) -> bool {
    name == "0" || (!name.starts_with('0') && is_digits(name))
}

/// A parameter that looks like a match variable: `1`, `01`, `0x1`.
pub(super) fn is_numeric_parameter(name: &str) -> bool {
    is_digits(name) || name.strip_prefix("0x").is_some_and(is_digits)
}

fn is_digits(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a node can have such a name.
pub(super) fn is_hostname(name: &str) -> bool {
    name.bytes().all(|byte| is_word(byte) || byte == b'-' || byte == b'.')
}

/// A name that Puppet's own types have.
pub(super) fn is_reserved_type(name: &str) -> bool {
    matches!(
        name,
        "type"
            | "any"
            | "unit"
            | "scalar"
            | "boolean"
            | "numeric"
            | "integer"
            | "float"
            | "collection"
            | "array"
            | "hash"
            | "tuple"
            | "struct"
            | "variant"
            | "optional"
            | "enum"
            | "regexp"
            | "pattern"
            | "runtime"
            | "init"
            | "object"
            | "sensitive"
            | "semver"
            | "semverrange"
            | "string"
            | "timestamp"
            | "timespan"
            | "typeset"
    )
}
