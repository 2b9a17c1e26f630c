//! All diagnostics, one constructor each.
//!
//! Messages are Puppet's where Puppet has one; labels and help are ours. A code is Puppet's name of the problem in kebab-case,
//! or ours where Puppet has none. The doc of a constructor is an example of its problem. `rg 'issues::'` lists the callers.

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
