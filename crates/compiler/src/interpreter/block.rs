//! Blocks of calls.

use super::Parameters;
use super::scope::Closure;
use crate::Program;
use crate::call::ForeignBlock;

/// The block of a call: `|$x| { … }`
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub(crate) program: &'a Program,
    pub(crate) closure: Closure,
    pub(crate) parameters: &'a Parameters,
    /// The code of a block that is not written in the Puppet language; program and closure mean nothing then.
    pub(crate) foreign: Option<&'a dyn ForeignBlock>,
}
