//! The text of a regular expression to its tree, or Ruby's complaint.
//!
//! This is Ruby 3.1's judgement, with its words, in the order in which Ruby comes to it: escapes
//! (`prepare`), syntax (`parser`), references beside names (`names`), calls of groups (`calls`), the
//! whole tree (`whole`). What Ruby only warns of is valid.

mod calls;
pub(crate) mod class;
mod group;
mod lengths;
mod names;
mod parser;
mod prepare;
mod problem;
mod property;
mod reduce;
mod scan;
mod token;
pub(crate) mod tree;
mod whole;

pub(crate) use lengths::{Lengths, Varies};
pub(crate) use parser::Flags;
pub(crate) use prepare::prepare;
pub(crate) use problem::Problem;

use tree::Tree;

/// The tree of a pattern whose escapes are prepared.
pub(crate) fn parse(pattern: &str, flags: Flags) -> Result<Tree<'_>, Problem> {
    let mut tree = parser::parse(pattern, flags)?;
    names::check(&mut tree)?;
    calls::check(&mut tree)?;
    whole::check(&tree)?;
    Ok(tree)
}
