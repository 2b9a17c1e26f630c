//! The syntax of names.

/// Matches `\w`.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

fn is_lower_or_underscore(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'_'
}

/// Returns true for segments joined by `::`, whose first bytes satisfy `first`, the last one's `last`.
///
/// Written by hand, since every third node of a tree has a name.
fn is_qualified(name: &str, first: fn(u8) -> bool, last: fn(u8) -> bool) -> bool {
    let mut rest = name.as_bytes();
    loop {
        let length = rest.iter().take_while(|&&byte| is_word(byte)).count();
        let Some(&start) = rest.first().filter(|_| length > 0) else { return false };
        match rest[length..] {
            [] => return last(start),
            [b':', b':', ..] if first(start) => rest = &rest[length + 2..],
            _ => return false,
        }
    }
}

/// Matches the name of a class, define, function or plan: `apache::vhost`, not `::apache`.
pub(super) fn is_definition_name(name: &str) -> bool {
    is_qualified(name, is_lower, is_lower)
}

/// Matches the name of a type alias: `Apache::Vhost`, not `::Apache`.
pub(super) fn is_type_name(name: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase();
    is_qualified(name, is_upper, is_upper)
}

/// Matches the name of a variable: `a`, `::a::b`, `a::_b`.
pub(super) fn is_variable_name(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    is_qualified(name, is_lower, is_lower_or_underscore)
}

/// Matches the name of a parameter: `a`, `_a`.
pub(super) fn is_parameter_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(|&byte| is_lower_or_underscore(byte))
        && bytes.iter().all(|&byte| is_word(byte))
}

/// Matches the name of a match variable: `0`, `10`, not `01`.
pub(super) fn is_numeric_variable(name: &str) -> bool {
    name == "0" || (!name.starts_with('0') && is_digits(name))
}

/// Matches a parameter that looks like a match variable: `1`, `01`, `0x1`.
pub(super) fn is_numeric_parameter(name: &str) -> bool {
    is_digits(name) || name.strip_prefix("0x").is_some_and(is_digits)
}

fn is_digits(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for a valid name of a node.
pub(super) fn is_hostname(name: &str) -> bool {
    name.bytes().all(|byte| is_word(byte) || byte == b'-' || byte == b'.')
}

/// Returns true for the name of one of Puppet's own types.
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
