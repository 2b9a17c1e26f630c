//! Names of Puppet's own types and metaparameters.

/// Returns the origin of a type of Puppet's own, as its messages name it.
pub(super) fn type_origin(name: &str) -> Option<&'static str> {
    if is_core_type(name) {
        Some("Originally set by Puppet-Type-System/Static-Loader.")
    } else if is_other_type(name) {
        Some("Set at unknown location")
    } else {
        None
    }
}

/// Returns true for a type of the language, in lower case.
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

/// Returns true for a resource type, or an alias or object type that comes with Puppet, in lower case.
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

/// Returns true for a parameter that every resource has.
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
