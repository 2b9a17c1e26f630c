//! Names that Puppet has taken: types and metaparameters.

/// Who made a type of Puppet's own known, as its messages say it.
pub(super) fn type_origin(name: &str) -> Option<&'static str> {
    if is_core_type(name) {
        Some("Originally set by Puppet-Type-System/Static-Loader.")
    } else if is_other_type(name) {
        Some("Set at unknown location")
    } else {
        None
    }
}

/// A type of the language, in small letters.
fn is_core_type(name: &str) -> bool {
    matches!(
        name,
        "any"
            | "array"
            | "binary"
            | "boolean"
            | "callable"
            | "catalogentry"
            | "class"
            | "collection"
            | "default"
            | "enum"
            | "float"
            | "hash"
            | "init"
            | "integer"
            | "iterable"
            | "iterator"
            | "notundef"
            | "numeric"
            | "object"
            | "optional"
            | "pattern"
            | "regexp"
            | "resource"
            | "runtime"
            | "scalar"
            | "scalardata"
            | "semver"
            | "semverrange"
            | "sensitive"
            | "string"
            | "struct"
            | "timespan"
            | "timestamp"
            | "tuple"
            | "type"
            | "typealias"
            | "typereference"
            | "typeset"
            | "undef"
            | "uri"
            | "variant"
    )
}

/// A resource type, or an alias or object type that Puppet brings along, in small letters.
fn is_other_type(name: &str) -> bool {
    name.starts_with("puppet::ast::")
        || matches!(
            name,
            "annotation"
                | "component"
                | "data"
                | "deferred"
                | "exec"
                | "file"
                | "filebucket"
                | "group"
                | "node"
                | "notify"
                | "package"
                | "pcore"
                | "puppet::lookupkey"
                | "puppet::lookupvalue"
                | "resources"
                | "richdata"
                | "richdatakey"
                | "schedule"
                | "service"
                | "stage"
                | "tidy"
                | "user"
                | "whit"
        )
}

/// What every resource has already.
pub(super) fn is_metaparameter(name: &str) -> bool {
    matches!(
        name,
        "alias"
            | "audit"
            | "before"
            | "loglevel"
            | "noop"
            | "notify"
            | "require"
            | "schedule"
            | "stage"
            | "subscribe"
            | "tag"
    )
}
