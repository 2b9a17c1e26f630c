//! `data_access` against nodes that forge facts, names that lead elsewhere, and wrong rules.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

#[path = "access/attacks.rs"]
mod attacks;
#[path = "access/changes.rs"]
mod changes;
#[path = "access/conditions.rs"]
mod conditions;
#[path = "access/refused.rs"]
mod refused;
#[path = "access/site.rs"]
mod site;
#[path = "access/special.rs"]
mod special;
