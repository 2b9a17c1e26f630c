//! Every complaint, one constructor each.
//!
//! Messages are Puppet's where Puppet has one; labels and help are ours. A code is Puppet's name of the
//! problem in kebab-case, or ours where Puppet has none. `rg 'issues::'` lists who complains of what.

mod data;
mod lexical;
mod loading;
mod semantic;
mod syntactic;

pub(crate) use data::*;
pub(crate) use lexical::*;
pub(crate) use loading::*;
pub(crate) use semantic::*;
pub(crate) use syntactic::*;
