//! Puppet and EPP text to a validated tree.
//!
//! Start at [`check`]: text in, [`Ast`] and diagnostics out. It never fails: whatever the text, there is
//! a tree and a list of complaints, as many as there are.
//!
//! Invariant: nothing here evaluates, reads files or prints.

pub mod explain;
pub mod external;
