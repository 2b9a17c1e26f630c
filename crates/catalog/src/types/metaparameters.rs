//! Attributes that every resource type has.

/// The metaparameters, in Puppet's order.
pub const METAPARAMETERS: [&str; 11] = [
    "noop",
    "schedule",
    "audit",
    "loglevel",
    "alias",
    "tag",
    "require",
    "subscribe",
    "before",
    "notify",
    "stage",
];

/// The metaparameters that order resources.
pub const RELATIONSHIPS: [&str; 4] = ["require", "subscribe", "before", "notify"];

/// Returns true for the name of a metaparameter.
pub fn is_metaparameter(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
}
