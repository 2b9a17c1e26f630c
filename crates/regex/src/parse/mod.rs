//! The parser of regular expressions.
//!
//! It accepts and refuses what Ruby 3.1 does, with its messages, in the order of Ruby's checks: escapes (`prepare`), syntax
//! (`parser`), references beside names (`names`), calls of groups (`calls`), the whole tree (`whole`). Ruby's warnings are
//! not reported.

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

/// Parses a pattern whose escapes are prepared.
pub(crate) fn parse(pattern: &str, flags: Flags) -> Result<Tree<'_>, Problem> {
    let mut tree = parser::parse(pattern, flags)?;
    names::check(&mut tree)?;
    calls::check(&mut tree)?;
    whole::check(&tree)?;
    Ok(tree)
}
